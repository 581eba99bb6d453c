"""Instance files: correct/ has every legal way of writing one instance, malformed/ the illegal ones (exit 2; 5 where a
limit on resources answers first). The certificate is always the right one for the undamaged instance."""
import gzip
import io
import json
import struct
import warnings
import zipfile
import zlib

# The family below, as plain numbers.
X = [[[1.0, 0.0], [0.0, 1.0], [-0.5, 0.25]], [[2.0, 1.0], [1.0, 3.0], [0.0, 0.0]]]
Y = [1, -1]
V = [1.0, -2.0]
Z = [[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]]


def flat(value):
    return [entry for part in value for entry in flat(part)] if isinstance(value, list) else [value]


def shape(value):
    return (len(value),) + shape(value[0]) if isinstance(value, list) else ()


def npy(value, code="d", order="<", fortran=False, version=1, dimensions=None, descr=None, header=None, pad=True):
    """An .npy file of a nested list; `code` is a struct format."""
    names = {"d": "f8", "f": "f4", "e": "f2", "b": "i1", "h": "i2", "i": "i4", "q": "i8", "B": "u1", "H": "u2",
             "I": "u4", "Q": "u8"}
    numbers = flat(value)
    dims = shape(value) if dimensions is None else dimensions
    if fortran:
        where = {}
        strides = [1]
        for size in dims[:-1]:
            strides.append(strides[-1] * size)
        for k, number in enumerate(numbers):
            index, rest = [], k
            for size in reversed(dims):
                index.append(rest % size)
                rest //= size
            where[sum(s * i for s, i in zip(strides, reversed(index)))] = number
        numbers = [where[k] for k in range(len(numbers))]
    text = header or str({"descr": descr or (("|" if code in "bB" else order) + names[code]),
                          "fortran_order": fortran, "shape": tuple(dims)})
    prefix = 10 if version == 1 else 12
    if pad:
        text += " " * (-(prefix + len(text) + 1) % 64) + "\n"
    head = b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text))
    return head + text.encode() + struct.pack(f"{order}{len(numbers)}{code}", *numbers)


def npz(members, compressed=False):
    """A zip archive of (name, bytes) pairs, which may repeat names."""
    out = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", kind) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # repeated names are on purpose
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content, kind)
    return out.getvalue()


def standard(**changes):
    members = {"X": npy(X), "Y": npy(Y, "q"), "v": npy(V), "z": npy(Z)}
    members.update(changes)
    return [(f"{key}.npy", content) for key, content in members.items() if content is not None]


def legal(good):
    """name -> file of the same instance."""
    rows = [row for group in X for row in group]
    padded = [[*group, [float("nan"), float("inf")]] for group in X]
    z_scaled = json.dumps([[str(e) for e in row] for row in Z])
    return {
        "stored.npz": npz(standard()),
        "deflated.npz": npz(standard(), True),
        "float32.npz": npz(standard(X=npy(X, "f"), v=npy(V, "f"), z=npy(Z, "f"))),
        "big-endian.npz": npz(standard(X=npy(X, order=">"), v=npy(V, "f", ">"), Y=npy(Y, "h", ">"))),
        "fortran.npz": npz(standard(X=npy(X, fortran=True), z=npy(Z, fortran=True))),
        "integer-types.npz": npz(standard(Y=npy(Y, "b"), v=npy([1, -2], "h"), z=npy([[1, 2, 0], [0, 1, -1]], "i"))),
        "header-version-2.npz": npz(standard(X=npy(X, version=2))),
        "header-version-3.npz": npz(standard(X=npy(X, version=3))),
        "negative-zero.npz": npz(standard(z=npy([[1.0, 2.0, -0.0], [-0.0, 1.0, -1.0]]))),
        "lengths-rows.npz": npz(standard(X=npy(rows), lengths=npy([3, 3], "q"))),
        "lengths-padding.npz": npz(standard(X=npy(padded), lengths=npy([3, 3], "q"))),
        "alpha.npz": npz(standard(alpha=npy([0, 0], "q"))),
        "member-order.npz": npz(list(reversed(standard()))),
        "spaces.json": good.replace(",", " ,\n\t").replace(":", " :\r\n"),
        "exponents.json": good.replace("-0.5", "-5e-1").replace("0.25", "25E-2").replace("3.0", "0.3e+1"),
        "fractions.json": good.replace("-0.5", '"-1/2"').replace("0.25", '"1*2^-2"').replace("3.0", '"3"'),
        "hex-floats.json": good.replace("-0.5", '"-0x1p-1"').replace("0.25", '"0x1.0p-2"'),
        "escapes.json": good.replace('"X"', '"\\u0058"').replace("-0.5", '"\\u002d1/2"'),
        "signs.json": good.replace("0.25", '"+1/4"').replace("3.0", '"+3"'),
        "strings.json": good.replace(json.dumps(Z), z_scaled),
        "many-zeros.json": good.replace("0.25", "0.25" + "0" * 5000),
    }


def illegal_json(good):
    """name -> text."""
    cut = {f"cut-{k}": good[:k] for k in (0, 1, 10, len(good) // 2, len(good.rstrip()) - 1)}
    number = {f"number-{name}": good.replace("0.25", text) for name, text in {
        "nan": "NaN", "infinity": "Infinity", "negative-infinity": "-Infinity", "plus": "+1", "leading-zero": "01",
        "no-fraction": "1.", "no-whole": ".5", "no-exponent": "1e", "hexadecimal": "0x1", "true": "true",
        "null": "null", "object": "{}", "string": '"x"', "empty-string": '""', "string-nan": '"nan"',
        "string-infinity": '"inf"', "string-over-zero": '"1/0"', "string-space": '" 1"', "beyond-double": "1e400",
        "far-beyond-double": "1e999999999", "tiny-beyond-double": "1e-999999999",
        "rounds-to-zero": "1e-324", "rounds-to-infinity": "1.7976931348623159e308", "exponent-overflow":
        "1e99999999999999999999", "string-exponent": '"1*2^99999999"', "string-exponent-overflow":
        '"1*2^18446744073709551617"', "string-decimal-exponent": '"1e99999999999"', "hex-exponent":
        '"0x1p99999999999"', "minus": "-", "two": "1 2"}.items()}
    shapes = {
        "ragged-row": good.replace("[-0.5, 0.25]", "[-0.5]"),
        "long-row": good.replace("[-0.5, 0.25]", "[-0.5, 0.25, 1]"),
        "empty-row": good.replace("[-0.5, 0.25]", "[]"),
        "scalar-row": good.replace("[-0.5, 0.25]", "0.25"),
        "deep-row": good.replace("[-0.5, 0.25]", "[[-0.5], [0.25]]"),
        "empty-group": good.replace(json.dumps(X[0]), "[]"),
        "no-groups": good.replace(json.dumps(X), "[]"),
        "X-number": good.replace(json.dumps(X), "1"),
        "X-string": good.replace(json.dumps(X), '"X"'),
        "Y-short": good.replace(json.dumps(Y), "[1]"),
        "Y-long": good.replace(json.dumps(Y), "[1, 1, 1]"),
        "Y-zero": good.replace(json.dumps(Y), "[1, 0]"),
        "Y-two": good.replace(json.dumps(Y), "[1, 2]"),
        "Y-half": good.replace(json.dumps(Y), "[1, 0.5]"),
        "Y-nested": good.replace(json.dumps(Y), "[[1], [-1]]"),
        "Y-number": good.replace(json.dumps(Y), "1"),
        "v-short": good.replace(json.dumps(V), "[1]"),
        "v-empty": good.replace(json.dumps(V), "[]"),
        "v-nested": good.replace(json.dumps(V), "[[1, -2]]"),
        "z-short": good.replace(json.dumps(Z), "[[1, 2, 0]]"),
        "z-ragged": good.replace(json.dumps(Z), "[[1, 2, 0], [1]]"),
        "z-empty-rows": good.replace(json.dumps(Z), "[[], []]"),
        "missing-X": good.replace('"X"', '"W"'),
        "missing-Y": good.replace('"Y": [1, -1], ', ""),
        "missing-v": good.replace('"v": [1.0, -2.0], ', ""),
        "unknown-key": good.replace('{"X"', '{"note": 1, "X"'),
        "duplicate-key": good.replace('{"X"', '{"v": [1, 2], "X"'),
        "duplicate-by-escape": good.replace('{"X"', '{"\\u0076": [1, -2], "X"'),
        "query-and-z": good.replace('{"X"', '{"query": 0, "X"'),
        "K-and-z": good.replace('{"X"', '{"K": %s, "X"' % json.dumps(X)),
        "alpha-short": good.replace('{"X"', '{"alpha": [0], "X"'),
        "alpha-beyond": good.replace('{"X"', '{"alpha": [0, 3], "X"'),
        "alpha-negative": good.replace('{"X"', '{"alpha": [0, -1], "X"'),
        "alpha-fraction": good.replace('{"X"', '{"alpha": [0, 0.5], "X"'),
        "alpha-huge": good.replace('{"X"', '{"alpha": [0, 18446744073709551616], "X"'),
        "top-list": "[" + good + "]",
        "top-number": "1",
        "two-objects": good + good,
        "trailing-text": good + "x",
        "trailing-comma": good.rstrip()[:-1] + ",}",
        "comma-in-row": good.replace("[-0.5, 0.25]", "[-0.5, 0.25,]"),
        "single-quotes": good.replace('"', "'"),
        "comment": good.replace("{", "{/* */", 1),
        "byte-order-mark": b"\xef\xbb\xbf" + good.encode(),
        "utf-16": good.encode("utf-16"),
        "not-utf-8": good.replace('{"X"', '{"\0": 1, "X"').encode().replace(b"\0", b"\xff"),
        "overlong-utf-8": good.replace('{"X"', '{"\0": 1, "X"').encode().replace(b"\0", b"\xc1\x98"),
        "control-character": good.replace('{"X"', '{"\x01": 1, "X"'),
        "lone-surrogate": good.replace('{"X"', '{"\\ud800": 1, "X"'),
        "bad-escape": good.replace('{"X"', '{"\\x41": 1, "X"'),
        "nul": good.replace(" ", "\0", 1),
        "nesting": '{"X": ' + "[" * 20000 + "1" + "]" * 20000 + "}",
        "nesting-open": '{"X": ' + "[" * 20000,
        "nesting-objects": '{"X": ' * 5000,
    }
    return {**cut, **number, **shapes}


def illegal_npz():
    good = npz(standard())
    central = good.rindex(b"PK\x05\x06")
    local = good.index(b"PK\x03\x04")

    def patched(offset, data, source=good):
        return source[:offset] + data + source[offset + len(data):]

    first = good.index(b"PK\x01\x02")  # central header of X.npy
    nan, inf = float("nan"), float("inf")

    def x_with(value):
        return npy([[[value, 0.0], *X[0][1:]], X[1]])

    def x_header(text, data=b"\0" * 96):
        return npz(standard(X=npy(X, header=text)[:-96] + data))

    files = {
        "nan": npz(standard(X=x_with(nan))),
        "infinity": npz(standard(X=x_with(inf))),
        "negative-infinity": npz(standard(v=npy([1.0, -inf]))),
        "float32-nan": npz(standard(v=npy([1.0, nan], "f"))),
        "label-zero": npz(standard(Y=npy([1, 0], "q"))),
        "label-unsigned": npz(standard(Y=npy([1, 255], "B"))),
        "label-fraction": npz(standard(Y=npy([1.0, 0.5]))),
        "label-min-int": npz(standard(Y=npy([1, -2 ** 63], "q"))),
        "duplicate-member": npz(standard() + [("v.npy", npy(V))]),
        "unknown-member": npz(standard(note=npy([1.0]))),
        "member-without-suffix": npz(standard() + [("v", npy(V))]),
        "member-in-folder": npz([("a/" + name, content) for name, content in standard()]),
        "member-traversal": npz(standard() + [("../v.npy", npy(V))]),
        "missing-member": npz(standard(v=None)),
        "no-members": npz([]),
        "shape-too-large": npz(standard(X=npy(X, dimensions=(2, 3, 3)))),
        "shape-too-small": npz(standard(X=npy(X, dimensions=(2, 3, 1)))),
        "shape-huge": npz(standard(X=npy(X, dimensions=(10 ** 9, 10 ** 9, 2)))),
        "shape-overflow": npz(standard(X=npy(X, dimensions=(2 ** 32, 2 ** 32, 2 ** 32)))),
        "shape-wraps-to-right": npz(standard(X=npy(X, dimensions=(2 ** 62 + 2, 3, 2 ** 1)))),
        "shape-negative": npz(standard(X=npy(X, dimensions=(-2, 3, -2)))),
        "shape-zero": npz(standard(X=npy([], dimensions=(0, 3, 2)))),
        "shape-zero-tokens": npz(standard(X=npy([], dimensions=(2, 0, 2)))),
        "shape-zero-dimension": npz(standard(X=npy([], dimensions=(2, 3, 0)), v=npy([], dimensions=(0,)))),
        "shape-one": npz(standard(X=npy(X, dimensions=(12,)))),
        "shape-four": npz(standard(X=npy(X, dimensions=(1, 2, 3, 2)))),
        "shape-not-a-tuple": x_header("{'descr': '<f8', 'fortran_order': False, 'shape': 12}"),
        "shape-missing": x_header("{'descr': '<f8', 'fortran_order': False}"),
        "descr-missing": x_header("{'fortran_order': False, 'shape': (2, 3, 2)}"),
        "descr-object": x_header("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3, 2)}"),
        "descr-complex": npz(standard(v=npy([1.0, 0.0, -2.0, 0.0], dimensions=(2,), descr="<c16"))),
        "descr-structured": x_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3, 2)}"),
        "descr-unknown": x_header("{'descr': '<x8', 'fortran_order': False, 'shape': (2, 3, 2)}"),
        "descr-wide": x_header("{'descr': '<f16', 'fortran_order': False, 'shape': (2, 3, 1)}"),
        "order-not-boolean": x_header("{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 3, 2)}"),
        "header-duplicate-key": x_header("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 2)}"),
        "header-unclosed": x_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 2)"),
        "header-code": x_header("__import__('os').abort()"),
        "header-empty": x_header(" "),
        "header-length-beyond": npz(standard(v=b"\x93NUMPY\x01\x00\xff\xff{'descr': '<f8'")),
        "header-length-huge": npz(standard(v=b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr': '<f8'")),
        "version-unknown": npz(standard(v=npy(V).replace(b"NUMPY\x01", b"NUMPY\x09"))),
        "magic-wrong": npz(standard(v=b"\x94" + npy(V)[1:])),
        "member-empty": npz(standard(v=b"")),
        "member-magic-only": npz(standard(v=b"\x93NUMPY")),
        "data-short": npz(standard(v=npy(V)[:-1])),
        "data-long": npz(standard(v=npy(V) + b"\0")),
        "data-missing": npz(standard(v=npy(V)[:-16])),
        "lengths-sum": npz(standard(X=npy([row for group in X for row in group]), lengths=npy([3, 2], "q"))),
        "lengths-negative": npz(standard(X=npy([row for group in X for row in group]), lengths=npy([7, -1], "q"))),
        "lengths-zero": npz(standard(X=npy([row for group in X for row in group]), lengths=npy([6, 0], "q"))),
        "lengths-overflow": npz(standard(X=npy([row for group in X for row in group]),
                                         lengths=npy([2 ** 63 - 1, 2 ** 63 - 1], "q"))),
        "lengths-fraction": npz(standard(X=npy([row for group in X for row in group]), lengths=npy([2.5, 3.5]))),
        "lengths-beyond-padding": npz(standard(lengths=npy([3, 4], "q"))),
        "lengths-missing": npz(standard(X=npy([row for group in X for row in group]))),
        "cut-in-data": good[:len(good) // 2],
        "cut-in-directory": good[:first + 20],
        "cut-in-end": good[:-3],
        "checksum": patched(good.index(struct.pack("<d", -0.5)), struct.pack("<d", -0.75)),
        "directory-checksum": patched(first + 16, b"\0\0\0\0"),
        "directory-name": patched(first + 46, b"Q"),
        "directory-offset": patched(first + 42, b"\xff\xff\xff\x7f"),
        "directory-size": patched(first + 20, b"\xff\xff\xff\x7f\xff\xff\xff\x7f"),
        "directory-size-zip64": patched(first + 20, b"\xff\xff\xff\xff\xff\xff\xff\xff"),
        "end-count": patched(central + 8, b"\x09\x00\x09\x00"),
        "end-offset": patched(central + 16, b"\xff\xff\xff\x7f"),
        "method-unknown": patched(first + 10, b"\x0c\x00", patched(local + 8, b"\x0c\x00")),
        "encrypted": patched(first + 8, b"\x01\x00", patched(local + 6, b"\x01\x00")),
        "deflate-corrupt": patched(60, b"\xff\xff\xff\xff", npz(standard(), True)),
        "not-a-zip": b"PK\x03\x04" + b"\0" * 100,
        "end-record-only": good[central:],
    }
    # A deflated member of 64 MB of zeros that says so, and one that claims to be small.
    bomb = npz([("X.npy", npy([], dimensions=(0,), header=str({"descr": "<f8", "fortran_order": False, "shape": (2, 3, 1398101)}))
                 + b"\0" * (2 * 3 * 1398101 * 8)), *standard()[1:]], True)
    files["bomb"] = bomb
    where = bomb.index(b"PK\x01\x02")
    files["bomb-understated"] = patched(where + 24, struct.pack("<I", 4096),
                                        patched(bomb.index(b"PK\x03\x04") + 22, struct.pack("<I", 4096), bomb))
    return files


def write(corpus):
    good = json.dumps({"X": X, "Y": Y, "v": V, "z": Z}) + "\n"
    instance, certificate = corpus.base("plain-c")
    corpus.case("correct", "instance-plain", instance, certificate, 0, "plain-c.json")
    for name, content in legal(good).items():
        corpus.case("correct", "instance-" + name.replace(".", "-"), content, certificate, 0, "instance-" + name)
    for name, content in illegal_json(good).items():
        if content == good:
            raise SystemExit(f"{name}: nothing damaged")
        corpus.case("malformed", f"json-{name}", content, certificate, "2", f"json-{name}.json")
    for name, content in illegal_npz().items():
        if content == npz(standard()):
            raise SystemExit(f"{name}: nothing damaged")
        corpus.case("malformed", f"npz-{name}", content, certificate, "2 5" if "bomb" in name else "2",
                    f"npz-{name}.npz")
    packed = gzip.compress(good.encode(), mtime=0)
    corpus.case("correct", "instance-json-gz", packed, certificate, 0, "instance-gz.json.gz")
    corpus.case("malformed", "json-gzip-cut", packed[:-4], certificate, "2", "json-gzip-cut.json.gz")
    corpus.case("malformed", "json-deflated", zlib.compress(good.encode()), certificate, "2", "json-deflated.json")
