#!/usr/bin/env python3
"""norms.py ATTEST FOLDER [SEEDS]: `attest certify --norm` as whole processes, beside cvxopt's semidefinite solver on
the dual of the nuclear problem (the call alone, its relative gap) and SciPy's L-BFGS on that of the entrywise ones (the
gap of its multipliers and of their W, scaled until it is feasible). Processor seconds, and whether each bar is met."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded
import cvxopt
import cvxopt.solvers
import numpy as np
import scipy.optimize

import make_instance

# Of each size and norm: the gap asked for, and the seconds allowed, or the multiple of the peer's.
BARS = {("S1", "nuc"): [("1e-30", "x", 10)], ("S2", "nuc"): [("1e-9", "x", 1), ("1e-30", "x", 4)],
        ("S1", "l7/4"): [("1e-30", "s", 1)], ("S1", "l3"): [("1e-30", "s", 1)],
        ("S2", "l7/4"): [("1e-15", "s", 2)], ("S2", "l3"): [("1e-15", "s", 2)]}


def constraint_vectors(data):
    left, right = make_instance.differences(data)
    return left[:, :, None] * right[:, None, :]


def semidefinite(delta):
    """max sum lambda subject to [[I, M], [M', I]] >= 0, lambda >= 0."""
    m, d, e = delta.shape
    blocks = np.zeros((m, d + e, d + e))
    blocks[:, :d, d:] = delta
    blocks[:, d:, :d] = delta.transpose(0, 2, 1)
    G = cvxopt.matrix(blocks.reshape(m, -1).T)
    cvxopt.solvers.options.update(show_progress=False, reltol=1e-8, abstol=1e-12, feastol=1e-8)
    start = time.process_time()
    found = cvxopt.solvers.sdp(cvxopt.matrix(-np.ones(m)), Gl=cvxopt.matrix(-np.eye(m)),
                               hl=cvxopt.matrix(np.zeros(m)), Gs=[G], hs=[cvxopt.matrix(np.eye(d + e))])
    return time.process_time() - start, found["relative gap"] or float("nan")


def quasi_newton(delta, p):
    """min (1/q)||M||_q^q - sum lambda over lambda >= 0."""
    m = len(delta)
    rows, q = delta.reshape(m, -1), p / (p - 1)

    def value(multipliers):
        M = multipliers @ rows
        W = np.sign(M) * np.abs(M) ** (q - 1)
        return np.sum(np.abs(M) ** q) / q - multipliers.sum(), rows @ W - 1

    start = time.process_time()
    found = scipy.optimize.minimize(value, np.full(m, 1 / m), jac=True, method="L-BFGS-B", bounds=[(0, None)] * m,
                                    options={"maxiter": 20000, "maxfun": 40000, "maxcor": 30, "ftol": 1e-16,
                                             "gtol": 1e-12})
    seconds = time.process_time() - start
    M = found.x @ rows
    W = np.sign(M) * np.abs(M) ** (q - 1)
    upper = np.sum(np.abs(W) ** p) ** (1 / p) / np.min(rows @ W)
    return seconds, upper * np.sum(np.abs(M) ** q) ** (1 / q) / found.x.sum() - 1


def certified(attest, path, norm, gap):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [attest, "certify", path, "--norm", norm, "--gap", gap, "--json"]
    said = json.loads(subprocess.run(command, stdout=subprocess.PIPE).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said["relative_gap"]


def main():
    attest, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for name in ("S1", "S2"):
        for seed in range(int(sys.argv[3]) if len(sys.argv) > 3 else 3):
            data = make_instance.make(name, seed)
            path = folder / f"{name}.{seed}.npz"
            np.savez(path, **data)
            delta = constraint_vectors(data)
            for norm, peer in (("nuc", lambda: semidefinite(delta)), ("l7/4", lambda: quasi_newton(delta, 1.75)),
                               ("l3", lambda: quasi_newton(delta, 3))):
                other, left = peer()
                for gap, unit, bar in BARS[name, norm]:
                    seconds, reached = certified(attest, path, norm, gap)
                    measured = seconds / other if unit == "x" else seconds
                    met = reached is not None and float(reached) <= float(gap) and measured <= bar
                    print(f"{name} seed {seed} {norm:5} attest {seconds:7.3f} s, gap {reached}   "
                          f"peer {other:7.3f} s, gap {left:.1e}   bar: {gap} in {bar} {unit}, "
                          f"{measured:.2f}: {'met' if met else 'missed'}", flush=True)


main()
