#!/usr/bin/env python3
"""verified.py BUILD FOLDER [S1 S2 S3 | runs]: what a proof costs: attest-check beside attest-check-verified, and
Coq itself.

BUILD is a build folder with bin/ and proofs/coq/theories/. Times are processor seconds (user and system) of whole
processes, the least of several; Coq's are those of the computation alone (`Time Qed`) and of the whole exported file
beyond an empty file with the same imports.
"""
import pathlib
import re
import resource
import subprocess
import sys

import numpy as np

import make_instance

BUILD, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
NAMES = sys.argv[3:] or ["S1", "S2", "S3"]
BIN = BUILD / "bin"
WITHIN_COQ = [("S1", "enclosure"), ("S1", "exact"), ("S2", "enclosure")]  # the others take minutes


def cost(*arguments, rounds=1):
    """(least processor seconds, standard output) of a process; a failure stops the benchmark."""
    least = float("inf")
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([str(a) for a in arguments], check=True, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least, done.stdout


def coqc(path):
    return cost("coqc", "-q", "-w", "none", "-Q", BUILD / "proofs/coq/theories", "Attest", path, rounds=3)


def within_coq(instance, certificate, name):
    """Seconds of the computation and of the whole exported file beyond its imports."""
    path = FOLDER / f"exported_{name}.v"
    cost(BIN / "attest", "export", "--coq", instance, certificate, "-o", path)
    text = path.read_text()
    imports = re.search(r"^From .*?^Local Open Scope", text, re.DOTALL | re.MULTILINE).group()
    empty = FOLDER / "imports.v"
    empty.write_text(imports.rsplit("\n", 1)[0] + "\n")
    path.write_text(text.replace("vm_cast_no_check (erefl true). Qed.", "vm_cast_no_check (erefl true). Time Qed."))
    seconds, said = coqc(path)
    computation = float(re.search(r"\(([0-9.]+)u,", said).group(1))
    return computation, seconds - coqc(empty)[0]


def shown(seconds):
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def runs():
    print("| normalised run of 1/10 | attest-check | attest-check-verified | ratio |")
    print("|---|---|---|---|")
    for name, steps in (("S1", 100), ("S1", 2000), ("S2", 200), ("S2", 2000)):
        instance, certificate = FOLDER / f"{name}.npz", FOLDER / f"{name}-{steps}.attest"
        np.savez(instance, **make_instance.make(name))
        cost(BIN / "attest", "run", instance, "--optimizer", "ngd", "--step", "1/10", "--steps", steps, "--force",
             "-o", certificate)
        plain, _ = cost(BIN / "attest-check", instance, certificate, rounds=5)
        verified, _ = cost(BIN / "attest-check-verified", instance, certificate, rounds=1 if name == "S2" else 3)
        print(f"| {name}, {steps} steps | {shown(plain)} | {shown(verified)} | {verified / plain:.1f} |", flush=True)


def main():
    if NAMES == ["runs"]:
        return runs()
    print("| | attest-check | attest-check-verified | ratio | computation in Coq | whole file in Coq |")
    print("|---|---|---|---|---|---|")
    for name in NAMES:
        instance = FOLDER / f"{name}.npz"
        np.savez(instance, **make_instance.make(name))
        for form in ("enclosure", "exact"):
            if form == "exact" and name not in ("S1", "S2"):
                continue
            certificate = FOLDER / f"{name}-{form}.attest"
            cost(BIN / "attest", "certify", instance, "--form", form, "-o", certificate)
            plain, _ = cost(BIN / "attest-check", instance, certificate, rounds=9)
            verified, _ = cost(BIN / "attest-check-verified", instance, certificate, rounds=9)
            coq = ("", "")
            if (name, form) in WITHIN_COQ:
                coq = tuple(f"{s:.2f} s" for s in within_coq(instance, certificate, f"{name}_{form}"))
            columns = (f"{name}, {form}", shown(plain), shown(verified), f"{verified / plain:.1f}", *coq)
            print(f"| {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
