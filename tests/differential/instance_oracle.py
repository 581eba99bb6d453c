"""What instance named arrays are: the keys of certify/INSTANCES.md written down a second time, and the hash of its
canonical text (proofs/statements/GRAMMAR.md section 5). An array is a shape and exact numbers, (numerator,
denominator) or None for what is not finite, of a ragged list also the lengths; or a shape and a text."""
import fractions
import hashlib

from oracle import demand

KEYS_OF_HEADS = {"linear": {"Y", "v", "scores"}, "cross-entropy": {"y"}, "classifier": {"U", "y"},
                 "relu": {"Y", "A", "bias", "r"}}


def number_text(number):
    """The canonical form of a number."""
    p, q = number
    if p == 0:
        return "0"
    if q & (q - 1):
        return f"{p}/{q}"
    e = (p & -p).bit_length() - q.bit_length()
    m = p >> ((p & -p).bit_length() - 1)
    return f"{m}*2^{e}" if e else str(m)


def finite(values, key):
    demand(None not in values, key + ": not finite")
    return values


def split(values, lengths):
    """The values in one list a sequence."""
    left = iter(values)
    return [[next(left) for _ in range(length)] for length in lengths]


class Instance:
    """Shapes and values of an instance, checked; `lines` is its canonical text."""

    def __init__(self, arrays):
        self.arrays = arrays
        self.read_layout()
        _, self.X = self.rows("X")
        self.counts = self.read_counts() if "counts" in arrays else []
        self.offsets = self.token_numbers("offsets") if "offsets" in arrays else []
        self.setting, self.query, self.factor, self.tables = "self-attention", 0, None, []
        if "setting" in arrays:
            self.read_queries()
        else:
            self.read_head()
            self.read_setting()
        if "alpha" in arrays:
            self.check_selection("alpha")
        if "W0" in arrays:
            form, values = self.numbers("W0", (1, 2))
            finite(values, "W0")
            demand(form in ([(self.factor,), (self.factor, 1)] if self.setting == "prompt"
                            else [(self.dimension, self.factor or self.dimension)]), "W0")

    # Arrays of each form.

    def numbers(self, key, dimensions=(1, 2, 3)):
        demand(key in self.arrays and isinstance(self.arrays[key][1], list), key)
        demand(len(self.arrays[key][0]) in dimensions, key + ": dimensions")
        return self.arrays[key][:2]

    def word(self, key):
        word = self.arrays[key][1]
        demand(isinstance(word, str), key)
        return word

    def listed(self, key):
        """The shape of a list, or of a column of one, and its numbers."""
        shape, values = self.numbers(key, (1, 2))
        demand(len(shape) == 1 or shape[1] == 1, key + ": not a list")
        return shape[:1], values

    def integers(self, key):
        shape, values = self.listed(key)
        demand(all(q == 1 for _, q in finite(values, key)), key + ": not integers")
        return [p for p, _ in values]

    def rows(self, key, array=None):
        """The rows of all tokens, padding left out."""
        array = array or self.arrays.get(key)
        form, values = array[:2] if array else self.numbers(key)
        demand(isinstance(values, list) and len(form) in (2, 3), key + ": dimensions")
        width = form[-1]
        table = [values[k:k + width] for k in range(0, len(values), width)]
        if len(array) == 3:
            demand(array[2] == self.lengths, key + ": lengths")
        elif len(form) == 2:
            demand(self.has_lengths and sum(self.lengths) == form[0], key + ": lengths")
        else:
            demand(form[0] == len(self.lengths) and max(self.lengths) <= form[1], key + ": lengths")
            demand(self.has_lengths or set(self.lengths) == {form[1]}, key + ": lengths")
            table = [table[i * form[1] + t] for i, count in enumerate(self.lengths) for t in range(count)]
        return width, [finite(row, key) for row in table]

    def token_numbers(self, key):
        """A number for each token, in a list for each sequence."""
        form, values, *ragged = self.arrays[key]
        demand(isinstance(values, list), key)
        if len(form) == 2 or (len(form) == 1 and self.has_lengths):
            form = (*form, 1)
        width, found = self.rows(key, (form, values, *ragged))
        demand(width == 1, key)
        return split([number for number, in found], self.lengths)

    # What the keys say.

    def read_layout(self):
        self.has_lengths = "lengths" in self.arrays
        shape, _ = self.numbers("X", (2, 3))
        demand(self.has_lengths or len(shape) == 3, "lengths missing")
        self.lengths = self.integers("lengths") if self.has_lengths else [shape[1]] * shape[0]
        if len(self.arrays["X"]) == 3:
            demand(not self.has_lengths, "lengths of a ragged list")
            self.lengths = self.arrays["X"][2]
        demand(min(self.lengths) >= 1, "lengths")
        self.dimension = shape[-1]

    def read_counts(self):
        shape, _ = self.numbers("X")
        form, values = self.numbers("counts", (1, 2))
        demand(len(self.arrays["counts"]) == 2, "counts")
        if len(form) == 2:  # with the padding of X
            demand(len(self.arrays["X"]) == 2 and len(shape) == 3 and form == shape[:2], "counts")
            counts = [values[i * form[1]:][:length] for i, length in enumerate(self.lengths)]
        else:
            demand(form[0] == sum(self.lengths), "counts")
            counts = split(values, self.lengths)
        demand(all(k is not None and k[1] == 1 and 1 <= k[0] < 2 ** 31 for row in counts for k in row), "counts")
        return counts

    def tokens_of(self, key):
        chosen = self.integers(key)
        demand(len(chosen) == len(self.lengths) and all(0 <= t < count for t, count in zip(chosen, self.lengths)),
               key)
        return chosen

    def check_selection(self, key):
        """A token of each sequence, or a list of tokens."""
        form, values, *ragged = self.arrays[key]
        if len(form) < 2 or form[1:] == (1,):
            self.tokens_of(key)
            return
        demand(isinstance(values, list) and values and form[2:] in ((), (1,)), key)
        lengths = ragged[0] if ragged else [form[1]] * form[0]
        demand(len(lengths) == len(self.lengths) and all(q == 1 for _, q in finite(values, key)), key)
        for chosen, count in zip(split([t for t, _ in values], lengths), self.lengths):
            demand(all(0 <= t < count for t in chosen), key)

    def labels(self):
        Y = self.integers("Y")
        demand(len(Y) == len(self.lengths) and set(Y) <= {1, -1}, "Y")
        return [(y, 1) for y in Y]

    def read_head(self):
        keys = set(self.arrays)
        head = self.word("head") if "head" in keys else "cross-entropy" if "y" in keys else "linear"
        demand(head in KEYS_OF_HEADS, "head")
        demand(keys & set().union(*KEYS_OF_HEADS.values()) <= KEYS_OF_HEADS[head], "keys of another head")
        if head == "classifier":
            self.scoring = self.classifier()
        elif head == "relu":
            self.scoring = self.units()
        elif head == "cross-entropy":
            self.scoring = ["head cross-entropy", "y", " ".join(map(str, self.tokens_of("y")))]
        elif "scores" in keys:
            demand("Y" not in keys and "v" not in keys, "scores, and Y or v")
            self.scoring = ["scores", *self.token_numbers("scores")]
        else:
            labels = self.labels()
            form, v = self.listed("v")
            demand(form == (self.dimension,), "v")
            self.scoring = ["Y", labels, "v", finite(v, "v")]

    def layer(self, key, least):
        form, values = self.numbers(key, (2,))
        demand(form[0] >= least and form[1] == self.dimension, key)
        return form[0], [finite(values, key)[k:k + self.dimension] for k in range(0, len(values), self.dimension)]

    def classifier(self):
        classes, U = self.layer("U", 2)
        chosen = self.integers("y")
        demand(len(chosen) == len(self.lengths) and all(0 <= u < classes for u in chosen), "y")
        return ["head classifier", "y", " ".join(map(str, chosen)), "U", *U]

    def units(self):
        units, A = self.layer("A", 1)
        vectors = []
        for key in ("bias", "r"):
            form, values = self.listed(key)
            demand(form == (units,), key)
            vectors += [key, finite(values, key)]
        return ["head relu", "Y", self.labels(), "A", *A, *vectors]

    def read_setting(self):
        demand(sum(key in self.arrays for key in ("K", "z", "query")) <= 1, "settings")
        if "K" in self.arrays:
            self.setting = "prompt"
            self.factor, table = self.rows("K")
            self.tables = ["K", *table]
        elif "z" in self.arrays:
            form, values = self.numbers("z", (2,))
            demand(form[0] == len(self.lengths), "z")
            self.crossed(form[1], [finite(values[k:k + form[1]], "z") for k in range(0, len(values), form[1])])
        elif "query" in self.arrays:
            form, value = self.arrays["query"]
            if isinstance(value, str):
                demand(value == "last", "query")
                self.query = "last"
            else:
                demand(len(form) <= 1 and len(value) == 1 and value[0] is not None and value[0][1] == 1, "query")
                self.query = value[0][0]
        self.query = "last" if self.query == -1 else self.query
        least = min(self.lengths)
        demand(self.setting != "self-attention" or self.query == "last" or -least <= self.query < least, "query")

    def crossed(self, factor, queries):
        self.setting, self.factor, self.tables = "cross-attention", factor, ["z", *queries]

    def read_queries(self):
        """Every token is a query, with all tokens of its sequence or those up to it."""
        word = self.word("setting")
        demand(word in ("seq2seq", "causal"), "setting")
        demand(not {"K", "z", "query", "scores"} & set(self.arrays), "keys of another setting")
        self.arrays = dict(self.arrays)
        for key in {"Y", "y", "alpha"} & set(self.arrays):
            values = sum(self.token_numbers(key), [])
            self.arrays[key] = (len(values),), values
        places, queries = self.lengths, self.X

        def repeated(table):
            """Of each sequence's list one for each query."""
            return [row[:k + 1] if word == "causal" else row for row in table for k in range(len(row))]

        self.X = sum(repeated(split(self.X, self.lengths)), [])
        self.counts, self.offsets = repeated(self.counts), repeated(self.offsets)
        self.lengths = [len(row) for row in repeated([range(length) for length in self.lengths])]
        self.crossed(self.dimension, queries)
        linear = "y" not in self.arrays and self.arrays.get("head", ((), "linear"))[1] == "linear"
        v = self.arrays.get("v", ((), []))
        if not linear or len(v[0]) != 2 or v[0][1] != self.dimension:
            self.read_head()
            return
        demand(v[0][0] == max(places) and not {"A", "U", "bias", "r"} & set(self.arrays), "v")
        decoders = [finite(v[1][k:k + self.dimension], "v") for k in range(0, len(v[1]), self.dimension)]
        scores, place_of = [], [k for length in places for k in range(length)]
        for tokens, place, (label, _) in zip(split(self.X, self.lengths), place_of, self.labels()):
            sums = [sum(fractions.Fraction(*a) * fractions.Fraction(*b) for a, b in zip(row, decoders[place]))
                    for row in tokens]
            scores.append([((label * value).numerator, value.denominator) for value in sums])
        self.scoring = ["scores", *scores]

    def lines(self):
        yield from ("attest-instance 1", "setting " + self.setting)
        if self.setting == "self-attention":
            yield f"query {self.query}"
        yield from (f"groups {len(self.lengths)}", "tokens " + " ".join(map(str, self.lengths)),
                    f"dimension {self.dimension}")
        if self.factor:
            yield f"factor-dimension {self.factor}"
        counts, offsets = sum(self.counts, []), sum(self.offsets, [])
        for line in ["X", *self.X, *self.scoring, *self.tables,
                     *(["counts", counts] if any(k != (1, 1) for k in counts) else []),
                     *(["offsets", offsets] if any(p != 0 for p, _ in offsets) else [])]:
            yield line if isinstance(line, str) else " ".join(map(number_text, line))


def canonical_sha256(arrays):
    return hashlib.sha256(("\n".join(Instance(arrays).lines()) + "\n").encode()).hexdigest()
