"""Instance files: correct/ has every legal way of writing one instance, malformed/ the illegal ones (exit 2; 5 where a
limit on resources answers first). The certificate is always the right one for the undamaged instance."""
import gzip
import json
import struct
import zlib

import damaged_json
import damaged_npz
from instance_files import V, X, Y, Z, as_numpy, npy, npz, standard, streamed, wide


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
        "selected-sets.json": good.replace('{"X"', '{"alpha": [[0, 2], [1]], "X"'),
        "selected-sets.npz": npz(standard(alpha=npy([[0, 2], [1, 0]], "q"))),
        "selected-sets-levels.npz": npz(standard(alpha=npy([[[0], [2]], [[1], [0]]], "q"))),
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


def write_gzip(corpus, good, certificate):
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


def write(corpus):
    good = json.dumps({"X": X, "Y": Y, "v": V, "z": Z}) + "\n"
    instance, certificate = corpus.base("plain-c")
    corpus.case("correct", "instance-plain", instance, certificate, 0, "plain-c.json")
    for name, content in legal(good).items():
        corpus.case("correct", "instance-" + name.replace(".", "-"), content, certificate, 0, "instance-" + name)
    for name, content in damaged_json.illegal(good).items():
        if content == good:
            raise SystemExit(f"{name}: nothing damaged")
        corpus.case("malformed", f"json-{name}", content, certificate, "2", f"json-{name}.json")
    for name, content in damaged_npz.illegal().items():
        if content == damaged_npz.GOOD:
            raise SystemExit(f"{name}: nothing damaged")
        corpus.case("malformed", f"npz-{name}", content, certificate, "2 5" if "bomb" in name else "2",
                    f"npz-{name}.npz")
    write_gzip(corpus, good, certificate)
