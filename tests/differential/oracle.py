"""A slow reader of npz, safetensors and JSON instances that shares no code with the project: the rules of
certify/INSTANCES.md, "One file, one dataset", written down a second time. `read` gives named arrays or raises
Refused; instance_oracle.py says what instance they are."""
import ast
import fractions
import json
import math
import re
import struct
import zlib

KEYS = ("X", "lengths", "Y", "v", "scores", "K", "z", "query", "alpha", "W0", "counts", "offsets", "head", "y", "U",
        "A", "bias", "r", "setting")


class Refused(Exception):
    pass


def demand(holds, why):
    if not holds:
        raise Refused(why)


def fields(data, at, form):
    form = "<" + form
    demand(0 <= at <= len(data) - struct.calcsize(form), "outside the file")
    return struct.unpack_from(form, data, at)


def zip_members(data):
    """[(name, content)]: members, directory and end record one behind the other, nothing else."""
    demand(len(data) >= 22, "short")
    end = len(data) - 22
    signature, *disks, here, count, size, start, comment = fields(data, end, "4sHHHHIIH")
    demand(signature == b"PK\5\6" and disks == [0, 0] and here == count and comment == 0, "end record")
    for at in (match.start() for match in re.finditer(b"PK\5\6", data[:end])):
        demand(at + 22 + fields(data, at + 20, "H")[0] != len(data), "second end record")
    stop = end
    if end >= 76 and data[end - 20:end - 16] == b"PK\6\7":
        stop = end - 76
        record = fields(data, stop, "4sQHHIIQQQQ")
        signature, length, _, _, disk, disk2, here, count64, size64, start64 = record
        demand((signature, length, disk, disk2, here) == (b"PK\6\6", 44, 0, 0, count64), "zip64 record")
        demand(fields(data, end - 16, "IQI") == (0, stop, 1), "zip64 locator")
        for narrow, full, wide in ((count, 2 ** 16 - 1, count64), (size, 2 ** 32 - 1, size64),
                                   (start, 2 ** 32 - 1, start64)):
            demand(narrow in (full, wide), "zip64 record and end record")
        count, size, start = count64, size64, start64
    demand(start <= stop and size == stop - start, "place of the directory")

    members, at, place = [], start, 0
    for _ in range(count):
        central, name, offset, _, at = header(data, at, True)
        local, local_name, _, zip64, begin = header(data, place, False)
        flags, method, crc, compressed, expanded = central
        demand(offset == place and name == local_name, "place or name")
        demand(local == (central if not flags & 8 else (flags, method, 0, 0, 0)), "headers disagree")
        demand(compressed <= len(data) - begin, "cut off")
        content, place = data[begin:begin + compressed], begin + compressed
        if flags & 8:
            form = "4sIQQ" if zip64 else "4sIII"
            demand(fields(data, place, form) == (b"PK\7\x08", crc, compressed, expanded),
                   "sizes after the data")
            place += struct.calcsize("<" + form)
        demand(method in (0, 8), "method")
        if method == 8:
            stream = zlib.decompressobj(-15)
            try:
                content = stream.decompress(content, expanded + 1)
            except zlib.error:
                raise Refused("deflate") from None
            demand(stream.eof and not stream.unused_data and not stream.unconsumed_tail,
                   "end of deflated data")
        demand(len(content) == expanded and zlib.crc32(content) == crc, "size or checksum")
        demand(name not in [other for other, _ in members], "duplicate")
        members.append((name, content))
    demand(place == start and at == stop, "gap")
    return members


def header(data, at, central):
    """((flags, method, crc, compressed, expanded), name, offset, has a zip64 field, where it ends)"""
    if central:
        demand(data[at:at + 4] == b"PK\1\2", "signature")
        comment, disk, _, _, offset = fields(data, at + 32, "HHHII")
        demand(comment == 0 and disk == 0, "comment or disk")
    else:
        demand(data[at:at + 4] == b"PK\3\4", "signature")
        offset = 0
    version, flags, method, _, crc, compressed, expanded, name_size, extra_size = fields(
        data, at + (6 if central else 4), "HHHIIIIHH")
    demand(version <= 45 and flags & ~0x80e == 0, "version or flags")
    at += 46 if central else 30
    demand(at + name_size + extra_size <= len(data), "outside the file")
    name, at = data[at:at + name_size], at + name_size
    end = at + extra_size
    wide = None
    while at < end:
        tag, size = fields(data, at, "HH")
        demand(at + 4 + size <= end and tag != 0x7075, "extra field")
        if tag == 1:
            demand(wide is None and size % 8 == 0, "zip64 field")
            wide = list(fields(data, at + 4, f"{size // 8}Q"))
        at += 4 + size
    demand(at == end, "extra field")
    full = 2 ** 32 - 1
    if wide is None:
        demand(full not in (compressed, expanded, offset), "no zip64 field")
    elif central:
        values = []
        for value in (expanded, compressed, offset):
            demand(value != full or wide, "zip64 field")
            values.append(wide.pop(0) if value == full else value)
        demand(not wide, "zip64 field")
        expanded, compressed, offset = values
        wide = ()
    else:
        demand(len(wide) == 2 and expanded in (full, wide[0]) and compressed in (full, wide[1]),
               "zip64 field")
        expanded, compressed = wide
    return (flags, method, crc, compressed, expanded), name, offset, wide is not None, end


HEADER = re.compile(rb"""\{ *(?:['"](?:descr|fortran_order|shape)['"] *: *"""
                    rb"""(?:'[^'"\\]*'|"[^'"\\]*"|True|False"""
                    rb"""|\( *(?:\d+ *, *(?:\d+ *, *)*(?:\d+ *)?)?\)) *(?:, *|(?=\})))*\} *\n""")


def npy_array(data):
    """(shape, exact numbers in C order with None for what is not finite, or text)"""
    demand(data[:6] == b"\x93NUMPY" and len(data) >= 12, "magic")
    major, minor = data[6], data[7]
    demand(major in (1, 2, 3) and minor == 0, "version")
    size, = fields(data, 8, "H" if major == 1 else "I")
    start = 10 if major == 1 else 12
    demand(size <= min(10000, len(data) - start), "length of the header")
    text = data[start:start + size]
    demand(HEADER.fullmatch(text), "header")
    try:
        pairs = ast.parse(text.decode("latin1"), mode="eval").body
        said = [(ast.literal_eval(key), ast.literal_eval(value))
                for key, value in zip(pairs.keys, pairs.values)]
    except (SyntaxError, ValueError):
        raise Refused("header") from None
    demand(sorted(key for key, _ in said) == ["descr", "fortran_order", "shape"], "keys")
    said = dict(said)
    descr, fortran, shape = said["descr"], said["fortran_order"], said["shape"]
    demand(type(descr) is str and type(fortran) is bool and type(shape) is tuple and len(shape) <= 3, "types")
    demand(0 not in shape, "empty")
    form = re.fullmatch(r"([<>])(f[248]|[iu][248])|([<>|])([iu]1)|([<>])(U[1-9]\d?)|([<>|])(S[1-9]\d?)", descr)
    demand(form, "descr")
    order, kind = [part for part in form.groups() if part]
    width = int(kind[1:])
    count, body = math.prod(shape), data[start + size:]
    if kind[0] in "US":
        demand(width <= 64, "descr")
        unit = 4 if kind[0] == "U" else 1
        demand(len(body) == count * width * unit and count == 1, "data")
        codes = struct.unpack(("<" if order == "|" else order) + f"{width}{'I' if unit == 4 else 'B'}", body)
        demand(max(codes) < 128, "text")
        return shape, "".join(map(chr, codes)).rstrip("\0")
    demand(len(body) == count * width, "data")
    code = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
            "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}[kind]
    numbers = struct.unpack(("<" if order == "|" else order) + f"{count}{code}", body)
    if fortran and len(shape) > 1:
        steps = [math.prod(shape[:axis]) for axis in range(len(shape))]
        numbers = [numbers[sum(i * step for i, step in zip(index, steps))] for index in indices(shape)]
    return shape, [exact(number) for number in numbers]


def indices(shape):
    return [()] if not shape else [(i, *rest) for i in range(shape[0]) for rest in indices(shape[1:])]


def exact(number):
    """(numerator, denominator), or None"""
    if isinstance(number, float):
        return number.as_integer_ratio() if math.isfinite(number) else None
    return int(number), 1


TENSORS = {"F16": "e", "BF16": "H", "F32": "f", "F64": "d", "I8": "b", "I16": "h", "I32": "i", "I64": "q",
           "U8": "B", "U16": "H", "U32": "I", "U64": "Q"}


def strict_json(text):
    """What a JSON text says, its integers of digits only as they are and other numbers as fractions."""
    def once(pairs):
        demand(len({key for key, _ in pairs}) == len(pairs), "a key twice")
        return dict(pairs)

    def constant(name):
        raise Refused(name)

    try:
        return json.loads(text.decode("ascii"), object_pairs_hook=once, parse_constant=constant,
                          parse_float=fractions.Fraction,
                          parse_int=lambda digits: int(digits) if digits[0] != "-" else -fractions.Fraction(1, 2))
    except (ValueError, RecursionError):
        raise Refused("JSON") from None


def safetensors(data):
    """key -> array, of the bytes of a safetensors file: tensors that lie one behind the other, nothing else."""
    size, = fields(data, 0, "Q")
    demand(2 <= size <= min(len(data) - 8, 100_000_000) and data[8:9] == b"{", "header")
    header, body = strict_json(data[8:8 + size]), data[8 + size:]
    metadata = header.pop("__metadata__", {})
    demand(isinstance(metadata, dict), "metadata")
    for key, text in metadata.items():
        demand(isinstance(text, str) and (key + text).isascii(), "metadata")
    tensors = []
    for key, tensor in header.items():
        demand(key in KEYS and isinstance(tensor, dict), "key")
        demand(set(tensor) == {"dtype", "shape", "data_offsets"}, "fields")
        for sizes in (tensor["shape"], tensor["data_offsets"]):
            demand(isinstance(sizes, list) and all(type(size) is int for size in sizes), "sizes")
        demand(isinstance(tensor["dtype"], str) and tensor["dtype"] in TENSORS, "type")
        demand(len(tensor["data_offsets"]) == 2 and len(tensor["shape"]) <= 3, "sizes")
        tensors.append((*tensor["data_offsets"], key, tensor["dtype"], tuple(tensor["shape"])))
    arrays, at = {}, 0
    for first, end, key, kind, shape in sorted(tensors):
        count = math.prod(shape)
        demand(first == at and 0 not in shape, "place")
        demand(end <= len(body) and count * struct.calcsize("<" + TENSORS[kind]) == end - first, "size")
        numbers = struct.unpack(f"<{count}{TENSORS[kind]}", body[first:end])
        if kind == "BF16":  # the upper half of a binary32
            numbers = struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *(bits << 16 for bits in numbers)))
        arrays[key] = shape, [exact(number) for number in numbers]
        at = end
    demand(at == len(body), "bytes of no tensor")
    return arrays


def read(data):
    """key -> array, of the bytes of an npz, safetensors or JSON file"""
    if len(data) > 8 and data[7] == 0 and not data.startswith((b"PK", b"\x1f\x8b")):
        return safetensors(data)
    if not data.startswith(b"PK"):
        return read_json(data)
    arrays = {}
    for name, content in zip_members(data):
        key = name[:-4].decode("latin1")
        demand(name.endswith(b".npy") and key in KEYS, "member")
        arrays[key] = npy_array(content)
    return arrays


def read_json(data):
    if data.startswith(b"\x1f\x8b"):
        stream = zlib.decompressobj(31)
        try:
            data, rest = stream.decompress(data), stream.unused_data
        except zlib.error:
            raise Refused("gzip") from None
        demand(stream.eof and not rest, "end of the gzip data")

    def once(pairs):
        demand(len({key for key, _ in pairs}) == len(pairs), "a key twice")
        return dict(pairs)

    def constant(name):
        raise Refused(name)

    try:
        text = data.decode("utf-8")
        demand(not text.startswith("\ufeff"), "byte order mark")
        found = json.loads(text, object_pairs_hook=once, parse_constant=constant, parse_float=decimal,
                           parse_int=decimal)
    except (ValueError, RecursionError):
        raise Refused("JSON") from None
    demand(isinstance(found, dict) and set(found) <= set(KEYS), "keys")
    return {key: json_array(value, key in ("scores", "offsets", "Y", "y", "alpha")) for key, value in found.items()}


def decimal(text):
    """A number token as an exact fraction, if it is within the range of a double."""
    demand(abs(int(text.lower().partition("e")[2] or 0)) <= 65536, "exponent")
    value = fractions.Fraction(text)
    demand(math.isfinite(float(text)) and (value == 0 or float(text) != 0), "beyond a double")
    return value


NUMBER = re.compile(r"([+-]?)(?:0[xX](?=\.?[\da-fA-F])([\da-fA-F]*)\.?([\da-fA-F]*)(?:[pP]([+-]?\d+))?"
                    r"|(\d+)/(\d+)|(\d+)\*2\^([+-]?\d+)|(?=\.?\d)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?)", re.ASCII)


def number_of(text):
    """The number in a string, as an exact fraction."""
    form = NUMBER.fullmatch(text)
    demand(form, "not a number")
    sign, hexadecimal, hex_tail, hex_power, p, q, m, power, digits, tail, ten_power = form.groups()
    for exponent in (hex_power, power, ten_power):
        demand(exponent is None or abs(int(exponent)) <= 65536, "exponent")
    one = fractions.Fraction(1)
    if hexadecimal is not None:
        value = one * int(hexadecimal + hex_tail, 16) / 16 ** len(hex_tail) * 2 ** (one * int(hex_power or 0))
    elif p is not None:
        demand(int(q) != 0, "denominator")
        value = fractions.Fraction(int(p), int(q))
    elif m is not None:
        value = int(m) * 2 ** (one * int(power))
    else:
        value = one * int(digits + tail) / 10 ** len(tail) * 10 ** (one * int(ten_power or 0))
    return -value if sign == "-" else value


def json_array(value, of_tokens=False):
    """Like npy_array; a ragged list of three levels has the lengths of its lists as a third entry. Lists of a number
    for each token that differ in length are as lists of rows of one number."""
    if isinstance(value, str):
        return (), value
    depth, first = 0, value
    while isinstance(first, list):
        demand(first, "empty")
        depth, first = depth + 1, first[0]
    demand(depth <= 3, "depth")
    level = [value]
    widths = []
    for _ in range(depth):
        demand(all(isinstance(part, list) and part for part in level), "uneven depth")
        widths.append([len(part) for part in level])
        level = [entry for part in level for entry in part]
    numbers = []
    for entry in level:
        demand(isinstance(entry, (str, fractions.Fraction)), "not a number")
        number = number_of(entry) if isinstance(entry, str) else entry
        numbers.append((number.numerator, number.denominator))
    if depth == 2 and of_tokens and len(set(widths[1])) > 1:
        depth, widths = 3, [*widths, [1]]
    if depth == 2 or depth == 3:
        demand(len(set(widths[-1])) == 1, "rows of different lengths")
    shape = tuple(max(counts) for counts in widths)
    if depth == 3 and len(set(widths[1])) > 1:
        return shape, numbers, widths[1]
    return shape, numbers
