#!/usr/bin/env python3
"""factors.py ATTEST FOLDER [SEEDS]: training of K and Q on S1, `attest run --parameterization kq` as a whole process
beside a NumPy loop in doubles that makes the same 2,000 steps (whose last numbers mean nothing where they are chaotic):
CPU seconds, correct bits, working bits, by how much errors may have grown, and what is said of later steps."""
import json
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np

import make_instance

STEPS = 2000


def loop(data, normalised, step):
    """Gradient steps on both factors; normalised each by its own norm, scaled against underflow."""
    X, z, gain = data["X"], data["z"], data["Y"][:, None] * (data["X"] @ data["v"])
    n, d = len(X), X.shape[2]
    K, Q = np.eye(d), np.eye(d)
    began = time.process_time()
    for _ in range(STEPS):
        logits = np.einsum("itd,id->it", X, z @ Q @ K.T)
        share = np.exp(logits - logits.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
        output = (share * gain).sum(1)
        weight = share * (gain - output[:, None]) / (n * (1 + np.exp(output)))[:, None]
        V = np.einsum("it,itd->id", weight, X).T @ z
        left, right = V @ Q, V.T @ K
        if normalised:
            left /= np.linalg.norm(left) + 2.2e-16
            right /= np.linalg.norm(right) + 2.2e-16
        K, Q = K + step * left, Q + step * right
    return time.process_time() - began


def certified(attest, path, optimizer, step):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = subprocess.run([attest, "run", str(path), "--parameterization", "kq", "--optimizer", optimizer, "--step",
                             step, "--steps", str(STEPS), "--bits", "60", "--json"], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.loads(answer.stdout)


if __name__ == "__main__":
    attest, folder, seeds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2
    for seed in range(seeds):
        data = make_instance.make("S1", seed)
        path = folder / f"S1-{seed}.npz"
        np.savez(path, **data)
        for optimizer, step in (("gd", "1"), ("gd", "20"), ("ngd", "1/10")):
            seconds, answer = certified(attest, path, optimizer, step)
            plain = loop(data, optimizer == "ngd", eval(step))
            said = answer["statistics"]
            print(f"seed {seed} {optimizer} {step}: {seconds:.2f} s, NumPy {plain:.2f} s, {answer['correct_bits']} "
                  f"correct (bar 60) of {said['precision_bits']} bits, errors 2^{said['amplification_bits']:.0f}, "
                  f"T22 {answer['forever']['verdict']} ({answer['forever'].get('first_t0')})", flush=True)
