#!/usr/bin/env python3
"""mirror.py ATTEST FOLDER [SEEDS]: mirror descent on S1, 2,000 normalised steps of 1/10, `attest run --optimizer nmd`
as a whole process beside the NumPy loop in doubles that one writes: processor seconds, correct bits, what is said of
later steps, and whether the bar is met (20 times the loop, 60 correct bits)."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded
import numpy as np  # noqa: E402

import make_instance  # noqa: E402

STEPS, STEP, BAR = 2000, 0.1, 20


def loop(data, p):
    x, z, y = data["X"], data["z"], data["Y"]
    scores = y[:, None] * (x @ data["v"])
    q = p / (p - 1)
    Z = np.zeros((x.shape[2], z.shape[1]))
    start = time.process_time()
    for _ in range(STEPS):
        W = np.sign(Z) * np.abs(Z) ** (q - 1)
        logits = np.matmul(x, (z @ W.T)[:, :, None])[:, :, 0]
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        margin = (weights * scores).sum(axis=1)
        slope = -1 / (1 + np.exp(margin)) / len(y)
        factors = slope[:, None] * weights * (scores - margin[:, None])
        gradient = np.matmul(factors[:, None, :], x)[:, 0, :].T @ z
        Z -= STEP / np.sum(np.abs(gradient) ** q) ** (1 / q) * gradient
    return time.process_time() - start


def certified(attest, path, p):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = subprocess.run([attest, "run", str(path), "--optimizer", "nmd", "--potential", p, "--step", str(STEP),
                             "--steps", str(STEPS), "--bits", "60", "--json"], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.loads(answer.stdout)


if __name__ == "__main__":
    attest, folder, seeds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 3
    for seed in range(seeds):
        data = make_instance.make("S1", seed)
        path = folder / f"S1-{seed}.npz"
        np.savez(path, **data)
        for p in ("7/4", "3"):
            numerator, _, denominator = p.partition("/")
            plain = min(loop(data, int(numerator) / int(denominator or 1)) for _ in range(3))
            seconds, answer = certified(attest, path, p)
            later = answer["forever"]
            met = seconds <= BAR * plain and answer["correct_bits"] >= 60
            print(f"seed {seed} P = {p}: {seconds:.2f} s, NumPy {plain:.2f} s, {seconds / plain:.1f} x (bar {BAR} x), "
                  f"{answer['correct_bits']} correct bits: {'met' if met else 'missed'}; "
                  f"T17 {later['verdict']} ({later['t0']})", flush=True)
