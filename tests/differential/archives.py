"""Random files of instances: npz as NumPy and zipfile write it or put together field by field, safetensors,
JSON, and damage to them."""
import gzip
import io
import json
import struct
import zipfile
import zlib

import numpy

INTERESTING = (0, 1, 2, 4, 8, 20, 22, 24, 28, 30, 44, 45, 46, 56, 63, 76, 255, 0x800, 0x7075, 2 ** 15,
               2 ** 16 - 1,
               2 ** 31, 2 ** 32 - 1, 2 ** 62, 2 ** 63, 2 ** 64 - 1)
TYPES = ("f8", "f8", "f8", "f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


# Instances.

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
    if rng.random() < 0.2:
        table = tokens(1)
        arrays["scores"] = table[..., 0] if rng.random() < 0.7 else table
    if rng.random() < 0.15:
        arrays["y"] = column(rng, integers(rng, [rng.randrange(length + (rng.random() < 0.05)) for length in lengths]))
        if rng.random() < 0.6:
            arrays["head"] = numpy.array(rng.choice(("cross-entropy", b"cross-entropy", "cross-entropy", "linear")))
        if rng.random() < 0.9:
            arrays.pop("scores", None)
    if not {"scores", "y"} & set(arrays) or rng.random() < 0.03:
        arrays["Y"] = column(rng, integers(rng, [rng.choice((1, -1)) for _ in range(n)]))
        arrays["v"] = column(rng, numbers(rng, (d,)))
    setting, right = rng.choice(("self", "query", "last", "z", "K")), d
    if setting == "query":
        place = rng.randrange(-min(lengths), min(lengths)) + (rng.random() < 0.05) * rng.choice((-9, 9))
        arrays["query"] = integers(rng, [place]).reshape(rng.choice(((), (1,))))
    elif setting == "last":
        arrays["query"] = numpy.array(rng.choice(("last", b"last")))
    elif setting == "z":
        right = rng.randint(1, 3)
        arrays["z"] = numbers(rng, (n, right))
    elif setting == "K":
        d = rng.randint(1, 3)
        arrays["K"] = tokens(d)
        right = 1
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
        arrays["W0"] = numbers(rng, rng.choice(((d, 1), (d,))) if setting == "K" else (d, right))
    order = list(arrays)
    rng.shuffle(order)
    return {key: arrays[key] for key in order}


# Arrays as npy files, and damage to them.

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


# Archives.

class Stream:
    """A file that cannot seek."""

    def __init__(self):
        self.content = b""

    def write(self, data):
        self.content += bytes(data)
        return len(data)

    def flush(self):
        pass


def by_zipfile(rng, members):
    """As zipfile writes members: in one go or as a stream, with zip64 fields or without."""
    kind = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    streamed, wide = rng.random() < 0.3, rng.random() < 0.5
    out = Stream() if streamed else io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, content in members:
            if rng.random() < 0.3:
                archive.writestr(name, content)
            else:
                with archive.open(name, "w", force_zip64=wide) as member:
                    member.write(content)
        if rng.random() < 0.02:
            archive.comment = rng.choice((b"comment", b"\0" * 30, b"PK\5\6" + b"\0" * 18))
    return out.content if streamed else out.getvalue()


class Record(dict):
    """Fields of a zip record in order: name -> (width, value), or (None, bytes)."""

    def bytes(self):
        return b"".join(value if width is None else (value % 256 ** width).to_bytes(width, "little")
                        for width, value in self.values())

    def deviate(self, rng):
        name = rng.choice([name for name, (width, _) in self.items() if width is not None])
        width, value = self[name]
        self[name] = (width, rng.choice((rng.choice(INTERESTING), value + 1, value - 1,
                                         value ^ 1 << rng.randrange(8 * width),
                                         rng.choice([value for width, value in self.values()
                                                     if width is not None]))))


def zip64_field(rng, values):
    content = b"".join(struct.pack("<Q", value) for value in values)
    return struct.pack("<HH", 1, len(content)) + content


def by_hand(rng, members, deviations):
    """An archive put together record by record, with that many fields set to something else."""
    pieces, directory, records = [], [], []
    wide_sizes, wide_places, full = rng.random() < 0.4, rng.random() < 0.3, 2 ** 32 - 1
    timestamps = rng.random() < 0.2
    place = 0
    for name, content in members:
        method = rng.choice((0, 8))
        deflater = zlib.compressobj(rng.randint(1, 9), zlib.DEFLATED, -15)
        data = deflater.compress(content) + deflater.flush() if method else content
        later = rng.random() < 0.2
        flags = (8 if later else 0) | rng.choice((0, 0, 0, 2, 4, 0x800))
        crc, sizes = zlib.crc32(content), (len(data), len(content))
        shown = (full, full) if wide_sizes else sizes
        local_sizes = (0, 0) if later else sizes
        other = struct.pack("<HHB", 0x5455, 1, 0) if timestamps else b""
        local_extra = other + (zip64_field(rng, local_sizes[::-1]) if wide_sizes or rng.random() < 0.2
                               else b"")
        central_extra = other
        if wide_sizes or wide_places:
            central_extra += zip64_field(rng, (sizes[::-1] if wide_sizes else ())
                                         + ((place,) if wide_places else ()))
        version = 45 if wide_sizes else 20
        name = name.encode()
        local = Record(signature=(4, 0x04034b50), version=(2, version), flags=(2, flags), method=(2, method),
                       time=(4, 33 << 16),
                       crc=(4, 0 if later else crc),
                       compressed=(4, shown[0] if wide_sizes else local_sizes[0]),
                       size=(4, shown[1] if wide_sizes else local_sizes[1]), name_size=(2, len(name)),
                       extra_size=(2, len(local_extra)), name=(None, name), extra=(None, local_extra))
        central = Record(signature=(4, 0x02014b50), made=(2, version), version=(2, version), flags=(2, flags),
                         method=(2, method),
                         time=(4, 33 << 16), crc=(4, crc), compressed=(4, shown[0]), size=(4, shown[1]),
                         name_size=(2, len(name)), extra_size=(2, len(central_extra)), comment=(2, 0),
                         disk=(2, 0),
                         internal=(2, 0), external=(4, rng.choice((0, 0o600 << 16))),
                         offset=(4, full if wide_places else place),
                         name=(None, name), extra=(None, central_extra))
        width = 8 if b"\1\0\x10\0" == local_extra[-20:-16] else 4
        after = Record(signature=(4, 0x08074b50), crc=(4, crc), compressed=(width, sizes[0]),
                       size=(width, sizes[1]))
        pieces += [local, Record(data=(None, data))] + ([after] if later else [])
        directory.append(central)
        records += [local, central] + ([after] if later else [])
        place += len(local.bytes()) + len(data) + (len(after.bytes()) if later else 0)
    size, count = sum(len(record.bytes()) for record in directory), len(members)
    end = Record(signature=(4, 0x06054b50), disk=(2, 0), disk2=(2, 0), here=(2, count), count=(2, count),
                 size=(4, size),
                 start=(4, place), comment=(2, 0))
    tail = [end]
    if rng.random() < 0.3:
        wide = Record(signature=(4, 0x06064b50), length=(8, 44), made=(2, 45), version=(2, 45), disk=(4, 0),
                      disk2=(4, 0),
                      here=(8, count), count=(8, count), size=(8, size), start=(8, place))
        locator = Record(signature=(4, 0x07064b50), disk=(4, 0), place=(8, place + size), disks=(4, 1))
        tail = [wide, locator, end]
        if rng.random() < 0.5:
            end.update(here=(2, 0xffff), count=(2, 0xffff), size=(4, full), start=(4, full))
    records += tail + tail
    for _ in range(deviations):
        rng.choice(records).deviate(rng)
    everything = pieces + directory + tail
    if deviations and rng.random() < 0.2:
        way = rng.randrange(4)
        a, b = rng.randrange(len(everything)), rng.randrange(len(everything))
        if way == 0:
            everything[a], everything[b] = everything[b], everything[a]
        elif way == 1:
            everything.insert(a, everything[b])
        elif way == 2:
            del everything[a]
        else:
            everything.insert(a, Record(gap=(None, rng.randbytes(rng.choice((1, 4, 22))))))
    return b"".join(record.bytes() for record in everything)


def damaged(rng, archive, other):
    """Bytes of the archive changed, or put together with those of another."""
    way = rng.randrange(12)
    signatures = [at for at in range(len(archive) - 3) if archive[at:at + 2] == b"PK" and archive[at + 2] < 8]
    at = rng.randrange(len(archive))
    if signatures and rng.random() < 0.7:
        at = min(rng.choice(signatures) + rng.randrange(56), len(archive) - 1)
    if way < 4:
        return archive[:at] + bytes((archive[at] ^ 1 << rng.randrange(8),)) + archive[at + 1:]
    if way == 4:
        return archive[:at] + bytes((rng.choice((0, 1, 255, rng.randrange(256))),)) + archive[at + 1:]
    if way == 5:
        width = rng.choice((2, 4, 8))
        value = (rng.choice(INTERESTING) % 256 ** width).to_bytes(width, "little")
        return archive[:at] + value + archive[at + width:]
    if way == 6:
        return archive[:at] + archive[at + rng.choice((1, 2, 4, 22, rng.randrange(1, 300))):]
    if way == 7:
        piece = rng.choice((b"\0", b"PK\5\6" + b"\0" * 18, other[:rng.randrange(1, 300)],
                            rng.randbytes(rng.randrange(1, 40))))
        return archive[:at] + piece + archive[at:]
    if way == 8:  # in the other's comment, with a comment's length that is right or nearly
        length = len(archive) + rng.choice((0, 0, 1, -1))
        tail = archive[:-2] + struct.pack("<H", rng.choice((0, 0, 1, 7)))
        return other[:-2] + struct.pack("<H", length % 65536) + tail
    if way == 9:  # one behind the other
        return archive + other if rng.random() < 0.5 else other + archive
    if way == 10:  # a piece of another file
        end = min(len(other), at + rng.randrange(1, 200))
        return archive[:at] + other[at:end] + archive[end:]
    return archive[:at] if rng.random() < 0.5 else archive + rng.randbytes(rng.choice((1, 2, 22)))


# Safetensors.

NAMES = {"f2": "F16", "f4": "F32", "f8": "F64", 
         **{f"{k}{w}": f"{k.upper()}{8 * w}" for k in "iu" for w in (1, 2, 4, 8)}}


def tensors(rng):
    """(bytes, whether anything was damaged) of a safetensors file."""
    arrays = instance(rng)
    if arrays.get("query") is not None and arrays["query"].dtype.kind in "US":
        arrays["query"] = numpy.array(-1)
    arrays.pop("head", None)  # a text, which tensors have no type for; y says enough
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


# JSON.

def token(rng, value):
    """A number of a random form: a JSON number or a string."""
    way = rng.randrange(12)
    if way == 0:
        return f'"{rng.randint(-9, 9)}/{rng.randint(0 if rng.random() < 0.02 else 1, 9)}"'
    if way == 1:
        return f'"{rng.randint(-9, 9)}*2^{rng.choice((0, 1, -1, 40, -1080, 65536, 65537, "+3", "03"))}"'
    if way == 2:
        sign, digits = rng.choice(("", "-", "+")), rng.choice(("1", "1.8", ".8", "ffFF", "0", "1.", ""))
        return f'"{sign}0x{digits}{rng.choice(("", "p3", "p-2", "P+1"))}"'
    if way == 3:
        return rng.choice(("1e308", "1.8e308", "5e-324", "2e-324", "3e-324", "-1E-400", "0e99999", "0e-70000",
                           "1e400",
                           "-0", "-0.0", "0.1", "1E2", "12345678901234567890", "18446744073709551616",
                           "1" + "0" * 309,
                           "1" + "0" * 308, "9007199254740993", "-9223372036854775808",
                           "0.30000000000000000000000000001"))
    if way == 4:
        return rng.choice(("01", "1.", ".5", "+1", "1e", "-", "NaN", "Infinity", "null", "true", "0x1", '""',
                           '" 1"', '"1e5"',
                           '".5"', '"5."', '"."', '"1e70000"', '"\\u0031"', '"\\u002d1"', '"1\\/2"', '"inf"',
                           '"--1"', "[1]", "{}"))
    if way == 5:
        return f'"{value!r}"'
    return repr(value)


def text(rng):
    """(bytes, whether anything was damaged) of an instance in JSON."""
    n, T, d = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)
    lengths = [rng.randint(1, T) for _ in range(n)] if rng.random() < 0.4 else [T] * n
    damage = rng.random() < 0.6

    def entry():
        value = rng.choice((rng.randint(-9, 9), rng.uniform(-2, 2), rng.randint(-9, 9) / 4))
        return token(rng, value) if damage and rng.random() < 0.1 else repr(value)

    def listing(*shape):
        return "[" + ", ".join(listing(*shape[1:]) if len(shape) > 1 else entry()
                               for _ in range(shape[0])) + "]"

    def ragged(width):
        return "[" + ", ".join(listing(length, width) for length in lengths) + "]"

    parts = {"X": ragged(d)}
    if rng.random() < 0.2:
        parts["scores"] = rng.choice(("[" + ", ".join(listing(length) for length in lengths) + "]", ragged(1),
                                      listing(n, T), listing(sum(lengths)), ragged(d)))
    if rng.random() < 0.15:
        targets = [rng.randrange(length + (rng.random() < 0.05)) for length in lengths]
        parts["y"] = str(rng.choice((targets, targets, [[t] for t in targets])))
        if rng.random() < 0.6:
            parts["head"] = rng.choice(('"cross-entropy"', '"cross-entropy"', '"cross-\\u0065ntropy"', '"relu"',
                                        '["cross-entropy"]', "0"))
        if rng.random() < 0.9:
            parts.pop("scores", None)
    if not {"scores", "y"} & set(parts) or rng.random() < 0.03:
        labels = [rng.choice((1, -1)) for _ in range(n)]
        parts["Y"] = str(rng.choice((labels, [[label] for label in labels])))
        parts["v"] = rng.choice((listing(d), listing(d), listing(d, 1)))
    if rng.random() < 0.15:
        parts["offsets"] = rng.choice(("[" + ", ".join(listing(length) for length in lengths) + "]", ragged(1),
                                       listing(n, T), listing(sum(lengths)), ragged(d)))
    layout = rng.random()
    if layout < 0.1:
        parts["X"], parts["lengths"] = listing(sum(lengths), d), str(lengths)
    elif layout < 0.2:
        parts["X"], parts["lengths"] = listing(n, T, d), str(lengths)
    elif layout < 0.22:
        parts["lengths"] = str(lengths)
    setting = rng.randrange(6)
    if setting == 0:
        parts["query"] = rng.choice(("0", "[0]", "-1", str(-min(lengths)), str(-T), "-1.0", '"last"', '"0"', "[[0]]",
                                     str(min(lengths) - 1), '["0"]', '"\\u006cast"', "0.0", "0e0"))
    elif setting == 1:
        parts["z"] = listing(n, rng.randint(1, 2))
    elif setting == 2:
        m = rng.randint(1, 2)
        parts["K"] = rng.choice((ragged(m), listing(n, T, m), listing(sum(lengths), m)))
    if rng.random() < 0.1:
        parts["alpha"] = str([rng.randint(0, length) for length in lengths])
    if rng.random() < 0.1:
        parts["counts"] = str([rng.choice((1, 2, 3)) for _ in range(sum(lengths))])
    if rng.random() < 0.1:
        parts["W0"] = listing(*rng.choice(((d, d), (d, 1), (d,), (d, 2), (1,), (1, 1), (2, 1), (2,))))
    pairs = [(f'"{key}"', value) for key, value in parts.items()]
    rng.shuffle(pairs)
    if damage and rng.random() < 0.1:
        key = rng.choice(pairs)[0].strip('"')
        pairs.append((rng.choice((f'"{key}"', f'"\\u{ord(key[0]):04x}{key[1:]}"',
                                  f'"\\u{ord(key[0]):04X}{key[1:]}"', '"x"', '""')), "[1]"))
    elif rng.random() < 0.1:
        key, value = pairs[0]
        pairs[0] = f'"\\u{ord(key[1]):04x}{key[2:]}', value
    space = rng.choice(("", " ", "\n", "\r\n\t"))
    data = ("{" + (space + "," + space).join(key + space + ":" + space + value for key, value in pairs) + "}"
            + space).encode()
    if damage and rng.random() < 0.4:
        at = rng.randrange(len(data) + 1)
        piece = rng.choice((b"", b"\0", b",", b"]", b"[", b"}", b'"', b"\\", b"\xff", b"\xc3\xa9",
                            b"\xed\xa0\x80", b"\f", b"1", b"-", b"\\ud800",
                            b"//", b"\xef\xbb\xbf", b"{}", bytes((rng.randrange(256),))))
        data = rng.choice((data[:at] + piece + data[at + rng.randrange(2):], data + piece, piece + data,
                           data + b"\0" + data))
    if rng.random() < 0.2:
        packed = gzip.compress(data, mtime=0)
        way = rng.randrange(6) if damage else 9
        if way == 0:
            packed += rng.choice((b"\0", packed, gzip.compress(b""), b"\x1f\x8b"))
        elif way == 1:
            packed = packed[:-rng.randrange(1, 20)]
        elif way == 2:
            at = rng.randrange(len(packed))
            packed = packed[:at] + bytes((packed[at] ^ 1 << rng.randrange(8),)) + packed[at + 1:]
        elif way == 3:
            packed = gzip.compress(data[:9], mtime=0) + gzip.compress(data[9:], mtime=0)
        data = packed
    return data, damage


# Archives and texts.

def archive(rng):
    """(bytes, whether anything was damaged) of an npz file."""
    arrays = instance(rng)
    way = rng.random()
    if way < 0.2:
        out = io.BytesIO()
        rng.choice((numpy.savez, numpy.savez_compressed))(out, **arrays)
        whole, touched = out.getvalue(), False
    else:
        members = [(key + ".npy", npy(rng, array)) for key, array in arrays.items()]
        touched = rng.random() < 0.3
        if touched:
            k = rng.randrange(len(members))
            members[k] = (members[k][0], damaged_npy(rng, members[k][1]))
        if rng.random() < 0.03:
            members.append(rng.choice((members[0], ("x.npy", members[0][1]), ("X", members[0][1]),
                                       ("./X.npy", members[0][1]))))
            touched = True
        if way < 0.4:
            whole = by_zipfile(rng, members)
        else:
            deviations = rng.choice((0, 0, 1, 1, 1, 2)) if not touched else 0
            touched = touched or deviations > 0
            whole = by_hand(rng, members, deviations)
    return whole, touched
