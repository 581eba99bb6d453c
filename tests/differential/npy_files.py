"""Arrays as npy files, and damage to them."""
import io
import struct

import numpy


def npy(rng, array):
    out = io.BytesIO()
    version = rng.choice(((1, 0), (1, 0), (2, 0), (3, 0), None))
    numpy.lib.format.write_array(out, array, version, allow_pickle=False)
    return out.getvalue()


def with_header(content, text, version=None):
    """The npy file with another header text."""
    wide = content[6] > 1
    size = struct.unpack_from("<I" if wide else "<H", content, 8)[0]
    body = content[(12 if wide else 10) + size:]
    version = version or content[6]
    return (b"\x93NUMPY" + bytes((version, 0)) + struct.pack("<H" if version == 1 else "<I", len(text))
            + text + body)


def header_text(content):
    wide = content[6] > 1
    start = 12 if wide else 10
    return content[start:start + struct.unpack_from("<I" if wide else "<H", content, 8)[0]]


def damaged_npy(rng, content):
    text = header_text(content)
    way = rng.randrange(11)
    if way == 0:  # characters
        at = rng.randrange(len(text))
        piece = rng.choice((b"", bytes((rng.choice(b"'\"{}(),: \n\t\\0123456789TFL<>|=fiuUSObrx#+-_."),))))
        return with_header(content, text[:at] + piece + text[at + rng.randrange(2):])
    if way == 1:  # another form of the same
        old, new = rng.choice(((b"'", b'"'), (b" ", b""), (b", }", b"}"), (b", }", b" , }"), (b"{", b"{ "),
                               (b"\n", b""),
                               (b"\n", b"\n\n"), (b"\n", b" \n" * 2), (b",)", b")"), (b"(", b"( "),
                               (b")", b",)"),
                               (b"<", b"="), (b"<", b""), (b"<", b">"), (b">", b"<"), (b"<", b"|"),
                               (b"|", b"<"),
                               (b"False", b"True"), (b"True", b"False"), (b"False", b"0"),
                               (b"'<f8'", b"'<f' '8'"),
                               (b"(", b"(0"), (b"(", b"(1, "), (b"(", b"(2, "), (b"(", b"(1,"), (b"8", b"4"),
                               (b"8", b"08"),
                               (b"4", b"8"), (b"f", b"i"), (b"i", b"u"), (b"u", b"i"), (b"f8", b"c16"),
                               (b"i8", b"M8[s]"),
                               (b"descr", b"DESCR"), (b"'descr'", b"'d' 'escr'"), (b"shape", b"\\x73hape")))
        return with_header(content, text.replace(old, new, rng.choice((1, -1))))
    if way == 2:  # entries twice, in another order, or left out
        marked = text.strip(b"{}, \n").replace(b", 'f", b"\0'f").replace(b", 's", b"\0's")
        parts = marked.split(b"\0")
        rng.shuffle(parts)
        parts = parts[:rng.choice((2, 3, 3))] + rng.choice(([], [], [rng.choice(parts)], [b"'more': 1"]))
        return with_header(content, b"{" + b", ".join(parts) + rng.choice((b"}", b", }", b",}"))
                           + b" " * rng.randrange(9) + b"\n")
    if way == 3:  # padding
        return with_header(content, text[:-1] + b" " * rng.choice((1, 7, 64, 9000, 10000 - len(text),
                                                                   10001 - len(text))) + b"\n",
                           rng.choice((1, 2, 3)))
    if way == 4:  # the prefix
        at = rng.randrange(12)
        byte = rng.choice((0, 1, 2, 3, 4, 0x93, rng.randrange(256)))
        return content[:at] + bytes((byte,)) + content[at + 1:]
    if way == 5:  # data too long or short
        size = rng.choice((1, 4, 8))
        return content + rng.randbytes(size) if rng.random() < 0.5 else content[:-size]
    if way == 6:  # data changed
        at = rng.randrange(len(content))
        return content[:at] + rng.randbytes(1) + content[at + 1:]
    if way == 7:  # an end record in the data
        comment = rng.choice((0, 2, 300, rng.randrange(2000)))
        return content[:-24] + b"PK\5\6" + b"\0" * 16 + struct.pack("<H", comment) + b"\0\0"
    if way == 8:
        return with_header(content, text, rng.choice((1, 2, 3, 4)))
    if way == 9:
        return with_header(content, text.rstrip() + rng.choice((b"", b" ", b" x\n", b"\n\n", b" \n ", b"#\n",
                                                                b"\t\n", text)))
    return with_header(content, rng.choice((b" ", b"\n", b"\t")) + text)
