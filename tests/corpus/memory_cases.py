#!/usr/bin/env python3
"""memory_cases.py CHECKER [VERIFIED]: files that ask for far more memory than they have bytes.

Each is checked within a bound of the process's peak memory (getrusage), or ends with exit 5 under --memory-limit. The
sizes are kept down for time; README.md has the figures of the full ones.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from fractions import Fraction

MEGABYTE = 1 << 20
failures = 0


def measured(arguments):
    """Exit status, standard error, and peak memory in bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(arguments, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return child.returncode, err.read().decode(), usage.ru_maxrss * 1024


def expect(name, arguments, code, most, words=""):
    global failures
    found, message, peak = measured(arguments)
    if os.environ.get("ATTEST_SANITIZED"):
        peak = 0  # the sanitizer's own memory
    right = found == code and peak <= most * MEGABYTE and words in message
    print(f"{'ok' if right else 'FAILED'}: {name}: exit {found} (expected {code}), "
          f"{peak / MEGABYTE:.1f} MB (at most {most}) {message[:200].strip()}")
    failures += not right


def write(path, value):
    with open(path, "w") as file:
        file.write(value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))
    return path


def shown(x):
    return str(x.numerator) if x.denominator == 1 else f"{x.numerator}/{x.denominator}"


class Case:
    """One instance, and certificates with its hash, which the checker tells when it finds another."""

    def __init__(self, checker, instance):
        self.instance = instance if isinstance(instance, str) else write("instance.json", instance)
        write("probe.attest", "attest-certificate 1\nproducer probe 1\ninstance sha256 " + "0" * 64 + "\n")
        message = measured([checker, self.instance, "probe.attest"])[1]
        self.hash = re.search("this one is ([0-9a-f]{64})", message).group(1)

    def certificate(self, setting, loss, selection, lines):
        text = ["attest-certificate 1", "producer large 1", "instance sha256 " + self.hash, "problem 1",
                "setting " + setting, "norm euclidean", "loss " + loss,
                " ".join(map(str, ["selection", len(selection)] + selection))] + lines
        claims = sum(line.startswith("claim") for line in lines)
        text.append(f"end problems 1 claims {claims} lines {len(text) + 1}")
        return write("certificate.attest", "\n".join(text) + "\n")


def run_case(checker, groups, tokens):
    """A run of two steps on groups whose first token has the feature 1 and all others different ones from -1 to 0."""
    rows = [[[1]] + [[shown(Fraction(-t, 65536))] for t in range(tokens - 1)]] * groups
    case = Case(checker, {"X": rows, "K": rows, "Y": [1] * groups, "v": [1]})
    certificate = case.certificate("prompt", "logistic", [0] * groups, [
        "claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1",
        "claim 2 run problem 1 from 1 steps 2", "optimizer gd schedule constant step 1 fraction-bits 128",
        "start zero", "checkpoints 1",
        "at 1 norm 0 9 along 0 9 one-minus-corr 0 1 loss-gap 0 9 gradient 0 9 unselected 0 1",
        "loss-decreases-until 1", "rates 0"])
    return [case.instance, certificate]


TOKENS = [[float(t == 0)] + [(t * k % 61) / 4096 for k in range(31)] for t in range(16)]


def separated(checker, path, groups):
    """The instance of groups of TOKENS, which W = (2, 0, ..., 0) separates, and that certificate."""
    case = Case(checker, os.path.abspath(path))
    files = [case.instance, case.certificate("cross-attention", "none", [0] * groups, [
        "claim 1 feasible problem 1", "vector separator 1 over 1", "0 1 2"])]
    return files, case.hash


def streamed_case(checker, groups, compression, fortran=False):
    """Groups of 16 tokens in 32 dimensions, binary32: 2 KB a group."""
    group = b"".join(struct.pack("<32f", *row) for row in TOKENS)
    columns = (struct.pack("<f", TOKENS[t][k]) * groups for k in range(32) for t in range(16))
    entries = columns if fortran else [group] * groups
    with zipfile.ZipFile("instance.npz", "w", compression) as archive:
        for key, word, shape, pieces in [("X", "<f4", (groups, 16, 32), entries),
                                         ("z", "<f4", (groups, 1), [struct.pack("<f", 1)] * groups),
                                         ("Y", "<i8", (groups,), [struct.pack("<q", 1)] * groups),
                                         ("v", "<f4", (32,), [struct.pack("<32f", 1, *[0] * 31)])]:
            header = f"{{'descr': '{word}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
            with archive.open(key + ".npy", "w") as member:
                member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
                for piece in pieces:
                    member.write(piece)
    return separated(checker, "instance.npz", groups)


def json_case(checker, groups):
    group = json.dumps(TOKENS)
    with open("instance.json", "w") as file:  # piece by piece: a child's peak is its parent's at least
        file.write('{"X": [' + group)
        for _ in range(groups - 1):
            file.write("," + group)
        file.write(f'], "z": {[[1]] * groups}, "Y": {[1] * groups}, "v": {[1] + [0] * 31}}}')
    return separated(checker, "instance.json", groups)


def streamed(checker):
    """Twelve megabytes of binary numbers: of every form a few blocks are held."""
    limited = [checker, "--memory-limit", "6000000"]
    files, stated = streamed_case(checker, 6000, zipfile.ZIP_STORED)
    expect("an archive of 12 MB", limited + files, 0, 30)
    for name, arguments in [("compressed", [zipfile.ZIP_DEFLATED]), ("in Fortran order", [zipfile.ZIP_STORED, True]),
                            ("both", [zipfile.ZIP_DEFLATED, True])]:
        files, found = streamed_case(checker, 6000, *arguments)
        expect("the same " + name, limited + files, 0 if found == stated else "another hash", 30)
    files, stated = streamed_case(checker, 2500, zipfile.ZIP_STORED)
    files, found = json_case(checker, 2500)
    expect("16 MB of JSON", [checker, "--memory-limit", "8000000"] + files, 0 if found == stated else "another hash",
           30)
    os.environ["TMPDIR"] = "/none"
    expect("no folder for temporary files", limited + files, 5, 30, "no room for a temporary file in /none (TMPDIR)")
    os.environ.pop("TMPDIR")


def enclosure_case(checker, size, bound):
    """size^2 active constraints, G = (I + c J) x (I + c J), and the bound of its least eigenvalue in 4096 bits."""
    third = Fraction(1, 3)

    def row(t):
        return [shown(third + (j == t)) for j in range(size)]

    group = [["0"] * size] + [row(t) for t in range(size)]
    case = Case(checker, {"X": [group] * size, "z": [row(i) for i in range(size)], "Y": [1] * size, "v": ["1"] * size})
    multiplier = 1 / (1 + size * (2 * third + size * third * third)) ** 2
    norm = shown(multiplier * size * size)
    lines = [f"claim 1 optimal-enclosure problem 1 form lambda-min norm-squared {norm} {norm} radius 0 "
             "multiplier-radius 0", f"lambda-min {bound} bits 4096",
             f"vector multipliers {size * size} over {multiplier.denominator}"]
    lines += [f"{i} {t + 1} {multiplier.numerator}" for i in range(size) for t in range(size)]
    return [case.instance, case.certificate("cross-attention", "none", [0] * size, lines)]


def main():
    checker, *others = map(os.path.abspath, sys.argv[1:])
    programs = [checker] + others
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        # A short number with a large exponent stays short until its value is needed.
        case = Case(checker, {"X": [[["3e65535"]] * 500], "Y": [1], "v": [1]})
        wrong = write("wrong.attest", "attest-certificate 1\nproducer x 1\ninstance sha256 " + "0" * 64 + "\n")
        right = case.certificate("self-attention", "none", [0],
                                 ["claim 1 infeasible problem 1", "vector farkas 1 over 1", "0 1 1"])
        for program in programs:
            expect("decimals, another instance", [program, case.instance, wrong], 4, 40, "mismatch")
            expect("decimals, limited", [program, "--memory-limit", "10000000", case.instance, right], 5, 40,
                   "--memory-limit")
        # The products of all pairs of queries, the distances of all pairs of tokens.
        files = run_case(checker, 1500, 2)
        for program in programs:
            expect("1,500 groups of two tokens", [program] + files, 0, 60)
        files = run_case(checker, 1, 40000)
        expect("one group of 40,000 tokens", [checker] + files, 5, 60, "such large groups")
        for program in others:
            expect("one group of 40,000 tokens", [program] + files, 0, 220)
        streamed(checker)
        # A bound of an eigenvalue in long numbers, where machine words do, and where they do not.
        files = enclosure_case(checker, 24, "1*2^-20")
        for program in programs:
            expect("4096 bits for 576 constraints", [program] + files, 0, 60)
        files = enclosure_case(checker, 24, shown(1 - Fraction(1, 2**60)))
        expect("4096 bits, limited", [checker, "--memory-limit", "50000000"] + files, 5, 60,
               "a factorisation of 576 rows")
        for program in programs:
            for bad in ["0", "1e9", "-1", "", "1234567890123456"]:
                expect(f"--memory-limit '{bad}'", [program, "--memory-limit", bad] + files, 2, 60,
                       "--memory-limit needs")
    return failures > 0


sys.exit(main())
