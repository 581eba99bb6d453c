#!/bin/sh
# large_cases.sh ATTEST CHECKER: hostile inputs that are too large to keep in the repository. Both programs must stop
# cleanly, within bounded memory and time.
attest=$1
checker=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
[ -n "$ATTEST_SANITIZED" ] || ulimit -v 3000000
failures=0

# expect "CODES" COMMAND...: the exit code is one of CODES.
expect() {
  codes=$1
  shift
  timeout 60 "$@" >out 2>err
  code=$?
  for one in $codes; do [ "$code" -eq "$one" ] && return; done
  echo "exit $code, expected $codes: $*"
  head -c 300 err
  failures=$((failures + 1))
}

repeat() { head -c "$2" /dev/zero | tr '\0' "$1"; }

# instance NUMBER_FILE NAME: a one-group prompt instance whose v is the number in the file.
instance() {
  { printf '{"X":[[[1],[0]]],"K":[[[1],[0]]],"Y":[1],"v":['; cat "$1"; printf ']}'; } >"$2"
}

# certificate NUMBER_FILE NAME: claims an optimum whose squared norm is the number in the file.
certificate() {
  {
    printf 'attest-certificate 1\nproducer large 1\ninstance sha256 %s\n' "$hash"
    printf 'problem 1\nsetting prompt\nnorm euclidean\nloss none\nselection 1 0\n'
    printf 'claim 1 optimal problem 1 norm-squared '; cat "$1"; printf '\n'
    printf 'vector multipliers 1 over 1\n0 1 1\nend problems 1 claims 1 lines 12\n'
  } >"$2"
}

repeat 7 1000000 >million
repeat 7 10000000 >ten-million
printf 1 >one
instance one small.json
expect 0 "$attest" info --json small.json
hash=$(tr -d ' \n' <out | sed -n 's/.*"sha256":"\([0-9a-f]\{64\}\)".*/\1/p')
certificate one right.attest
expect 0 "$checker" small.json right.attest

# Integers of 10^6 digits are legal, of 10^7 digits are not; in JSON both are beyond a double and need quotes.
certificate million million.attest
expect 1 "$checker" small.json million.attest
certificate ten-million ten-million.attest
expect 2 "$checker" small.json ten-million.attest
{ printf '"'; cat million; printf '"'; } >quoted
{ printf '"'; cat ten-million; printf '"'; } >quoted-more
instance quoted million.json
expect 4 "$checker" million.json right.attest
expect 0 "$attest" info million.json
for bad in million quoted-more; do
  instance $bad bad.json
  expect '2 5' "$checker" bad.json right.attest
  expect '2 5' "$attest" info bad.json
done

# Lines, nesting, and compression.
repeat x 100000000 >one-line
expect 2 "$checker" small.json one-line
{ head -n 3 right.attest; repeat ' ' 80000000; } >spaces
expect 2 "$checker" small.json spaces
repeat '[' 20000000 >brackets
{ printf '{"X":'; cat brackets; } >nested.json
expect '2 5' "$checker" nested.json right.attest
expect '2 5' "$attest" info nested.json
head -c 700000000 /dev/zero | gzip -1 >bomb.gz
expect '2 5' "$checker" small.json bomb.gz
expect '2 5' "$checker" bomb.gz right.attest
expect '2 5' "$attest" info bomb.gz
{ cat right.attest; head -c 700000000 /dev/zero | tr '\0' '\n'; } | gzip -1 >tail.gz
expect '2 5' "$checker" small.json tail.gz

# Lengths whose sum, taken modulo 2^64, is the number of rows: 2^24 times 2^40, then 1 (2^20 times 2^44 where lengths
# beyond 2^40 are read); and, modulo 2^62, for machine integers of 63 bits.
python3 - <<'PYTHON'
import struct, zipfile

def npy(descr, shape, data):
    header = str({"descr": descr, "fortran_order": False, "shape": shape})
    header += " " * (-(11 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data

def wrapping(file, count, length):
    members = {"X": npy("<f8", (1, 1), struct.pack("<d", 1)), "v": npy("<f8", (1,), struct.pack("<d", 1)),
               "Y": npy("|i1", (count + 1,), b"\1" * (count + 1)),
               "lengths": npy("<f4", (count + 1,), struct.pack("<f", length) * count + struct.pack("<f", 1))}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, content in members.items():
            archive.writestr(key + ".npy", content)

wrapping("wrap24.npz", 2 ** 24, 2.0 ** 40)
wrapping("wrap20.npz", 2 ** 20, 2.0 ** 44)
wrapping("wrap62.npz", 2 ** 22, 2.0 ** 40)
PYTHON
for bad in wrap24 wrap20 wrap62; do
  [ -s $bad.npz ] || { echo "no $bad.npz"; failures=$((failures + 1)); }
  expect '2 5' "$checker" $bad.npz right.attest
  expect '2 5' "$attest" info $bad.npz
done

# A safetensors header of more than 10^8 bytes, most of them spaces.
python3 - <<'PYTHON'
import json, struct
arrays = {"X": [1, 2, 1], "Y": [1], "v": [1]}
header, data = {}, b""
for key, shape in arrays.items():
    count = 2 if key == "X" else 1
    header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + 4 * count]}
    data += struct.pack("<f", 1) * count
text = json.dumps(header).encode()
with open("header.safetensors", "wb") as file:
    file.write(struct.pack("<Q", 10 ** 8 + 1) + text + b" " * (10 ** 8 + 1 - len(text)) + data)
with open("short.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
PYTHON
expect 4 "$checker" short.safetensors right.attest
expect 0 "$attest" info short.safetensors
expect 2 "$checker" header.safetensors right.attest
expect 2 "$attest" info header.safetensors

# Folders of arrays: the keys exactly, one plain file each.
python3 - <<'PYTHON'
import os, struct

def npy(shape, *numbers):
    header = str({"descr": "<f8", "fortran_order": False, "shape": shape})
    header += " " * (-(11 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}d", *numbers)

for folder in ("plain", "case", "link", "folder", "pipe", "unknown"):
    os.mkdir(folder)
    for key, content in {"X": npy((1, 2, 1), 1, 0), "K": npy((1, 2, 1), 1, 0), "Y": npy((1,), 1), "v": npy((1,), 1)}.items():
        open(f"{folder}/{key}.npy", "wb").write(content)
os.rename("case/v.npy", "case/V.npy")
os.rename("link/v.npy", "v-elsewhere")
os.symlink("../v-elsewhere", "link/v.npy")
os.mkdir("folder/z.npy")
os.mkfifo("pipe/W0.npy")
open("unknown/.note", "w").close()
os.symlink("loop.npz", "loop.npz")
PYTHON
sed 's/^instance sha256 ......../instance sha256 00000000/' right.attest >wrong.attest
expect 4 "$checker" plain wrong.attest
expect 0 "$checker" plain right.attest
expect 0 "$attest" info plain
for bad in case link folder pipe unknown loop.npz; do
  expect 2 "$checker" $bad right.attest
  expect 2 "$attest" info $bad
done

# Devices and folders instead of files.
expect '2 5' "$checker" /dev/null right.attest
expect '2 5' "$checker" small.json /dev/null
expect '2 5' "$checker" "$work" right.attest
expect '2 5' "$checker" small.json "$work"
expect '2 5' "$checker" missing.json right.attest
expect 2 "$attest" info missing.json
[ "$failures" -eq 0 ] || exit 1
