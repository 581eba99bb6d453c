"""npz instances, each wrong in one place."""
import struct
import zlib

from instance_files import (V, X, Y, as_text, end_record, headers, npy, npz, standard, streamed, wide)

# The archive that is right, and the places of its end record, first member and first header of the directory.
GOOD = npz(standard())
CENTRAL, LOCAL, FIRST = GOOD.rindex(b"PK\x05\x06"), GOOD.index(b"PK\x03\x04"), GOOD.index(b"PK\x01\x02")
NAN, INF = float("nan"), float("inf")
ROWS = [row for group in X for row in group]


def patched(offset, data, source=GOOD):
    return source[:offset] + data + source[offset + len(data):]


def x_with(value):
    return npy([[[value, 0.0], *X[0][1:]], X[1]])


def x_header(header, data=b"\0" * 96):
    return npz(standard(X=npy(X, header=header)[:-96] + data))


def wrong_values_and_members():
    return {
        "nan": npz(standard(X=x_with(NAN))),
        "infinity": npz(standard(X=x_with(INF))),
        "negative-infinity": npz(standard(v=npy([1.0, -INF]))),
        "float32-nan": npz(standard(v=npy([1.0, NAN], "f"))),
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
    }


def wrong_shapes():
    return {
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
    }


def wrong_npy_files():
    return {
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
    }


def wrong_data():
    return {
        "data-short": npz(standard(v=npy(V)[:-1])),
        "data-long": npz(standard(v=npy(V) + b"\0")),
        "data-missing": npz(standard(v=npy(V)[:-16])),
        "lengths-sum": npz(standard(X=npy(ROWS), lengths=npy([3, 2], "q"))),
        "lengths-negative": npz(standard(X=npy(ROWS), lengths=npy([7, -1], "q"))),
        "lengths-zero": npz(standard(X=npy(ROWS), lengths=npy([6, 0], "q"))),
        "lengths-overflow": npz(standard(X=npy(ROWS), lengths=npy([2 ** 63 - 1] * 2, "q"))),
        "lengths-fraction": npz(standard(X=npy(ROWS), lengths=npy([2.5, 3.5]))),
        "lengths-beyond-padding": npz(standard(lengths=npy([3, 4], "q"))),
        "lengths-missing": npz(standard(X=npy(ROWS))),
    }


def wrong_archives():
    return {
        "cut-in-data": GOOD[:len(GOOD) // 2],
        "cut-in-directory": GOOD[:FIRST + 20],
        "cut-in-end": GOOD[:-3],
        "checksum": patched(GOOD.index(struct.pack("<d", -0.5)), struct.pack("<d", -0.75)),
        "directory-checksum": patched(FIRST + 16, b"\0\0\0\0"),
        "directory-name": patched(FIRST + 46, b"Q"),
        "directory-offset": patched(FIRST + 42, b"\xff\xff\xff\x7f"),
        "directory-size": patched(FIRST + 20, b"\xff\xff\xff\x7f\xff\xff\xff\x7f"),
        "directory-size-zip64": patched(FIRST + 20, b"\xff\xff\xff\xff\xff\xff\xff\xff"),
        "end-count": patched(CENTRAL + 8, b"\x09\x00\x09\x00"),
        "end-offset": patched(CENTRAL + 16, b"\xff\xff\xff\x7f"),
        "method-unknown": patched(FIRST + 10, b"\x0c\x00", patched(LOCAL + 8, b"\x0c\x00")),
        "encrypted": patched(FIRST + 8, b"\x01\x00", patched(LOCAL + 6, b"\x01\x00")),
        "deflate-corrupt": patched(60, b"\xff\xff\xff\xff", npz(standard(), True)),
        "not-a-zip": b"PK\x03\x04" + b"\0" * 100,
        "end-record-only": GOOD[CENTRAL:],
        "stored-size": patched(FIRST + 24, struct.pack("<I", len(npy(X)) + 1),
                               patched(LOCAL + 22, struct.pack("<I", len(npy(X)) + 1))),
        "local-name": patched(LOCAL + 30, b"W"),
        "local-method": patched(LOCAL + 8, b"\x08\x00"),
        "end-count-of-disk": patched(CENTRAL + 8, b"\x03\x00"),
        "end-record-code": patched(CENTRAL + 2, b"\5\7"),
        "start-nan": npz(standard(W0=npy([[1.0, 2.0, 3.0], [4.0, 5.0, NAN]]))),
        "head-of-two": npz(standard(Y=None, v=None, y=npy([0, 0], "q"), head=as_text(["cross-entropy"] * 2))),
        "head-not-ascii": npz(standard(Y=None, v=None, y=npy([0, 0], "q"), head=as_text(["cross-entrop\u00fd"]))),
        "bfloat": npz(standard(v=npy([1, -2], "h", descr="<b2"))),
    }


def bombs():
    """A deflated member of 64 MB of zeros that says so, and members that claim other sizes."""
    header = str({"descr": "<f8", "fortran_order": False, "shape": (2, 3, 1398101)})
    bomb = npz([("X.npy", npy([], dimensions=(0,), header=header)
                 + b"\0" * (2 * 3 * 1398101 * 8)), *standard()[1:]], True)
    where = bomb.index(b"PK\x01\x02")
    packed = npz(standard(), True)
    longer = struct.pack("<I", len(npy(X)) + 8)
    small = struct.pack("<I", 4096)
    return {
        "bomb": bomb,
        "bomb-understated": patched(where + 24, small, patched(bomb.index(b"PK\x03\x04") + 22, small, bomb)),
        "deflated-size": patched(packed.index(b"PK\x01\x02") + 24, longer, patched(22, longer, packed)),
    }


def wrong_wide():
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


def wrong_readings(good):
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


def wrong_headers():
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
        "version-zero-wide": npz(standard(v=npy(V, version=2).replace(b"NUMPY\x02", b"NUMPY\x00"))),
        "header-four-bytes": npz(standard(v=b"\x93NUMPY\x02\x00\x01\x00\x00")),
        "descr-half-byte": npz(standard(v=npy(V, "e", descr="|f2"))),
    }


def illegal():
    """name -> file."""
    return {**wrong_values_and_members(), **wrong_shapes(), **wrong_npy_files(), **wrong_data(), **wrong_archives(),
            **wrong_wide(), **wrong_readings(GOOD), **wrong_headers(), **bombs()}
