"""Random safetensors files, and damage to them."""
import gzip
import json
import struct

import numpy

from instances import instance

NAMES = {"f2": "F16", "f4": "F32", "f8": "F64", 
         **{f"{k}{w}": f"{k.upper()}{8 * w}" for k in "iu" for w in (1, 2, 4, 8)}}


def tensors(rng):
    """(bytes, whether anything was damaged) of a safetensors file."""
    arrays = {"setting": None}
    while "setting" in arrays:  # a text, which tensors have no type for
        arrays = instance(rng)
    if arrays.get("query") is not None and arrays["query"].dtype.kind in "US":
        arrays["query"] = numpy.array(-1)
    arrays.pop("head", None)  # where it is cross-entropy, y says enough
    header, pieces, at = {}, [], 0
    for key, array in arrays.items():
        kind, content = NAMES[array.dtype.str[1:]], array.astype(array.dtype.newbyteorder("<")).tobytes()
        if key in ("X", "v", "K", "z", "W0", "scores", "offsets") and rng.random() < 0.2:  # any 16 bits that are finite
            words = [rng.randrange(2 ** 16) for _ in range(array.size)]
            words = [word if word & 0x7f80 != 0x7f80 or rng.random() < 0.001 else 0x3fc0 for word in words]
            kind, content = "BF16", struct.pack(f"<{array.size}H", *words)
        header[key] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + len(content)]}
        pieces.append(content)
        at += len(content)
    if rng.random() < 0.3:
        header["__metadata__"] = rng.choice(({}, {"format": "pt"}, {"a": "\\ \"", "b": "\t"}))
    damage = rng.random() < 0.6
    way = rng.randrange(9) if damage else 9
    body = b"".join(pieces)
    if way == 0:
        body = rng.choice((body[:-1], body + b"\0", body + pieces[0], body[1:]))
    elif way == 1:
        one = rng.choice([key for key in header if key != "__metadata__"])
        field, value = rng.choice((("dtype", rng.choice((*NAMES.values(), "BF16", "BOOL", "F8_E4M3", "f32", 4,
                                                         ["F32"]))),
                                   ("shape", rng.choice(([], [at], [1, 1, 1, 1], [0], "x", 3, [-1], [1.0], [[1]],
                                                         [2 ** 63, 2], [2 ** 64, 1], None))),
                                   ("data_offsets", rng.choice(([], [0], [0, at], [at, 0], [1, at + 1], [0, 0, at],
                                                                [0, 2 ** 64], [-1, at], [True, 8], {})))))
        header[one][field] = value
    elif way == 2:
        one = rng.choice([key for key in header if key != "__metadata__"])
        places = header[one]["data_offsets"]
        places[rng.randrange(2)] += rng.choice((1, -1, 8, -8, at))
    elif way == 3:
        one = rng.choice([key for key in header if key != "__metadata__"])
        rng.choice((lambda: header[one].pop(rng.choice(list(header[one]))),
                    lambda: header[one].update(extra=1), lambda: header.pop(one),
                    lambda: header.update(x=header[one]), lambda: header.update({one: []}),
                    lambda: header.update(__metadata__=rng.choice((1, [], "x", {"a": 1}, {"a": {}}, {"\u00e9": ""},
                                                                  {"a": "\u00e9"}, None)))))()
    order = list(header)
    rng.shuffle(order)
    text = json.dumps({key: header[key] for key in order}, ensure_ascii=rng.random() < 0.8,
                      separators=rng.choice(((",", ":"), (", ", ": "), (" ,\n", ":\t")))).encode()
    text += b" " * rng.choice((0, 0, 7, -len(text) % 8))
    if way == 4:
        at = rng.randrange(len(text) + 1)
        piece = rng.choice((b"", b"\0", b",", b"]", b"[", b"}", b'"', b"\\", b"\xff", b"\f", b"1", b"-", b"0",
                            b".", b"e1", bytes((rng.randrange(256),))))
        text = text[:at] + piece + text[at + rng.randrange(2):]
    elif way == 5:
        text = rng.choice((b" " + text, text + b"\0", text + b"{}", text + b"\n", b"", b"{}", b"[]", text.strip()[:-1],
                           text.strip()[:-1] + b"," + text[1:], b"\xef\xbb\xbf" + text))
    size = len(text)
    if way == 6:
        size += rng.choice((1, -1, 2 ** 32, 2 ** 56, 2 ** 63, len(body), len(body) + 1, -size))
    whole = struct.pack("<Q", size % 2 ** 64) + text + body
    if way == 7:
        at = rng.randrange(len(whole))
        whole = whole[:at] + bytes((whole[at] ^ 1 << rng.randrange(8),)) + whole[at + 1:]
    elif way == 8:
        whole = rng.choice((whole[:rng.randrange(len(whole))], whole * 2, gzip.compress(whole, mtime=0), whole[8:]))
    return whole, damage
