#!/usr/bin/env python3
"""run_check.py BIN: how long attest-check takes for the certificate of a run, beside attest run that wrote it.

Whole processes, user time, the least of several rounds: the machine may be busy with other things.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import make_instance

BIN = pathlib.Path(sys.argv[1])
RUNS = [("S1", "gd", "1/10"), ("S1", "ngd", "1/10"), ("S1", "polyak", "1/10"), ("S1", "polyak", "1/2"),
        ("S2", "ngd", "1/10"), ("S3", "ngd", "1/10")]
STEPS, ROUNDS = 2000, {"S1": 7, "S2": 3, "S3": 1}


def user_seconds(*arguments):
    child = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}: status {status}")
    return usage.ru_utime


def main():
    print(f"| {STEPS} steps | attest run | attest-check | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for size, optimizer, step in RUNS:
            instance, certificate = folder / f"{size}.npz", folder / "run.attest"
            np.savez(instance, **make_instance.make(size))
            produce, check = [], []
            for _ in range(ROUNDS[size]):
                produce.append(user_seconds(BIN / "attest", "run", instance, "--optimizer", optimizer, "--step", step,
                                            "--steps", STEPS, "-o", certificate))
                check.append(user_seconds(BIN / "attest-check", instance, certificate))
            print(f"| {size} {optimizer} {step} | {min(produce):.2f} s | {min(check):.2f} s | "
                  f"{min(check) / min(produce):.1f} x |", flush=True)


if __name__ == "__main__":
    main()
