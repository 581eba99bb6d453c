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


class Stream:
    """A file that cannot seek: zipfile then writes sizes after the data."""

    def __init__(self):
        self.content = b""

    def write(self, data):
        self.content += bytes(data)
        return len(data)

    def flush(self):
        pass


def streamed(members, zip64=False):
    out = Stream()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=zip64) as member:
                member.write(content)
    return out.content


def as_numpy(members):
    """As numpy.savez does it: every local header has a zip64 field."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members:
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                member.write(content)
    return out.getvalue()


def wide(members):
    """Everything that can stand in zip64 fields and records does."""
    body, directory = b"", b""
    for name, content in members:
        fields = struct.pack("<HHHIIIIH", 45, 0, 0, 0x00210000, zlib.crc32(content), 2 ** 32 - 1, 2 ** 32 - 1,
                             len(name))
        sizes = struct.pack("<QQ", len(content), len(content))
        directory += (b"PK\1\2\x2d\0" + fields + struct.pack("<HHHHII", 28, 0, 0, 0, 0, 2 ** 32 - 1) + name.encode()
                      + struct.pack("<HH", 1, 24) + sizes + struct.pack("<Q", len(body)))
        body += b"PK\3\4" + fields + struct.pack("<H", 20) + name.encode() + struct.pack("<HH", 1, 16) + sizes + content
    count, place = len(members), len(body) + len(directory)
    record = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, len(directory), len(body))
    locator = b"PK\6\7" + struct.pack("<IQI", 0, place, 1)
    return body + directory + record + locator + end_record(0xffff, 2 ** 32 - 1, 2 ** 32 - 1)


def end_record(count, size, start, comment=0):
    return b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, size, start, comment)


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
        "float16.npz": npz(standard(X=npy(X, "e"), v=npy(V, "e", ">"), z=npy(Z, "e", fortran=True))),
        "columns.npz": npz(standard(Y=npy([[1], [-1]], "b"), v=npy([[1.0], [-2.0]]), alpha=npy([[0], [0]], "q"))),
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
        "counts.npz": npz(standard(counts=npy([[1, 1, 1], [1, 1, 1]], "q"))),
        "counts-padding.npz": npz(standard(X=npy(padded), lengths=npy([3, 3], "q"),
                                           counts=npy([[1, 1, 1, -7], [1, 1, 1, 0]], "q"))),
        "counts-list.json": good.replace('{"X"', '{"counts": [1, 1, 1, 1, 1, 1], "X"'),
        "member-order.npz": npz(list(reversed(standard()))),
        "as-numpy.npz": as_numpy(standard()),
        "streamed.npz": streamed(standard()),
        "streamed-zip64.npz": streamed(standard(), True),
        "zip64.npz": wide(standard()),
        "spaces.json": good.replace(",", " ,\n\t").replace(":", " :\r\n"),
        "exponents.json": good.replace("-0.5", "-5e-1").replace("0.25", "25E-2").replace("3.0", "0.3e+1"),
        "fractions.json": good.replace("-0.5", '"-1/2"').replace("0.25", '"1*2^-2"').replace("3.0", '"3"'),
        "hex-floats.json": good.replace("-0.5", '"-0x1p-1"').replace("0.25", '"0x1.0p-2"'),
        "escapes.json": good.replace('"X"', '"\\u0058"').replace("-0.5", '"\\u002d1/2"'),
        "signs.json": good.replace("0.25", '"+1/4"').replace("3.0", '"+3"'),
        "strings.json": good.replace(json.dumps(Z), z_scaled),
        "many-zeros.json": good.replace("0.25", "0.25" + "0" * 5000),
        "largest-exponents.json": good.replace("[0.0, 0.0]", '["0*2^65536", 0e-65536]').replace(
            "0.25", '"0.00000025e0000006"'),
        "loose-decimals.json": good.replace("0.25", '"+.25"').replace("[2.0, 1.0]", '["02.", "001.0"]'),
        "least-integers.npz": npz(standard(X=npy(X), v=npy(V), Y=npy(Y, "b"),
                                           W0=npy([[-128, 127, 0], [1, 2, 3]], "b"))),
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
    scored = json.dumps({"X": X, "scores": [[1, 2, 3], [4, 5, 6]], "z": Z}) + "\n"
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
        "Y-nested": good.replace(json.dumps(Y), "[[1, -1]]"),
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
        "query-beyond-end": good.replace('"z": ' + json.dumps(Z), '"query": -4'),
        "query-huge": good.replace('"z": ' + json.dumps(Z), '"query": -18446744073709551616'),
        "scores-and-Y": good.replace('{"X"', '{"scores": [[1, 2, 3], [4, 5, 6]], "X"'),
        "scores-and-v": good.replace('"Y": [1, -1]', '"scores": [[1, 2, 3], [4, 5, 6]]'),
        "scores-short": scored.replace("[1, 2, 3]", "[1, 2]"),
        "scores-long": scored.replace("[1, 2, 3]", "[1, 2, 3, 4]"),
        "scores-list": scored.replace("[[1, 2, 3], [4, 5, 6]]", "[1, 2, 3, 4, 5, 6]"),
        "scores-deep": scored.replace("[4, 5, 6]", "[[4], [5], [6]]"),
        "scores-pairs": scored.replace("[[1, 2, 3], [4, 5, 6]]",
                                       "[[[1, 1], [2, 2], [3, 3]], [[4, 4], [5, 5], [6, 6]]]"),
        "scores-text": scored.replace("[[1, 2, 3], [4, 5, 6]]", '"1"'),
        "scores-nan": scored.replace("[1, 2, 3]", "[1, NaN, 3]"),
        "scores-empty": scored.replace("[1, 2, 3]", "[]"),
        "counts-short": good.replace('{"X"', '{"counts": [1, 1, 1, 1, 1], "X"'),
        "counts-zero": good.replace('{"X"', '{"counts": [1, 1, 1, 0, 1, 1], "X"'),
        "counts-negative": good.replace('{"X"', '{"counts": [[1, 1, 1], [1, 1, -1]], "X"'),
        "counts-fraction": good.replace('{"X"', '{"counts": [1, 1, 1, 1.5, 1, 1], "X"'),
        "counts-huge": good.replace('{"X"', '{"counts": [1, 1, 1, 2147483648, 1, 1], "X"'),
        "counts-turned": good.replace('{"X"', '{"counts": [[1, 1], [1, 1], [1, 1]], "X"'),
        "counts-ragged": good.replace('{"X"', '{"counts": [[1, 1, 1], [1, 1]], "X"'),
        "counts-nested": good.replace('{"X"', '{"counts": [[[1], [1], [1]], [[1], [1], [1]]], "X"'),
        "counts-text": good.replace('{"X"', '{"counts": "1", "X"'),
        "query-text": good.replace('"z": ' + json.dumps(Z), '"query": "0"'),
        "query-nested": good.replace('"z": ' + json.dumps(Z), '"query": [[0]]'),
        "lengths-of-ragged": good.replace('"z": ' + json.dumps(Z), '"lengths": [2, 2]').replace(", [0.0, 0.0]", ""),
        "K-rows-without-lengths": good.replace('"z": ' + json.dumps(Z), '"K": [[1], [2], [3], [4], [5], [6]]'),
        "K-ragged-and-lengths": good.replace('"z": ' + json.dumps(Z),
                                             '"K": [[[1], [2], [3]], [[4], [5]]], "lengths": [2, 2]'),
        "nul-and-text": good + "\0{}",
        "duplicate-by-long-escape": good.replace('{"X"', '{"\\u0058": [[[1, 2]]], "X"'),
        "surrogate-pair": good.replace('{"X"', '{"\\ud83d\\ude00": 1, "X"'),
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
    return {**cut, **number, **shapes, **illegal_texts(good)}


def illegal_texts(good):
    """What is wrong at a character: of a number, an escape or a bracket."""
    number = {f"number-{name}": good.replace("0.25", text) for name, text in {
        # Halfway to what binary64 holds: rounds to infinity, or to zero.
        "half-beyond": str(2 ** 1024 - 2 ** 970), "half-least": "0." + str(5 ** 1075).zfill(1075),
        "string-point": '"."', "string-minus": '"-"', "string-exponent-alone": '"e5"', "string-two-signs": '"+-1"',
        "string-no-denominator": '"1/"', "string-no-numerator": '"/2"', "string-negative-denominator": '"1/-2"',
        "string-plus-denominator": '"1/+2"', "string-underscore": '"1_0/4"', "string-decimal-denominator": '"1/4.0"',
        "string-no-power": '"1*2^"', "string-power-and-rest": '"1*2^-2y"', "string-letters": '"1a"',
        "hex-no-zero": '"x10"', "hex-capital-no-zero": '"X10"', "hex-no-digits": '"0xp1"', "hex-point": '"0x."',
        "hex-rest": '"0x1p1g"', "hex-two": '"0x0x1"', "string-exponent-beyond": '"0*2^65537"',
        "exponent-beyond": "0e65537"}.items()}
    zero = good.replace('{"X"', '{"%s": 1, "X"')
    return {
        **number,
        "escape-not-hexadecimal": zero % "\\u00g8",
        "escape-short": zero % "\\u58",
        "escape-cut": good.rstrip()[:-1] + ', "\\u00',
        "escape-open": good.rstrip()[:-1] + ', "\\',
        "lone-low-surrogate": zero % "\\udc00",
        "K-deep": json.dumps({"X": X[:1], "Y": Y[:1], "v": V, "K": [[[[1], [2], [3]]]]}),
        "escape-unknown": good.replace('"X"', '"\\X"'),
        "string-open": good.rstrip()[:-1] + ', "',
        "utf-8-cut": good.rstrip().encode() + b"\xc3",
        "no-colon": good.replace('"X":', '"X"'),
        "no-brace": good.rstrip()[:-1] + "\n",
        "no-bracket": json.dumps({"X": X, "Y": Y, "z": Z, "v": V})[:-2] + "}",
        "K-of-fewer-groups": good.replace('"z": ' + json.dumps(Z), '"K": [[[1], [2], [3]]]'),
        "K-of-more-groups": good.replace('"z": ' + json.dumps(Z),
                                         '"K": [[[1], [2], [3]], [[1], [2], [3]], [[1], [2], [3]]]'),
        "K-of-fewer-tokens": good.replace('"z": ' + json.dumps(Z), '"K": [[[1], [2], [3]], [[1], [2]]]'),
        "K-of-more-tokens": good.replace('"z": ' + json.dumps(Z), '"K": [[[1], [2], [3]], [[1], [2], [3], [4]]]'),
        "K-list": good.replace('"z": ' + json.dumps(Z), '"K": [1, 2, 3, 4, 5, 6]'),
        "K-number": good.replace('"z": ' + json.dumps(Z), '"K": 1'),
        "z-list": good.replace(json.dumps(Z), "[1, 2]"),
        "z-number": good.replace(json.dumps(Z), "1"),
        "v-long": good.replace(json.dumps(V), "[1, -2, 0]"),
        "v-number": good.replace(json.dumps(V), "1"),
        "query-list": good.replace('"z": ' + json.dumps(Z), '"query": [0, 0]'),
        "query-number-after": good.replace('"z": ' + json.dumps(Z), '"query": 3'),
        "counts-padding-of-ragged":
            good.replace('{"X"', '{"counts": [[1, 1, 1], [1, 1, 1]], "X"').replace(", [0.0, 0.0]", ""),
        "counts-more-rows": good.replace('{"X"', '{"counts": [[1, 1, 1], [1, 1, 1], [1, 1, 1]], "X"'),
        "counts-fewer-rows": good.replace('{"X"', '{"counts": [[1, 1, 1]], "X"'),
        "counts-longer-rows": good.replace('{"X"', '{"counts": [[1, 1, 1, 1], [1, 1, 1, 1]], "X"'),
        "counts-long": good.replace('{"X"', '{"counts": [1, 1, 1, 1, 1, 1, 1], "X"'),
        "counts-number": good.replace('{"X"', '{"counts": 1, "X"'),
        "alpha-long": good.replace('{"X"', '{"alpha": [0, 0, 0], "X"'),
        "alpha-nested": good.replace('{"X"', '{"alpha": [[0, 0]], "X"'),
        "start-turned": good.replace('{"X"', '{"W0": [[1, 2], [3, 4], [5, 6]], "X"'),
        "start-list": good.replace('{"X"', '{"W0": [1, 2, 3, 4, 5, 6], "X"'),
        "start-other-width": good.replace('{"X"', '{"W0": [[1, 2], [3, 4]], "X"'),
        "start-of-prompt": good.replace('"z": ' + json.dumps(Z),
                                        '"K": [[[1], [2], [3]], [[1], [2], [3]]], "W0": [1, 2]'),
        "lengths-nested": good.replace('{"X"', '{"lengths": [[3, 3]], "X"'),
        "lengths-more": good.replace('{"X"', '{"lengths": [3, 3, 3], "X"'),
        "lengths-fewer": good.replace('{"X"', '{"lengths": [3], "X"'),
        "scores-wide": good.replace('"Y": [1, -1], "v": [1.0, -2.0]',
                                    '"scores": [[[1, 0], [2, 0], [3, 0]], [[4, 0], [5, 0], [6, 0]]]'),
        "embeddings-alone": good.replace('{"X"', '{"embeddings": [[1, 0], [0, 1]], "X"'),
    }


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
        "label-least-byte": npz(standard(Y=npy([1, -128], "b"))),
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
        # 2^63 + 12 numbers: as many as there are in words of 63 bits.
        "shape-wraps-63-bits": npz(standard(X=npy(X, dimensions=(4, 2 ** 61 + 3, 1)))),
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
        "header-duplicate-key": x_header("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, "
                                         "'shape': (2, 3, 2)}"),
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
        "stored-size": patched(first + 24, struct.pack("<I", len(npy(X)) + 1),
                               patched(local + 22, struct.pack("<I", len(npy(X)) + 1))),
        "local-name": patched(local + 30, b"W"),
        "local-method": patched(local + 8, b"\x08\x00"),
        "end-count-of-disk": patched(central + 8, b"\x03\x00"),
        "end-record-code": patched(central + 2, b"\5\7"),
        "start-nan": npz(standard(W0=npy([[1.0, 2.0, 3.0], [4.0, 5.0, nan]]))),
        "head-of-two": npz(standard(Y=None, v=None, y=npy([0, 0], "q"), head=text(["cross-entropy"] * 2))),
        "head-not-ascii": npz(standard(Y=None, v=None, y=npy([0, 0], "q"), head=text(["cross-entrop\u00fd"]))),
        "bfloat": npz(standard(v=npy([1, -2], "h", descr="<b2"))),
        **illegal_wide(),
        **illegal_readings(good),
        **illegal_headers(),
    }
    # A deflated member of 64 MB of zeros that says so, and one that claims to be small.
    header = str({"descr": "<f8", "fortran_order": False, "shape": (2, 3, 1398101)})
    bomb = npz([("X.npy", npy([], dimensions=(0,), header=header)
                 + b"\0" * (2 * 3 * 1398101 * 8)), *standard()[1:]], True)
    files["bomb"] = bomb
    where = bomb.index(b"PK\x01\x02")
    packed = npz(standard(), True)
    files["deflated-size"] = patched(packed.index(b"PK\x01\x02") + 24, struct.pack("<I", len(npy(X)) + 8),
                                     patched(22, struct.pack("<I", len(npy(X)) + 8), packed))
    files["bomb-understated"] = patched(where + 24, struct.pack("<I", 4096),
                                        patched(bomb.index(b"PK\x03\x04") + 22, struct.pack("<I", 4096), bomb))
    return files


def text(words):
    """An .npy file of strings."""
    width = max(len(word) for word in words)
    data = "".join(word.ljust(width, "\0") for word in words).encode("utf-32-le")
    dims = (len(words),) if len(words) > 1 else ()
    return npy([], descr=f"<U{width}", dimensions=dims) + data


def illegal_wide():
    """Zip64 fields and records, each wrong in one place."""
    good = wide(standard())
    record, locator, end = len(good) - 98, len(good) - 42, len(good) - 22

    def patched(offset, data):
        return good[:offset] + data + good[offset + len(data):]

    files = {
        "zip64-start-beyond": patched(record + 55, b"\x10"),
        "zip64-end-code": patched(record, b"PK\6\5"),
        "zip64-end-size": patched(record + 4, b"\x2d"),
        "zip64-end-disk": patched(record + 16, b"\1"),
        "zip64-end-directory-disk": patched(record + 20, b"\1"),
        "zip64-end-counts": patched(record + 24, b"\5"),
        "zip64-locator-disk": patched(locator + 4, b"\1"),
        "zip64-locator-place": patched(locator + 8, b"\1"),
        "zip64-locator-place-beyond": patched(locator + 15, b"\x10"),
        "zip64-size": good[:end] + end_record(0xffff, 5, 2 ** 32 - 1),
        "zip64-start": good[:end] + end_record(0xffff, 2 ** 32 - 1, 5),
        # The first member's sizes: in the local header itself, not those of its zip64 field.
        "zip64-sizes-disagree": patched(18, b"\1\0\0\0\1\0\0\0"),
    }
    plain = npz(standard())
    first, stop = plain.index(b"PK\1\2"), len(plain) - 22
    last = headers(plain, first, stop)[-1][0]
    for name, tail in (("field-twice", struct.pack("<HHHH", 1, 0, 1, 0)), ("field-long", struct.pack("<HHQ", 1, 8, 0)),
                       ("field-beyond", struct.pack("<HH", 1, 9))):
        files["zip64-" + name] = (plain[:last + 30] + struct.pack("<H", len(tail)) + plain[last + 32:stop] + tail
                                  + end_record(4, stop - first + len(tail), first))
    return files


def illegal_readings(good):
    """Archives that some readers take for others, or that hold more than their directory says."""
    other = npz(standard(v=npy([1.0, 2.0])))
    stop = len(good) - 22
    first = good.index(b"PK\1\2")
    size = stop - first
    second_member, second_header = good.index(b"PK\3\4", 1), good.index(b"PK\1\2", first + 1)
    # A second archive in the comment: a reader that takes the last end record for the archive's reads that one, a
    # reader that wants the comment's length to be right the first.
    inner = other[:-2] + b"\1\0"
    files = {
        "archive-in-comment": good[:-2] + struct.pack("<H", len(inner)) + inner,
        "archive-in-comment-exact": good[:-2] + struct.pack("<H", len(other)) + other,
        "comment": good[:-2] + b"\5\0hello",
        "comment-length": good[:-2] + b"\1\0",
        "archive-twice": good + other,
        "bytes-after": good + b"\0",
        "bytes-before": b"PK" + good,
        "bytes-before-directory": good[:first] + b"\0" + good[first:stop] + end_record(4, size, first + 1),
        "bytes-before-end": good[:stop] + b"\0" + good[stop:],
        "bytes-in-directory": good[:stop] + b"\0" + end_record(4, size + 1, first),
        "member-left-out": (good[:first] + good[second_header:stop]
                            + end_record(3, size - (second_header - first), first)),
        "directory-short-count": good[:stop] + end_record(3, size, first),
        "directory-order": good[:first] + good[second_header:stop] + good[first:second_header] + good[stop:],
        "second-disk": good[:stop + 4] + b"\1\0\1\0" + good[stop + 8:],
        "zip64-locator-damaged": wide(standard())[:-26] + b"\2\0\0\0" + wide(standard())[-22:],
        "zip64-count": wide(standard())[:-22] + end_record(3, 2 ** 32 - 1, 2 ** 32 - 1),
        "zip64-field-missing": good[:first + 24] + b"\xff\xff\xff\xff" + good[first + 28:],
        "flags-disagree": good[:6] + b"\2\0" + good[8:],
        "flag-unknown": good[:6] + b"\x20\0" + good[8:first + 8] + b"\x20\0" + good[first + 10:],
        "version-late": good[:first + 6] + b"\x3f\0" + good[first + 8:],
        "local-checksum": good[:14] + b"\0\0\0\0" + good[18:],
        "local-size": good[:22] + b"\1\0\0\0" + good[26:],
        "local-sizes": good[:18] + b"\1\0\0\0\1\0\0\0" + good[26:],
    }
    def moved(a):
        """The place of the member, which lies a byte later unless it is the first."""
        return struct.pack("<I", struct.unpack("<I", good[a + 42:a + 46])[0] + (a > first))

    files["bytes-between"] = (good[:second_member] + b"\0" + good[second_member:first]
                              + b"".join(good[a:a + 42] + moved(a) + good[a + 46:b]
                                         for a, b in headers(good, first, stop))
                              + end_record(4, size, first + 1))
    # A second name in an extra field, and a comment, of the directory's last member.
    second_name = struct.pack("<HH", 0x7075, 10) + b"\1" + b"\0" * 4 + b"Y.npy"
    for name, place, tail in (("member-second-name", 30, second_name), ("member-comment", 32, b"hello"),
                              ("member-extra-cut", 30, b"\1\0\1")):
        last = headers(good, first, stop)[-1][0]
        files[name] = (good[:last + place] + struct.pack("<H", len(tail)) + good[last + place + 2:stop] + tail
                       + end_record(4, size + len(tail), first))
    # An end record within a member's data, whose comment would be the rest of the file.
    data = npy(X)
    for _ in range(2):
        archive = npz(standard(X=data))
        place = archive.index(data) + len(data) - 24
        data = data[:-24] + end_record(0, 0, 0, len(archive) - place - 22) + b"\0\0"
    files["second-end-record"] = npz(standard(X=data))
    # Sizes after the data: of another member, where no flag announces them, and cut off.
    stream = streamed(standard())
    at = stream.index(b"PK\7\x08")
    files["description-wrong"] = stream[:at + 8] + b"\0" + stream[at + 9:]
    for name, place in (("checksum", 4), ("compressed", 8), ("size", 12)):
        files["description-" + name] = stream[:at + place] + bytes([stream[at + place] ^ 1]) + stream[at + place + 1:]
    files["description-unsigned"] = stream[:at] + b"PK\7\7" + stream[at + 4:]
    files["description-unannounced"] = stream[:6] + b"\0\0" + stream[8:]
    # Bytes behind the end of a deflate stream, within the member.
    content = npy(V)
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflater.compress(content) + deflater.flush() + b"rest"
    fields = struct.pack("<HHHIIIIHH", 20, 0, 8, 0x00210000, zlib.crc32(content), len(packed), len(content), 5, 0)
    others = npz([member for member in standard() if member[0] != "v.npy"])
    start = others.index(b"PK\1\2")
    body = others[:start] + b"PK\3\4" + fields + b"v.npy" + packed
    directory = others[start:-22] + b"PK\1\2\x14\0" + fields + struct.pack("<HHHII", 0, 0, 0, 0, start) + b"v.npy"
    files["deflate-rest"] = body + directory + end_record(4, len(directory), len(body))
    return files


def headers(archive, first, stop):
    """(begin, end) of every header of the directory."""
    places = []
    while first < stop:
        name, extra, comment = struct.unpack("<HHH", archive[first + 28:first + 34])
        places.append((first, first + 46 + name + extra + comment))
        first = places[-1][1]
    return places


def illegal_headers():
    """npy headers that NumPy reads in its own way, or not at all."""
    plain = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"

    def v_with(text, pad=True):
        return npz(standard(v=npy(V, header=text, pad=pad)))

    minor = bytearray(npy(V))
    minor[7] = 1
    return {
        "version-minor": npz(standard(v=bytes(minor))),
        "header-text-after": v_with(plain + " x"),
        "header-second-dictionary": v_with(plain + " " + plain),
        "header-no-newline": v_with(plain, pad=False),
        "header-newline-inside": v_with(plain.replace(", 's", ",\n's")),
        "header-two-newlines": v_with(plain + "\n"),
        "header-tab": v_with(plain.replace(": ", ":\t")),
        "header-space-before": v_with(" " + plain),
        "header-long": npz(standard(v=npy(V, header=plain + " " * 10000 + "\n", pad=False, version=2))),
        "header-strings-joined": v_with(plain.replace("'<f8'", "'<f' '8'")),
        "shape-brackets": v_with(plain.replace("(2,)", "(2)")),
        "shape-list": v_with(plain.replace("(2,)", "[2]")),
        "shape-leading-zero": v_with(plain.replace("(2,)", "(02,)")),
        "shape-long": v_with(plain.replace("(2,)", "(2L,)")),
        "shape-plus": v_with(plain.replace("(2,)", "(+2,)")),
        "descr-native": v_with(plain.replace("<f8", "=f8")),
        "descr-bare": v_with(plain.replace("<f8", "f8")),
        "descr-no-order": v_with(plain.replace("<f8", "|f8")),
        "descr-trailing": v_with(plain.replace("<f8", "<f8x")),
        "descr-two": v_with(plain.replace("<f8", "<f8,<f8")),
        "descr-leading-zero": v_with(plain.replace("<f8", "<f08")),
        "descr-boolean": npz(standard(Y=npy([1, 1], "b", descr="|b1"))),
        "descr-quarter": npz(standard(v=npy([1, -2], "b", descr="<f1"))),
        "header-other-end": v_with(plain + "x", pad=False),
        "descr-one": v_with(plain.replace("<f8", "<")),
        "descr-none": v_with(plain.replace("<f8", "")),
        "descr-signed": v_with(plain.replace("<f8", "<f+8")),
        "descr-underscore": v_with(plain.replace("<f8", "<f8_")),
        "descr-hexadecimal": v_with(plain.replace("<f8", "<f0x8")),
        "descr-zero": v_with(plain.replace("<f8", "<f0")),
        "descr-integer-no-order": npz(standard(Y=npy(Y, "q", descr="|i8"))),
        "order-twice": v_with(plain.replace("'shape'", "'fortran_order': False, 'shape'")),
        "shape-twice": v_with(plain.replace("'shape'", "'shape': (2,), 'shape'")),
        "shape-unsigned": v_with(plain.replace("(2,)", "(9223372036854775810,)")),
        "header-no-brace": v_with(plain.replace("{", " ")),
        "version-zero": npz(standard(v=npy(V).replace(b"NUMPY\x01", b"NUMPY\x00"))),
        "header-four-bytes": npz(standard(v=b"\x93NUMPY\x02\x00\x01\x00\x00")),
        "descr-half-byte": npz(standard(v=npy(V, "e", descr="|f2"))),
    }


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
    corpus.case("malformed", "json-gzip-twice", packed + gzip.compress(b" ", mtime=0), certificate, "2",
                "json-gzip-twice.json.gz")
    corpus.case("malformed", "json-gzip-split",
                gzip.compress(good[:50].encode(), mtime=0) + gzip.compress(good[50:].encode(), mtime=0),
                certificate, "2", "json-gzip-split.json.gz")
    corpus.case("malformed", "json-gzip-rest", packed + b"\0", certificate, "2", "json-gzip-rest.json.gz")
    corpus.case("malformed", "json-gzip-cut", packed[:-4], certificate, "2", "json-gzip-cut.json.gz")
    summed = packed[:3] + b"\2" + packed[4:10]
    summed += struct.pack("<H", zlib.crc32(summed) & 0xffff) + packed[10:]
    corpus.case("correct", "instance-header-sum-json-gz", summed, certificate, 0, "instance-header-sum.json.gz")
    for name, content in {
        "method": packed[:2] + b"\7" + packed[3:], "reserved-flag": packed[:3] + b"\x20" + packed[4:],
        "header-sum": summed[:10] + bytes([summed[10] ^ 1]) + summed[11:],
        "extra-beyond": packed[:3] + b"\4" + packed[4:10] + b"\xff\xff" + packed[10:],
        "name-open": packed[:3] + b"\x08" + packed[4:10] + packed[10:].replace(b"\0", b"\1"),
        "checksum": packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:],
        "length": packed[:-4] + bytes([packed[-4] ^ 1]) + packed[-3:],
        # Numbers whose value is small and whose text is not.
        "long-hexadecimal": gzip.compress(good.replace("0.25", f'"0x1{"0" * 2 ** 22}p-65536"').encode(), mtime=0),
        "many-bits": gzip.compress(good.replace("0.25", f'"0x{"f" * 2 ** 22}p1"').encode(), mtime=0),
        "many-digits": gzip.compress(good.replace("0.25", '"' + "/".join(["9" * 5060000] * 2) + '"').encode(), mtime=0),
        "long-decimal": gzip.compress(good.replace("0.25", f'"{"0" * 5592406}"').encode(), mtime=0),
    }.items():
        corpus.case("malformed", f"json-gzip-{name}", content, certificate, "2", f"json-gzip-{name}.json.gz")
    corpus.case("malformed", "json-deflated", zlib.compress(good.encode()), certificate, "2", "json-deflated.json")
