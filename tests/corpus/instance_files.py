"""A small instance as files: npy arrays, and zip archives in every way that they are written."""
import io
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


def headers(archive, first, stop):
    """(begin, end) of every header of the directory."""
    places = []
    while first < stop:
        name, extra, comment = struct.unpack("<HHH", archive[first + 28:first + 34])
        places.append((first, first + 46 + name + extra + comment))
        first = places[-1][1]
    return places


def as_text(words):
    """An .npy file of strings."""
    width = max(len(word) for word in words)
    data = "".join(word.ljust(width, "\0") for word in words).encode("utf-32-le")
    dims = (len(words),) if len(words) > 1 else ()
    return npy([], descr=f"<U{width}", dimensions=dims) + data
