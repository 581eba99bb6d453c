#!/usr/bin/env python3
"""bench.py BIN FOLDER [S1 ...]: one table, this project's programs beside their peers on the same instances.

attest and attest-check are timed as whole processes, reading and writing included; the peers in process, the solver
call alone. Medians; the number of repetitions falls with the cost.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

import make_instance
import peers

BIN, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
NAMES = sys.argv[3:] or ["S1", "S2", "S3", "S4"]


def repeated(function, budget=4.0, most=15):
    """Median of the first results, as many as fit the time budget; keeps the last second value."""
    results, start = [], time.perf_counter()
    while len(results) < most and (not results or time.perf_counter() - start < budget):
        results.append(function())
    return statistics.median(r[0] for r in results), results[-1][1]


def process(*arguments):
    """(seconds, peak megabytes) of one process; a failure stops the benchmark."""
    start = time.perf_counter()
    child = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}: status {status}")
    return seconds, usage.ru_maxrss / 1024


def cgal(name, data):
    left, right = make_instance.differences(data)
    path = FOLDER / f"{name}.cgal"
    rows = [" ".join(float(x).hex() for x in np.concatenate(row)) for row in zip(left, right)]
    path.write_text(f"{len(left)} {left.shape[1]} {right.shape[1]}\n" + "\n".join(rows) + "\n")
    out = subprocess.run([BIN / "cgal_qp", path], check=True, capture_output=True, text=True).stdout.split()
    return float(out[0]), "exact"


def line(*columns):
    print("| " + " | ".join(str(c).ljust(w) for c, w in zip(columns, (4, 34, 11, 26, 30))) + " |", flush=True)


def seconds(value):
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def main():
    line("", "what", "median", "leaves open / size", "ratio to attest")
    line("---", "---", "---", "---", "---")
    for name in NAMES:
        path = FOLDER / f"{name}.npz"
        data = make_instance.make(name)
        np.savez(path, **data)
        certificate = {form: FOLDER / f"{name}-{form}.attest" for form in ("auto", "enclosure", "exact")}
        times = {}
        for form in ("auto", "enclosure", "exact"):
            if form == "exact" and name not in ("S1", "S2"):
                continue
            times[form], memory = repeated(lambda: process(BIN / "attest", "certify", path, "--form", form, "-o",
                                                           certificate[form]))
            size = certificate[form].stat().st_size
            line(name, f"attest certify --form {form}", seconds(times[form]),
                 f"{size / 1e3:.0f} kB, {memory:.0f} MB peak", "1")
            checked, memory = repeated(lambda: process(BIN / "attest-check", path, certificate[form]))
            line(name, f"attest-check ({form})", seconds(checked), f"{memory:.0f} MB peak",
                 f"{checked / times[form]:.2f} x certify")
        rivals = [("SVC, tol 1e-10, one origin", lambda: peers.svc(data), "auto", ("S1", "S2", "S3")),
                  ("SVC, tol 1e-10, rows doubled", lambda: peers.svc_doubled(data), "auto", ("S1", "S2", "S3")),
                  ("cvxopt, tol 1e-13", lambda: peers.cvxopt(data), "auto", ("S1", "S2", "S3")),
                  ("LinearSVC", lambda: peers.linear_svc(data), "auto", ("S4",)),
                  ("CGAL QP, exact", lambda: cgal(name, data), "exact", ("S1", "S2"))]
        for title, run, form, where in rivals:
            if name not in where or (title.startswith("CGAL") and not (BIN / "cgal_qp").exists()):
                continue
            value, left_open = repeated(run)
            shown = left_open if isinstance(left_open, str) else f"violation {left_open:.1e}"
            line(name, title, seconds(value), shown, f"{value / times[form]:.2f} x attest ({form})")


if __name__ == "__main__":
    main()
