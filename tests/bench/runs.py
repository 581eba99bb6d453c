#!/usr/bin/python3
"""runs.py BIN [S1 S2 S3 S4 | growth]: runs beside a NumPy loop of doubles, and checking them beside making them.

2,000 steps (S4: 100 normalised ones), every claim included. Whole processes, the least of some rounds: processor
seconds on one core where nothing else is said, seconds of the clock on two; the loop is timed without its start. With
other work on the machine only processor time and ratios mean something. Package python3-numpy.

growth: how long one step takes, made and checked, where one of n, T and d doubles; nanoseconds of processors for each
number of the tokens (n T d), from the difference of runs of 50 and of 250 steps.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded
import numpy as np  # noqa: E402

import make_instance  # noqa: E402

STEPS, ROUNDS = {"S4": 100}, {"S1": 5, "S2": 3}
RULES = {"S1": [("gd", "1/10"), ("ngd", "1/10"), ("polyak", "1/10"), ("polyak", "1/2")]}


def loop(data, optimizer, step, steps):
    """Processor seconds of the loop that one writes: all groups in one product, the logistic loss."""
    x, z, y = data["X"], data["z"], data["Y"]
    scores = y[:, None] * (x @ data["v"])
    W = np.zeros((x.shape[2], z.shape[1]))
    start = time.process_time()
    for _ in range(steps):
        logits = np.matmul(x, (z @ W.T)[:, :, None])[:, :, 0]
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        margin = (weights * scores).sum(axis=1)
        slope = -1 / (1 + np.exp(margin)) / len(y)
        factors = slope[:, None] * weights * (scores - margin[:, None])
        gradient = np.matmul(factors[:, None, :], x)[:, 0, :].T @ z
        size = np.linalg.norm(gradient)
        if optimizer == "polyak":
            best = np.log1p(np.exp(-scores.max(axis=1))).mean()
            W -= step * (np.log1p(np.exp(-margin)).mean() - best) / size**2 * gradient
        else:
            W -= step / (size if optimizer == "ngd" else 1) * gradient
    return time.process_time() - start


def took(cores, *arguments):
    """(processor seconds, seconds of the clock, standard output) of a program on so many cores."""
    start = time.perf_counter()
    child = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.PIPE, text=True,
                             preexec_fn=lambda: os.sched_setaffinity(0, range(cores)))
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}: status {status}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, out


def row(folder, binaries, size, optimizer, step):
    data, steps = make_instance.make(size), STEPS.get(size, 2000)
    instance, certificate = folder / f"{size}.npz", folder / "run.attest"
    np.savez(instance, **data)
    plain, one, two, clock, check = [], [], [], [], []
    for _ in range(ROUNDS.get(size, 1)):
        numerator, _, denominator = step.partition("/")
        plain.append(loop(data, optimizer, int(numerator) / int(denominator), steps))
        command = [binaries / "attest", "run", instance, "--optimizer", optimizer, "--step", step, "--steps", steps,
                   "-o", certificate, "--json"]
        processor, wall, out = took(1, *command)
        one.append(processor)
        clock.append(wall)
        two.append(took(2, *command)[1])
        check.append(took(1, binaries / "attest-check", instance, certificate)[0])
    bits = json.loads(out)["correct_bits"]
    print(f"| {size} {optimizer} {step}, {steps} steps | {min(plain):.2f} s | {min(one):.2f} s | "
          f"{min(one) / min(plain):.1f} x | {bits} | {min(clock):.2f} s, {min(two):.2f} s | {min(check):.2f} s | "
          f"{min(check) / min(one):.1f} x |", flush=True)


GROWTH = [(20, 16, 32), (40, 16, 32), (80, 16, 32), (160, 16, 32), (40, 32, 32), (40, 64, 32), (40, 16, 64),
          (40, 16, 128), (100, 32, 64), (400, 32, 64)]
FEW, MANY, BITS = 50, 250, 160


def growth(folder, binaries):
    """A table of nanoseconds a step and number of the tokens, with as many bits for every size."""
    print("| sequences x tokens x dimension | numbers of the tokens | a step of attest run | of attest-check |\n"
          + "|---" * 4 + "|")
    for n, tokens, d in GROWTH:
        make_instance.SIZES["growth"] = (n, tokens, d)
        instance, certificate = folder / "growth.npz", folder / "run.attest"
        np.savez(instance, **make_instance.make("growth"))
        made, checked = [], []
        for steps in (FEW, MANY):
            command = [binaries / "attest", "run", instance, "--optimizer", "ngd", "--step", "1/10", "--steps", steps,
                       "--bits", BITS, "-o", certificate]
            made.append(min(took(1, *command)[0] for _ in range(3)))
            checked.append(min(took(1, binaries / "attest-check", instance, certificate)[0] for _ in range(3)))
        one = [(many - few) / (MANY - FEW) / (n * tokens * d) * 1e9 for few, many in (made, checked)]
        print(f"| {n} x {tokens} x {d} | {n * tokens * d:,} | {one[0]:.1f} | {one[1]:.1f} |", flush=True)


def main():
    if sys.argv[2:] == ["growth"]:
        with tempfile.TemporaryDirectory() as name:
            return growth(pathlib.Path(name), pathlib.Path(sys.argv[1]))
    print("| | NumPy | attest run | ratio | correct bits | clock, one and two cores | attest-check | of the run |\n"
          + "|---" * 8 + "|")
    with tempfile.TemporaryDirectory() as name:
        for size in sys.argv[2:] or ["S1", "S2", "S3"]:
            for optimizer, step in RULES.get(size, [("ngd", "1/10")]):
                row(pathlib.Path(name), pathlib.Path(sys.argv[1]), size, optimizer, step)


if __name__ == "__main__":
    main()
