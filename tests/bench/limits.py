#!/usr/bin/python3
"""limits.py BIN FOLDER [time|memory] [NAME ...]: do --time-limit and --memory-limit hold, whatever the command does?

Every command on the data of datasets.py, under several limits; a line for each, with what it took beyond the limit. A
limit of time holds when the command ends within a tenth of it or a second beyond it, one of memory when the process
never held more than a tenth beyond it, mapped files and the program's text (about 20 MB) apart.
"""
import os
import pathlib
import subprocess
import sys
import time

import numpy as np

import datasets

DATA = {"text of 100": lambda: datasets.text(100), "text 3,000 x 32 x 64": lambda: datasets.text(3000, seed=7),
        "digits": datasets.digits, "planted 100 x 32 x 64": lambda: datasets.planted(100, 32, 64),
        "planted 10,000 x 8 x 64": lambda: datasets.planted(10000, 8, 64, seed=7)}
SECONDS = (1, 2, 5, 10, 20)
MEGABYTES = (100, 200, 400, 1000)
PROGRAM = 20 << 20
RUN = ("--optimizer", "ngd", "--step", "1/10", "--steps", "100000")


def commands(folder, path, data):
    tokens, width = data["X"].shape[2], data["z"].shape[1] if "z" in data else data["X"].shape[2]
    np.save(folder / "W.npy", np.random.default_rng(0).standard_normal((tokens, width)))
    chosen = () if "alpha" in data else ("--select", datasets.selection_of(data))
    return {"certify": ("certify", path, *chosen, "-o", folder / "limits.attest", "--force"),
            "audit": ("audit", path, "-o", folder / "limits", "--force"), "verify": ("verify", path, *chosen),
            "path": ("path", path, "-o", folder / "path.attest", "--force"),
            "run": ("run", path, *RUN, "-o", folder / "run.attest", "--force"),
            "run --joint": ("run", path, "--joint", *RUN),
            "run, (K,Q)": ("run", path, "--parameterization", "kq", *RUN),
            "run, mirror": ("run", path, "--potential", "3", *RUN[2:], "--optimizer", "nmd"),
            "selections": ("selections", path, "-o", folder / "selections.attest", "--force"),
            "checkpoint": ("checkpoint", path, "--W", folder / "W.npy", "-o", folder / "layer.attest", "--force")}


def sentences(folder):
    random = np.random.default_rng(0)
    words = [" ".join(f"w{k}" for k in random.integers(0, 60, 12)) for _ in range(400)]
    (folder / "sentences.txt").write_text("\n".join(words) + "\n")
    return {"ntp": ("ntp", folder / "sentences.txt", "-o", folder / "ntp", "--force")}


def measured(arguments):
    """(status, wall seconds, largest anonymous memory in bytes)"""
    start = time.perf_counter()
    child = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while True:
        done, status = os.waitpid(child.pid, os.WNOHANG)
        if done:
            child.returncode = os.waitstatus_to_exitcode(status)
            return child.returncode, time.perf_counter() - start, most
        try:
            with open(f"/proc/{child.pid}/statm", encoding="ascii") as file:
                _, resident, shared = map(int, file.read().split()[:3])
                most = max(most, (resident - shared) * os.sysconf("SC_PAGE_SIZE"))
        except (FileNotFoundError, ProcessLookupError, ValueError):
            pass
        time.sleep(0.01)


def main():
    binary, folder = pathlib.Path(sys.argv[1]) / "attest", pathlib.Path(sys.argv[2])
    kinds = [word for word in sys.argv[3:4] if word in ("time", "memory")] or ["time", "memory"]
    names = [word for word in sys.argv[3:] if word not in ("time", "memory")]
    broken = 0
    datasets.line("data", "command", "limit", "took", "beyond", "status", "")
    datasets.line(*["---"] * 7)
    for name in names or [*DATA, "sentences"]:
        if name == "sentences":
            asked = sentences(folder)
        else:
            data = DATA[name]()
            np.savez(folder / "limits.npz", **data)
            asked = commands(folder, folder / "limits.npz", data)
        for word, arguments in asked.items():
            for limit in SECONDS if "time" in kinds else ():
                status, wall, _ = measured((binary, *arguments, "--time-limit", limit))
                good = wall <= limit + max(1, limit / 10)
                broken += not good
                datasets.line(name, word, f"{limit} s", f"{wall:.1f} s", f"{max(0, wall - limit):.1f} s", status,
                              "" if good else "too long")
            for limit in MEGABYTES if "memory" in kinds else ():
                status, _, most = measured((binary, *arguments, "--memory-limit", limit * 10**6, "--time-limit", 20))
                good = most <= limit * 1.1e6 + PROGRAM
                broken += not good
                held = most / 1e6
                datasets.line(name, word, f"{limit} MB", f"{held:.0f} MB", f"{max(0, held - limit):.0f} MB", status,
                              "" if good else "too much")
    return broken != 0


if __name__ == "__main__":
    sys.exit(main())
