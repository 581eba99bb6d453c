"""Random instances as NumPy arrays."""
import numpy

TYPES = ("f8", "f8", "f8", "f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


def numbers(rng, shape):
    """An array that an instance might hold, of a random type, byte order and storage order."""
    kind = rng.choice(TYPES)
    count = int(numpy.prod(shape))
    if kind[0] == "f" and rng.random() < 0.3:
        values = numpy.frombuffer(rng.randbytes(count * int(kind[1])), "<" + kind)
        values = numpy.where(numpy.isfinite(values), values, 0).astype("<" + kind)
    elif kind[0] == "f":
        reach = 14 if kind == "f2" else 30
        values = [rng.choice((rng.uniform(-4, 4), rng.randint(-9, 9), 0.1, -0.0,
                              2.0 ** rng.randint(-reach, reach)))
                  for _ in range(count)]
    elif rng.random() < 0.2:
        limits = numpy.iinfo(kind)
        values = [rng.choice((limits.min, limits.max, rng.randint(limits.min, limits.max)))
                  for _ in range(count)]
    else:
        values = [rng.randint(0 if kind[0] == "u" else -100, 100) for _ in range(count)]
    if rng.random() < 0.01 and kind[0] == "f":
        values[0] = rng.choice((float("nan"), float("inf")))
    array = numpy.array(values, dtype=rng.choice("<>") + kind).reshape(shape)
    return numpy.asfortranarray(array) if rng.random() < 0.3 else array


def integers(rng, values, types=TYPES):
    fitting = [kind for kind in types if kind[0] == "f" or
               numpy.iinfo(kind).min <= min(values) and max(values) <= numpy.iinfo(kind).max]
    return numpy.array(values, dtype=rng.choice("<>") + rng.choice(fitting))


def column(rng, array):
    """A list, in some cases as a column."""
    return array.reshape(-1, 1) if rng.random() < 0.15 else array


def labels(rng, count):
    return integers(rng, [rng.choice((1, -1)) for _ in range(count)])


def add_head(rng, arrays, lengths, tokens):
    """Adds the keys of a head, in some cases with one too many or too few."""
    n, d = len(lengths), arrays["X"].shape[-1]
    head = rng.choice(("linear",) * 4 + ("scores", "scores", "cross-entropy", "classifier", "relu"))
    if head == "scores":
        table = tokens(1)
        arrays["scores"] = table[..., 0] if rng.random() < 0.7 else table
    elif head == "cross-entropy":
        arrays["y"] = column(rng, integers(rng, [rng.randrange(length + (rng.random() < 0.05)) for length in lengths]))
        if rng.random() < 0.6:
            arrays["head"] = numpy.array(rng.choice(("cross-entropy", b"cross-entropy", "cross-entropy", "linear")))
    elif head == "classifier":
        classes = rng.randint(2, 3)
        arrays["y"] = column(rng, integers(rng, [rng.randrange(classes + (rng.random() < 0.05)) for _ in lengths]))
        arrays["U"] = numbers(rng, (classes - (rng.random() < 0.05), d))
        arrays["head"] = numpy.array(rng.choice(("classifier",) * 8 + (b"classifier", "relu")))
    elif head == "relu":
        units = rng.randint(1, 3)
        arrays["A"] = numbers(rng, (units, d + (rng.random() < 0.05)))
        arrays["bias"], arrays["r"] = (column(rng, numbers(rng, (units + (rng.random() < 0.03),))) for _ in range(2))
        arrays["head"] = numpy.array(rng.choice(("relu",) * 8 + (b"relu", "linear")))
    if head in ("linear", "relu") or rng.random() < 0.03:
        arrays["Y"] = column(rng, labels(rng, n))
    if head == "linear" or rng.random() < 0.03:
        arrays["v"] = column(rng, numbers(rng, (d,)))


def add_setting(rng, arrays, lengths, tokens):
    """Adds the keys of a setting; gives the numbers of rows and columns of W."""
    setting, n, d = rng.choice(("self", "query", "last", "z", "K")), len(lengths), arrays["X"].shape[-1]
    if setting == "query":
        place = rng.randrange(-min(lengths), min(lengths)) + (rng.random() < 0.05) * rng.choice((-9, 9))
        arrays["query"] = integers(rng, [place]).reshape(rng.choice(((), (1,))))
    elif setting == "last":
        arrays["query"] = numpy.array(rng.choice(("last", b"last")))
    elif setting == "z":
        arrays["z"] = numbers(rng, (n, rng.randint(1, 3)))
        return d, arrays["z"].shape[-1]
    elif setting == "K":
        arrays["K"] = tokens(rng.randint(1, 3))
        return arrays["K"].shape[-1], 1
    return d, d


def every_token_a_query(rng, arrays, lengths, width):
    """Adds a setting with its labels, targets or classes, padded to `width` tokens or in one list."""
    d = arrays["X"].shape[-1]
    word = rng.choice(("seq2seq", "causal", "causal", b"causal", "both"))
    arrays["setting"] = numpy.array(word if rng.random() < 0.3 or word != "both" else "causal")

    def one_each(choose):
        if width is None:
            return column(rng, integers(rng, [choose() for length in lengths for _ in range(length)]))
        shape = rng.choice(((len(lengths), width), (len(lengths), width, 1)))
        return integers(rng, [choose() for _ in range(len(lengths) * width)]).reshape(shape)

    head = rng.choice(("linear", "linear", "places", "places", "cross-entropy", "classifier"))
    if head == "classifier":
        arrays["U"], arrays["head"] = numbers(rng, (3, d)), numpy.array("classifier")
        arrays["y"] = one_each(lambda: rng.randrange(3))
    elif head == "cross-entropy":
        arrays["y"] = one_each(lambda: rng.randrange(rng.choice((1, 1, 1, 2))))
    else:
        arrays["Y"] = one_each(lambda: rng.choice((1, -1)))
        arrays["v"] = numbers(rng, (d,) if head == "linear" else (max(lengths) - (rng.random() < 0.05), d))
    if rng.random() < 0.2:
        arrays["alpha"] = one_each(lambda: 0)


def instance(rng):
    """key -> NumPy array; an instance in most cases."""
    n, T, d = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
    lengths = [T] * n
    arrays = {}
    layout = rng.choice(("plain", "plain", "padded", "rows"))
    if layout != "plain":
        lengths = [rng.randint(1, T) for _ in range(n)]
        stated = list(lengths)
        if rng.random() < 0.05:
            stated[rng.randrange(n)] += rng.choice((1, -1, 2 ** 40))
        arrays["lengths"] = integers(rng, stated)

    def tokens(width):
        if layout == "rows":
            return numbers(rng, (sum(lengths), width))
        table = numbers(rng, (n, T, width))
        if layout == "padded" and table.dtype.kind == "f" and rng.random() < 0.5:
            for i, length in enumerate(lengths):
                table[i, length:] = float("nan")
        return table

    arrays["X"] = tokens(d)
    if rng.random() < 0.15:
        every_token_a_query(rng, arrays, lengths, T if layout != "rows" else None)
        if rng.random() < 0.1:
            arrays[rng.choice(("z", "scores", "query"))] = numbers(rng, (n, d))
        right = d
    else:
        add_head(rng, arrays, lengths, tokens)
        d, right = add_setting(rng, arrays, lengths, tokens)
        if rng.random() < 0.2:
            arrays["alpha"] = column(rng, integers(rng, [rng.randrange(length) for length in lengths]))
    if rng.random() < 0.2:
        padded = layout != "rows" and rng.random() < 0.7
        counts = integers(rng, [rng.choice((1, 1, 2, 7)) for _ in range(n * T if padded else sum(lengths))])
        arrays["counts"] = counts.reshape(n, T) if padded else counts
    if rng.random() < 0.15:
        table = tokens(1) * rng.choice((0, 1, 1))
        arrays["offsets"] = table[..., 0] if rng.random() < 0.7 else table
    if rng.random() < 0.2:
        arrays["W0"] = numbers(rng, rng.choice(((d, 1), (d,))) if "K" in arrays else (d, right))
    order = list(arrays)
    rng.shuffle(order)
    return {key: arrays[key] for key in order}
