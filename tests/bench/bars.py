#!/usr/bin/python3
"""bars.py BIN FOLDER [large|planted|threads|small ...]: certify on sizes that have a bar of their own.

large: 100,000 sequences of 16 tokens in 32 dimensions, in binary32.
planted: n x T x d with the selection of a planted teacher: processor and wall seconds, peak memory, the relative gap
that is proved of the norm, and both checkers on the certificate. threads: S4 on one core and on two, the least of some
rounds. small: data that a single row or two opposite rows decide, beside what reading them takes (`attest info`).
"""
import decimal
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np

import datasets
import make_instance

PATIENCE = 900  # seconds of the clock for one program
MEMORY = 9_000_000_000  # bytes, for a checker
ROUNDS = 5


def run(*arguments, cores=None):
    """(processor seconds, wall seconds, peak bytes, status, standard output) of a program on the cores given."""
    start = time.perf_counter()
    child = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             preexec_fn=lambda: os.sched_setaffinity(0, cores) if cores else None)
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    return (usage.ru_utime + usage.ru_stime, time.perf_counter() - start, 1024 * usage.ru_maxrss,
            os.waitstatus_to_exitcode(status), out)


def written(folder, name, data):
    path = folder / (name.replace(" ", "-").replace(",", "") + ".npz")
    np.savez(path, **data)
    return path


def gap(found):
    norm = found["norm_value"]
    if norm is None:
        return "none"
    lo, hi = decimal.Decimal(norm["lo"]), decimal.Decimal(norm["hi"])
    return f"{(hi - lo) / lo:.0e}"


def certify_and_check(binaries, folder, title, name, data):
    path, certificate = written(folder, name, data), folder / f"{name}.attest"
    cpu, wall, memory, status, out = run(binaries / "attest", "certify", path, "-o", certificate, "--force", "--json")
    found = json.loads(out)
    active = len(found["support"]) if found["support"] is not None else None
    datasets.line(title, "attest certify", f"{cpu:.1f} s", f"{wall:.1f} s", f"{memory / 1e6:.0f} MB", status,
                  f"{found['verdict']}, relative gap of the norm {gap(found)}, {active} proved active")
    for program in ("attest-check", "attest-check-verified"):
        cpu, wall, memory, status, _ = run(binaries / program, path, certificate, "--time-limit", PATIENCE,
                                           "--memory-limit", MEMORY)
        datasets.line(title, program, f"{cpu:.1f} s", f"{wall:.1f} s", f"{memory / 1e6:.0f} MB", status, "")


def large(binaries, folder):
    data = {key: values.astype(np.float32) if values.dtype == float else values
            for key, values in datasets.planted(100000, 16, 32).items()}
    datasets.line("data", "who", "CPU", "wall", "memory", "status", "says")
    datasets.line(*["---"] * 7)
    certify_and_check(binaries, folder, "100,000 x 16 x 32, binary32", "large", data)


def planted(binaries, folder):
    datasets.line("data", "who", "CPU", "wall", "memory", "status", "says")
    datasets.line(*["---"] * 7)
    for name in ("S5", "S6"):
        n, tokens, d = make_instance.SIZES[name]
        certify_and_check(binaries, folder, f"{n:,} x {tokens} x {d}", name, make_instance.make(name))


def main_thread_seconds(process):
    """Processor seconds of the main thread alone, looked at until the process ends."""
    seconds = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/task/{process.pid}/schedstat", encoding="ascii") as file:
                seconds = int(file.read().split()[0]) / 1e9
        except (FileNotFoundError, ProcessLookupError, ValueError):
            pass
        time.sleep(0.005)
    return seconds


def threads(binaries, folder):
    """The main thread computes whatever another one does, or waits for it: on an idle machine its processor time is
    the wall's, which other work makes meaningless."""
    path = written(folder, "S4", make_instance.make("S4"))
    datasets.line("cores", "CPU", "wall", "main thread", "share of one core's")
    datasets.line(*["---"] * 5)
    one = None
    for cores in ({0}, {0, 1}):
        rounds = [run(binaries / "attest", "certify", path, cores=cores) for _ in range(ROUNDS)]
        cpu, wall = min(r[0] for r in rounds), min(r[1] for r in rounds)
        main = min(main_thread_seconds(subprocess.Popen([binaries / "attest", "certify", path],
                                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                        preexec_fn=lambda: os.sched_setaffinity(0, cores)))
                   for _ in range(ROUNDS))
        one = one or main
        datasets.line(len(cores), f"{cpu:.2f} s", f"{wall:.2f} s", f"{main:.2f} s", f"{main / one:.2f}")


def small(binaries, folder):
    zero = datasets.planted(3000, 32, 64)
    zero["z"][17] = 0
    double = datasets.text(3000)  # the same tokens in another sentence, with the selected and another one exchanged
    double["alpha"] = np.argmax(double["Y"][:, None] * (double["X"].astype(float) @ double["v"].astype(float)), axis=1)
    double["X"][2999] = double["X"][5]
    double["alpha"][2999] = (double["alpha"][5] + 1) % 31
    cases = {"first 100 digits": datasets.digits(100), "a query of zeros, 3,000 x 32 x 64": zero,
             "a sentence twice, 3,000 x 32 x 64": double}
    datasets.line("data", "certify: CPU", "wall", "info: CPU", "wall", "beyond reading: CPU", "says")
    datasets.line(*["---"] * 7)
    for name, data in cases.items():
        path = written(folder, name, data)
        chosen = [] if "alpha" in data else ["--select", datasets.selection_of(data)]
        reading = min(run(binaries / "attest", "info", path)[:2] for _ in range(ROUNDS))
        best = min((run(binaries / "attest", "certify", path, *chosen, "--json") for _ in range(ROUNDS)),
                   key=lambda r: r[0])
        datasets.line(name, f"{best[0]:.2f} s", f"{best[1]:.2f} s", f"{reading[0]:.2f} s", f"{reading[1]:.2f} s",
                      f"{best[0] - reading[0]:.2f} s", json.loads(best[4])["verdict"])


if __name__ == "__main__":
    bars = {"large": large, "planted": planted, "threads": threads, "small": small}
    for word in sys.argv[3:] or ("small", "threads", "planted"):
        bars[word](pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
