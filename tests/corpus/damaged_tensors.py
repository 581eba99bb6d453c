"""Safetensors files of the instance of instance_files: correct/ has the legal ways of writing it, malformed/ the
illegal ones (exit 2)."""
import json
import struct

from instance_files import V, X, Y, Z, flat, shape

CODES = {"F16": "e", "F32": "f", "F64": "d", "I8": "b", "I16": "h", "I32": "i", "I64": "q", "U8": "B", "U64": "Q"}


def tensors(arrays, order=None, metadata=None):
    """(header, data) of key -> (type, nested list), whose data lie in that order; the header's is `order`."""
    header, data = {}, b""
    for key, (kind, value) in arrays.items():
        numbers = flat(value)
        if kind == "BF16":
            content = b"".join(struct.pack("<f", number)[2:] for number in numbers)
        else:
            content = struct.pack(f"<{len(numbers)}{CODES[kind]}", *numbers)
        header[key] = {"dtype": kind, "shape": list(shape(value)),
                       "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    header = {key: header[key] for key in order or header}
    return ({"__metadata__": metadata} if metadata is not None else {}) | header, data


def file(header, data, size=None, tail=b""):
    text = (header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()) + tail
    return struct.pack("<Q", len(text) if size is None else size) + text + data


def standard(**changes):
    arrays = {"X": ("F64", X), "Y": ("I64", Y), "v": ("F64", V), "z": ("F64", Z)} | changes
    return {key: value for key, value in arrays.items() if value is not None}


def legal():
    """name -> file of the same instance."""
    spaced = json.dumps(tensors(standard())[0], indent=1).encode()
    return {
        "float64": file(*tensors(standard())),
        "float32": file(*tensors(standard(X=("F32", X), v=("F32", V), z=("F32", Z)))),
        "float16": file(*tensors(standard(X=("F16", X), v=("F16", V)))),
        "bfloat16": file(*tensors(standard(X=("BF16", X), v=("BF16", V), z=("BF16", Z)))),
        "integers": file(*tensors(standard(Y=("I8", Y), v=("I16", [1, -2]), z=("I32", [[1, 2, 0], [0, 1, -1]])))),
        "metadata": file(*tensors(standard(), metadata={"format": "pt"})),
        "no-metadata": file(*tensors(standard(), metadata={})),
        "padded-header": file(*tensors(standard()), tail=b" " * 7),
        "spaces": file(spaced, tensors(standard())[1]),
        "order-of-data": file(*tensors(dict(reversed(standard().items())))),
        "order-of-header": file(*tensors(standard(), order=["z", "X", "v", "Y"])),
        "columns": file(*tensors(standard(Y=("F32", [[1], [-1]]), v=("F64", [[entry] for entry in V])))),
        "lengths": file(*tensors(standard(X=("F16", [row for group in X for row in group]), lengths=("U8", [3, 3])))),
        "padding": file(*tensors(standard(X=("F16", [[*group, [float("nan"), float("inf")]] for group in X]),
                                          lengths=("U64", [3, 3])))),
    }


# The good file, of which each of the following is wrong in one place.
HEADER, DATA = tensors(standard())
TEXT = json.dumps(HEADER, separators=(",", ":")).encode()
GOOD = file(HEADER, DATA)
FIRST, END = HEADER["v"]["data_offsets"]
LAST = HEADER["z"]["data_offsets"][1]


def changed(key="v", **fields):
    new = {**HEADER, key: {**HEADER[key], **fields}}
    return file({name: {k: v for k, v in entry.items() if v is not ...} for name, entry in new.items()}, DATA)


def replaced(old, new, count=1):
    assert old in TEXT, old
    return file(TEXT.replace(old, new, count), DATA)


def wrong_sizes():
    return {
        "empty": b"", "seven-bytes": b"\0" * 7, "size-only": struct.pack("<Q", 0),
        "size-zero": file(HEADER, DATA, size=0), "size-short": file(HEADER, DATA, size=len(TEXT) - 1),
        "size-long": file(HEADER, DATA, size=len(TEXT) + 1), "size-one": file(HEADER, DATA, size=1),
        "size-file": file(HEADER, DATA, size=len(GOOD)), "size-beyond": file(HEADER, DATA, size=len(GOOD) - 7),
        "size-2-32": file(HEADER, DATA, size=2 ** 32 + len(TEXT)),
        "size-2-55": file(HEADER, DATA, size=2 ** 55), "size-2-56": file(HEADER, DATA, size=2 ** 56 + len(TEXT)),
        "size-2-63": file(HEADER, DATA, size=2 ** 63), "size-most": file(HEADER, DATA, size=2 ** 64 - 1),
        "size-big-endian": struct.pack(">Q", len(TEXT)) + TEXT + DATA,
        "no-size": TEXT + DATA, "cut-in-header": GOOD[:100], "cut-at-header": GOOD[:8 + len(TEXT)],
        "cut-in-data": GOOD[:-1], "data-long": GOOD + b"\0", "twice": GOOD + GOOD,
    }


def wrong_headers():
    return {
        "header-list": file(b"[]", DATA), "header-empty": file(b"{}", b""),
        "header-spaces-before": file(b" " + TEXT, DATA),
        "header-byte-order-mark": file(b"\xef\xbb\xbf" + TEXT, DATA), "header-zero-after": file(TEXT + b"\0", DATA),
        "header-text-after": file(TEXT + b"x", DATA), "header-two": file(TEXT + TEXT, DATA),
        "header-cut": file(TEXT[:-1], DATA), "header-comma": file(TEXT[:-1] + b",}", DATA),
        "header-single-quotes": file(TEXT.replace(b'"', b"'"), DATA),
        "header-duplicate": file(TEXT[:-1] + b',"X":' + json.dumps(HEADER["X"]).encode() + b"}", DATA),
        "header-duplicate-escaped": file(TEXT[:-1] + b',"\\u0058":' + json.dumps(HEADER["X"]).encode() + b"}", DATA),
        "header-not-utf-8": replaced(b'"X"', b'"X\xff"'),
        "header-utf-16": file(json.dumps(HEADER).encode("utf-16"), DATA),
    }


def wrong_keys_and_metadata():
    return {
        "unknown-key": file(*tensors(standard(weight=("F64", V)))), "missing-key": file(*tensors(standard(v=None))),
        "key-lower-case": replaced(b'"X"', b'"x"'), "key-empty": replaced(b'"X"', b'""'),
        "metadata-number": file({"__metadata__": {"n": 1}, **HEADER}, DATA),
        "metadata-list": file({"__metadata__": {"n": ["a"]}, **HEADER}, DATA),
        "metadata-object": file({"__metadata__": {"n": {}}, **HEADER}, DATA),
        "metadata-null": file({"__metadata__": None, **HEADER}, DATA),
        "metadata-text": file({"__metadata__": "pt", **HEADER}, DATA),
        "metadata-not-ascii": file({"__metadata__": {"author": "\u00e9"}, **HEADER}, DATA),
        "metadata-key-not-ascii": file({"__metadata__": {"author\u00e9": "e"}, **HEADER}, DATA),
        "shape-unopened": replaced(b'"shape":[2,3,2]', b'"shape":2,3,2]'),
        "offsets-open": replaced(b'"data_offsets":[0,96]', b'"data_offsets":[0,96'),
        "offsets-back": changed(data_offsets=[FIRST, FIRST - 8]),
        "metadata-not-ascii-raw": file(json.dumps({"__metadata__": {"author": "\u00e9"}, **HEADER},
                                                  ensure_ascii=False).encode(), DATA),
        "metadata-duplicate": replaced(b"{", b'{"__metadata__":{"a":"1","a":"2"},'),
        "metadata-twice": replaced(b"{", b'{"__metadata__":{},"__metadata__":{},'),
        "metadata-unclosed": replaced(b"{", b'{"__metadata__":{"a":"1",'),
    }


def wrong_tensors():
    return {
        "tensor-number": file({**HEADER, "v": 1}, DATA), "tensor-list": file({**HEADER, "v": []}, DATA),
        "tensor-text": file({**HEADER, "v": "F64"}, DATA), "tensor-empty": file({**HEADER, "v": {}}, DATA),
        "tensor-null": file({**HEADER, "v": None}, DATA),
        "no-dtype": changed(dtype=...), "no-shape": changed(shape=...), "no-offsets": changed(data_offsets=...),
        "extra-field": changed(strides=[1]), "extra-field-text": changed(layout="C"),
        "field-twice": replaced(b'"dtype":"F64"', b'"dtype":"F64","dtype":"F64"'),
        "dtype-boolean": changed(dtype="BOOL"), "dtype-float8": changed(dtype="F8_E4M3"),
        "dtype-lower-case": changed(dtype="f64"), "dtype-numpy": changed(dtype="<f8"),
        "dtype-empty": changed(dtype=""),
        "dtype-number": changed(dtype=64), "dtype-list": changed(dtype=["F64"]),
        "dtype-complex": changed(dtype="C64"),
        "dtype-narrower": changed(dtype="F32"), "dtype-padded": changed(dtype="F64 "),
    }


def wrong_shapes():
    return {
        "shape-number": changed(shape=2), "shape-text": changed(shape="2"), "shape-null": changed(shape=None),
        "shape-nested": changed(shape=[[2]]), "shape-fraction": changed(shape=[2.0]), "shape-exponent":
        replaced(b'"shape":[2],"data_offsets":[%d' % FIRST, b'"shape":[2e0],"data_offsets":[%d' % FIRST),
        "shape-negative": changed(shape=[-2]),
        "shape-minus-zero": replaced(b'"data_offsets":[0,', b'"data_offsets":[-0,'),
        "shape-leading-zero": replaced(b'"shape":[2],"data_offsets":[%d' % FIRST,
                                       b'"shape":[02],"data_offsets":[%d' % FIRST),
        "shape-text-entry": changed(shape=["2"]), "shape-true": changed(shape=[True]),
        "shape-object": changed(shape={}),
        "shape-scalar": changed(shape=[]), "shape-zero": changed(shape=[0]), "shape-small": changed(shape=[1]),
        "shape-large": changed(shape=[3]), "shape-row": changed(shape=[1, 2]),
        "shape-four": changed("X", shape=[1, 2, 3, 2]),
        "shape-overflow": changed(shape=[2 ** 63, 4]), "shape-wraps": changed(shape=[2 ** 61 + 2]),
        "shape-beyond-64": changed(shape=[2 ** 64 + 2]), "shape-huge": changed(shape=[10 ** 30]),
    }


def wrong_offsets():
    return {
        "offsets-one": changed(data_offsets=[FIRST]), "offsets-three": changed(data_offsets=[FIRST, END, END]),
        "offsets-none": changed(data_offsets=[]), "offsets-reversed": changed(data_offsets=[END, FIRST]),
        "offsets-empty": changed(data_offsets=[FIRST, FIRST]),
        "offsets-short": changed(data_offsets=[FIRST, END - 8]),
        "offsets-overlap": changed(data_offsets=[FIRST - 8, END - 8]),
        "offsets-gap": changed(data_offsets=[FIRST + 8, END + 8]),
        "offsets-of-other": changed(data_offsets=HEADER["Y"]["data_offsets"]),
        "offsets-beyond": changed("z", data_offsets=[END, LAST + 8]),
        "offsets-late": changed("z", data_offsets=[END + 8, LAST + 8]),
        "offsets-negative": changed(data_offsets=[-16, 0]),
        "offsets-fraction": changed(data_offsets=[float(FIRST), float(END)]),
        "offsets-huge": changed("z", data_offsets=[END, 2 ** 63]),
        "offsets-wrap": changed("z", data_offsets=[END, 2 ** 64 - 1]),
        "offsets-beyond-64": changed("z", data_offsets=[END, 2 ** 64]),
        "offsets-text": changed(data_offsets=[str(FIRST), str(END)]),
        "offsets-nested": changed(data_offsets=[[FIRST, END]]),
        "hole-at-front": file({key: {**entry, "data_offsets": [at + 8 for at in entry["data_offsets"]]}
                               for key, entry in HEADER.items()}, b"\0" * 8 + DATA),
        "overlap-at-end": file({**HEADER, "z": {**HEADER["z"], "data_offsets": [END - 8, LAST - 8]}}, DATA[:-8]),
    }


def wrong_values():
    return {
        "nan": file(*tensors(standard(v=("F16", [1.0, float("nan")])))),
        "infinity": file(*tensors(standard(v=("BF16", [float("inf"), 1.0])))),
        "infinity-float32": file(*tensors(standard(z=("F32", [[1.0, 2.0, float("-inf")], Z[1]])))),
        "label-zero": file(*tensors(standard(Y=("U8", [1, 0])))),
        "label-half": file(*tensors(standard(Y=("F16", [1, 0.5])))),
        "labels-row": file(*tensors(standard(Y=("I8", [[1, -1]])))),
        "lengths-sum": file(*tensors(standard(X=("F64", [row for group in X for row in group]),
                                              lengths=("U8", [3, 2])))),
        "scores-and-Y": file(*tensors(standard(scores=("F64", [[1, 2, 3], [4, 5, 6]])))),
        "query-beyond": file(*tensors(standard(z=None, query=("I64", -4)))),
        "nesting": file(b"{" * 5000, b""), "nesting-lists": file(b'{"X":{"shape":' + b"[" * 5000, b""),
        "string-open": file(b'{"X', b""), "string-control": replaced(b'"F64"', b'"F\n64"'),
        "header-number": file(b"1", b""), "header-null": file(b"null", b""),
    }


def illegal():
    """name -> file."""
    return {**wrong_sizes(), **wrong_headers(), **wrong_keys_and_metadata(), **wrong_tensors(),
            **wrong_shapes(), **wrong_offsets(), **wrong_values()}


def write(corpus):
    _, certificate = corpus.base("plain-c")
    for name, content in legal().items():
        corpus.case("correct", f"tensors-{name}", content, certificate, 0, f"tensors-{name}.safetensors")
    for name, content in illegal().items():
        if content == GOOD:
            raise SystemExit(f"{name}: nothing damaged")
        corpus.case("malformed", f"tensors-{name}", content, certificate, "2", f"tensors-{name}.safetensors")
