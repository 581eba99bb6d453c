#!/usr/bin/python3
"""python_bench.py [REPEATS]: the Python package in process beside scikit-learn's SVC on the same arrays.

PYTHONPATH=build/release/python. `attest.certify` takes X, Y, v, z and makes the certificate. SVC is asked in two ways: the
solver call alone, on a Gram matrix that is there (nothing else counted); and from the arrays, as one would: rows
(x_selected - x_t) z' of every constraint and the origin, linear kernel. Least processor times, the programs in turn.
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
REPEATS = int(sys.argv[1]) if len(sys.argv) > 1 else 9


def seconds(call, clock=time.process_time):
    start = clock()
    call()
    return clock() - start


def solver_alone(data):
    kernel = gram_and_origin(data)
    labels = np.append(np.ones(len(kernel) - 1), -1)
    return seconds(lambda: SVC(kernel="precomputed", C=1e9, tol=1e-10, cache_size=2000).fit(kernel, labels))


def gram_and_origin(data):
    G = peers.gram(data)
    kernel = np.zeros((len(G) + 1, len(G) + 1))
    kernel[:-1, :-1] = G
    return kernel


def from_arrays(data):
    left, right = make_instance.differences(data)
    rows = np.einsum("ca,cb->cab", left, right).reshape(len(left), -1)
    rows = np.vstack([rows, np.zeros(rows.shape[1])])
    SVC(kernel="linear", C=1e9, tol=1e-10, cache_size=2000).fit(rows, np.append(np.ones(len(left)), -1))


def children():
    times = os.times()
    return times.children_user + times.children_system


def shown(value):
    return f"{1000 * value:.1f} ms" if value < 1 else f"{value:.2f} s"


def line(*columns):
    print("| " + " | ".join(columns) + " |", flush=True)


def margin_problems():
    line("", "attest.certify", "SVC, solver alone", "ratio", "SVC from the arrays", "ratio", "bar")
    line(*["---"] * 7)
    for name, bar in BARS.items():
        data = make_instance.make(name)
        times = {"attest": [], "alone": [], "arrays": []}
        for _ in range(REPEATS if name != "S3" else max(3, REPEATS // 3)):
            times["attest"].append(seconds(lambda: attest.certify(**data)))
            times["alone"].append(solver_alone(data))
            times["arrays"].append(seconds(lambda: from_arrays(data)))
        mid = {key: min(values) for key, values in times.items()}
        line(name, shown(mid["attest"]), shown(mid["alone"]), f"{mid['attest'] / mid['alone']:.2f} x",
             shown(mid["arrays"]), f"{mid['attest'] / mid['arrays']:.2f} x", f"{bar} x")


def many():
    instances = [make_instance.make("S1", seed) for seed in range(1000)]
    print(f"\n1000 S1 instances, one call, jobs=2: "
          f"{shown(seconds(lambda: attest.certify_all(instances, jobs=2), time.perf_counter))} (bar 10 s)")


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
