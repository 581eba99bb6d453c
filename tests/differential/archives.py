"""Random npz files as NumPy and zipfile write them or put together field by field, and damage to them."""
import io
import struct
import zipfile
import zlib

import numpy

from instances import instance
from npy_files import damaged_npy, npy

INTERESTING = (0, 1, 2, 4, 8, 20, 22, 24, 28, 30, 44, 45, 46, 56, 63, 76, 255, 0x800, 0x7075, 2 ** 15,
               2 ** 16 - 1,
               2 ** 31, 2 ** 32 - 1, 2 ** 62, 2 ** 63, 2 ** 64 - 1)


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
