#!/usr/bin/python3
"""python_bench.py [REPEATS]: the Python package in process beside scikit-learn's SVC on the same arrays.

Needs PYTHONPATH=build/release/python. `attest.certify` takes X, Y, v, z and makes the certificate, by default exact
where that is cheap, or as an enclosure. SVC is asked in two ways: the solver call alone, on a Gram matrix that is
there; and from the arrays, the Gram matrix included. Least processor times, the programs in turn.
"""
import os
import subprocess
import sys
import time

import numpy as np

from sklearn.svm import SVC

import attest
import make_instance
import peers

BARS = {"S1": 5.0, "S2": 3.0, "S3": 0.3}
REPEATS = int(sys.argv[1]) if len(sys.argv) > 1 else 5


def seconds(call, clock=time.process_time):
    start = clock()
    call()
    return clock() - start


def kernel_of(data):
    """The Gram matrix of the constraints' rows (x_selected - x_t) z', without making the rows, and the origin."""
    G = peers.gram(data)
    kernel = np.zeros((len(G) + 1, len(G) + 1))
    kernel[:-1, :-1] = G
    return kernel


def fit(kernel):
    labels = np.append(np.ones(len(kernel) - 1), -1)
    SVC(kernel="precomputed", C=1e9, tol=1e-10, cache_size=2000).fit(kernel, labels)


def children():
    times = os.times()
    return times.children_user + times.children_system


def shown(value):
    return f"{1000 * value:.1f} ms" if value < 1 else f"{value:.2f} s"


def line(*columns):
    print("| " + " | ".join(columns) + " |", flush=True)


def margin_problems():
    columns = ("", "certify", "form enclosure", "SVC, solver alone", "SVC from the arrays", "certify / alone",
               "/ from the arrays", "enclosure / alone", "/ from the arrays", "bar")
    line(*columns)
    line(*["---"] * len(columns))
    for name, bar in BARS.items():
        data = make_instance.make(name)
        kernel = kernel_of(data)
        calls = {"attest": lambda: attest.certify(**data),
                 "enclosure": lambda: attest.certify(**data, form="enclosure"),
                 "alone": lambda: fit(kernel), "arrays": lambda: fit(kernel_of(data))}
        # Each several times in a row, so that none pays for what another left in the caches.
        in_a_row = {"S1": 20, "S2": 5}.get(name, 2)
        times = [{key: min(seconds(call) for _ in range(in_a_row)) for key, call in calls.items()}
                 for _ in range(REPEATS)]
        least = {key: min(turn[key] for turn in times) for key in calls}
        ratios = [f"{least[ours] / least[theirs]:.2f} x" for ours in ("attest", "enclosure")
                  for theirs in ("alone", "arrays")]
        line(name, *map(shown, least.values()), *ratios, f"{bar} x")


def many():
    instances = [make_instance.make("S1", seed) for seed in range(1000)]
    for form in ("auto", "enclosure"):
        began = time.process_time()
        wall = seconds(lambda: attest.certify_all(instances, jobs=2, form=form), time.perf_counter)
        print(f"1000 S1 instances, one call, jobs=2, form {form}: {shown(wall)}, of processors "
              f"{shown(time.process_time() - began)} (bar 10 s)")


def imports():
    def least(code):
        return min(seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), children)
                   for _ in range(5))

    print(f"import attest: {shown(least('import attest'))} with the interpreter's start, of which "
          f"{shown(least('import numpy'))} are Python's and NumPy's (bar 300 ms)")


if __name__ == "__main__":
    margin_problems()
    many()
    imports()
