#!/usr/bin/env python3
"""differential.py READ_MANY [READ_MANY_VERIFIED] [--files N] [--seed S] [--keep FOLDER | --write FOLDER]

Random npz files, sound and damaged, read by NumPy, by the readers of attest-check and attest (READ_MANY), by
that of attest-check-verified, and by the oracle beside this script; a third as many each of safetensors and
JSON files, by all but NumPy. The readers and the oracle must agree: the same hash, or all refuse; and where they
accept, NumPy must read the same numbers. What they refuse NumPy may read or not. With --write the files are only
written.
"""
import argparse
import collections
import io
import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True
try:
    import numpy
except ImportError:  # Debian's NumPy belongs to Debian's python3
    if os.path.realpath(sys.executable) == os.path.realpath("/usr/bin/python3"):
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

import archives
import instance_oracle
import oracle
import tensors
import texts

BATCH = 250


def by_oracle(data):
    """The hash, or "refused"."""
    try:
        return instance_oracle.canonical_sha256(oracle.read(data))
    except oracle.Refused:
        return "refused"


def by_numpy(data):
    """The hash of what NumPy reads, or why there is none."""
    try:
        with numpy.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    except Exception as error:  # whatever a damaged file makes NumPy and zipfile raise
        return type(error).__name__
    known = {}
    for key, array in arrays.items():
        if not isinstance(array, numpy.ndarray) or array.dtype.kind not in "fiuUS":
            return "another type"
        try:
            values = array.ravel().tolist()
        except SystemError:  # damaged text that is no Unicode
            return "no text"
        if array.dtype.kind in "US":
            text = values[0] if len(values) == 1 else ""
            known[key] = array.shape, text.decode("latin1") if isinstance(text, bytes) else text
        else:
            known[key] = array.shape, [oracle.exact(value) for value in values]
    try:
        return instance_oracle.canonical_sha256(known)
    except (oracle.Refused, ValueError):
        return "not an instance"


def start(program):
    return subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(programs, paths):
    """What each program says of each file: one line a file."""
    for program in programs:
        program.stdin.write("".join(f"{path}\n" for path in paths))
        program.stdin.flush()
    answers = []
    for path in paths:
        answer = []
        for program in programs:
            line = program.stdout.readline()
            if not line:
                raise SystemExit(f"a reader ended at {path}: {program.wait()}")
            answer += line.split()
        answers.append(answer)
    return answers


def drawn(rng, count):
    """That many files: (content, whether it was damaged, kind)."""
    other = archives.archive(rng)[0]
    for k in range(count):
        kind = ("npz", "npz", "safetensors", "npz", "JSON")[k % BATCH % 5]
        make = {"npz": archives.archive, "safetensors": tensors.tensors, "JSON": texts.text}
        data, touched = make[kind](rng)
        if kind == "npz" and rng.random() < 0.3:
            previous = data
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                data, touched = archives.damaged(rng, data, other), True
            other = previous
        yield data, touched, kind


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="where to put the files of disagreements")
    parser.add_argument("--write", help="where to put all files, without asking anybody")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    files = drawn(random.Random(options.seed), options.files)
    if options.write:
        for k, (data, _, _) in enumerate(files):
            pathlib.Path(options.write, f"{k}.npz").write_bytes(data)
        return 0
    programs = [start(program) for program in options.programs]
    counts, failures, done = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while done < options.files:
            batch = []
            for k, (data, touched, kind) in enumerate(itertools.islice(files, BATCH)):
                path = pathlib.Path(folder, f"{k}.npz")
                path.write_bytes(data)
                batch.append((path, data, touched, kind))
            said = ask(programs, [path for path, *_ in batch])
            for (path, data, touched, kind), answers in zip(batch, said):
                done += 1
                expected = by_oracle(data)
                accepted = expected != "refused"
                numpys = by_numpy(data) if kind == "npz" else expected
                if set(answers) != {expected} or (accepted and numpys != expected):
                    failures += 1
                    print(f"file {done} of seed {options.seed}: readers {answers}, oracle {expected}, "
                          f"NumPy {numpys}", flush=True)
                    if options.keep:
                        pathlib.Path(options.keep, f"{options.seed}-{done}.npz").write_bytes(data)
                counts[kind] += 1
                counts["accepted " + kind] += accepted
                counts["damaged" if touched else "sound"] += 1
                counts["accepted " + ("damaged" if touched else "sound")] += accepted
                counts["refused, read by NumPy"] += not accepted and len(numpys) == 64
    for program in programs:
        program.stdin.close()
        if program.wait() != 0:
            failures += 1
    print(f"{counts['npz']} npz, {counts['safetensors']} safetensors and {counts['JSON']} JSON files "
          f"({counts['accepted npz']}, {counts['accepted safetensors']}, {counts['accepted JSON']} accepted), "
          f"{counts['sound']} sound "
          f"({counts['accepted sound']} accepted), {counts['damaged']} damaged "
          f"({counts['accepted damaged']} accepted); {counts['refused, read by NumPy']} refused that NumPy "
          f"reads as an instance; {failures} disagreements")
    refused = counts["damaged"] - counts["accepted damaged"]
    enough = counts["accepted sound"] > done / 10 and refused > done / 10
    return 0 if failures == 0 and enough else 1


if __name__ == "__main__":
    sys.exit(main())
