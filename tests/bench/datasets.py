#!/usr/bin/python3
"""datasets.py peers|cousins BIN FOLDER [NAME ...]: kinds of data that people have, and who decides them.

peers: is there a W with all margins >= 1? attest and attest-check beside HiGHS (through SciPy), scikit-learn's
LinearSVC and SVC, and cvxopt on the same rows, each in a process of its own with the same bound of processor time: who
decides, in what time, with what proof, and the ratio to attest certify. cousins: `attest audit --time-limit 150` of
other data of the same kinds, with every conflict asked of HiGHS.
"""
import json
import multiprocessing
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import warnings

import numpy as np

import make_instance

CPU_LIMIT = 300  # seconds of processor time of one peer
MEMORY_LIMIT = 8  # GB of one peer


def text(sentences, words=32, d=64, seed=0, repeat=False, asks=-1):
    """Sentences of words drawn as often as words are (Zipf), different ones or not, embedded by unit vectors; asks is
    the place of the one that asks."""
    random = np.random.default_rng([seed, sentences, words, d])
    frequency = 1 / np.arange(1, 2001)
    frequency /= frequency.sum()
    embedding = make_instance.unit(random.standard_normal((len(frequency), d))).astype(np.float32)
    ids = np.stack([random.choice(len(frequency), words, replace=repeat, p=frequency) for _ in range(sentences)])
    return {"X": embedding[ids], "Y": random.choice(np.array([-1, 1]), sentences), "query": np.array(asks),
            "v": random.standard_normal(d).astype(np.float32)}


def digits(count=1797, seed=0, large=False, asks=0):
    """scikit-learn's handwritten digits in 16 patches of 2 x 2 pixels, even against odd ones or small against large
    ones; asks is the patch that asks, at first a corner, which is blank in most images."""
    from sklearn.datasets import load_digits
    bunch = load_digits()
    patches = bunch.images.reshape(-1, 4, 2, 4, 2).transpose(0, 1, 3, 2, 4).reshape(-1, 16, 4)
    random = np.random.default_rng([seed, count])
    chosen = random.permutation(len(patches))[:count]
    kind = bunch.target[chosen] > 4 if large else bunch.target[chosen] % 2
    return {"X": (patches[chosen] / 16).astype(np.float32), "Y": 1 - 2 * kind.astype(int), "query": np.array(asks),
            "v": random.standard_normal(4).astype(np.float32)}


def planted(sentences, tokens, d, seed=0):
    """Random tokens and queries, the selection that some W makes: separable."""
    random = np.random.default_rng([seed, sentences, tokens, d])
    data = {"X": make_instance.unit(random.standard_normal((sentences, tokens, d))),
            "z": make_instance.unit(random.standard_normal((sentences, d))),
            "v": make_instance.unit(random.standard_normal(d)), "Y": random.choice(np.array([-1, 1]), sentences)}
    teacher = random.standard_normal((d, d))
    data["alpha"] = np.argmax(np.einsum("itd,de,ie->it", data["X"], teacher, data["z"]), axis=1)
    return data


PEERS = {"text of 100": lambda: text(100), "digits": digits, "first 100 digits": lambda: digits(100),
         "planted 1,000 x 8 x 32": lambda: planted(1000, 8, 32),
         # 93,000 and 70,000 rows of 4,096 numbers: 3 GB and 2.3 GB where a peer wants them all.
         "text 3,000 x 32 x 64": lambda: text(3000, seed=7),
         "planted 10,000 x 8 x 64": lambda: planted(10000, 8, 64, seed=7)}
COUSINS = {"digits": lambda: digits(seed=7),
           "digits, a central patch asks": lambda: digits(seed=8, large=True, asks=5),
           "text 3,000 x 32 x 64": lambda: text(3000, seed=7),
           "text with equal words": lambda: text(3000, seed=8, repeat=True, asks=0),
           "text of 100": lambda: text(100, seed=7)}


def factors(data, selection):
    """The rows dx z' of every sequence, as (dx of its tokens, z)."""
    for i, alpha in enumerate(selection):
        tokens = data["X"][i].astype(float)  # differences of binary32 rows are not all of binary32
        query = data["z"][i].astype(float) if "z" in data else tokens[int(data["query"])]
        yield tokens[alpha] - tokens, query


def dense_rows(data):
    selection = data.get("alpha")
    if selection is None:
        selection = np.argmax(data["Y"][:, None] * (data["X"].astype(float) @ data["v"].astype(float)), axis=1)
    return np.concatenate([np.einsum("ta,b->tab", np.delete(dx, selection[i], axis=0), z).reshape(len(dx) - 1, -1)
                           for i, (dx, z) in enumerate(factors(data, selection))])


def says(feasible, how):
    return ("feasible" if feasible else "infeasible") if feasible is not None else "undecided", how


def linprog(data):
    from scipy.optimize import linprog as solve
    rows = dense_rows(data)
    answer = solve(np.zeros(rows.shape[1]), A_ub=-rows, b_ub=-np.ones(len(rows)), bounds=(None, None), method="highs")
    feasible = {0: True, 2: False}.get(answer.status)
    left = f"violation {np.max(1 - rows @ answer.x):.0e}" if feasible else "none handed out"
    return says(feasible, left)


def milp(data):
    """How many sequences must go: one binary a sequence, which lifts its rows by 1,000."""
    from scipy.optimize import Bounds, LinearConstraint, milp as solve
    from scipy.sparse import csr_matrix, hstack
    rows, n, tokens = dense_rows(data), len(data["Y"]), data["X"].shape[1]
    lift = csr_matrix((np.full(len(rows), 1000.0), (np.arange(len(rows)), np.repeat(np.arange(n), tokens - 1))))
    whole = hstack([csr_matrix(rows), lift]).tocsr()
    unknowns = rows.shape[1]
    free, binary = np.full(unknowns, np.inf), np.ones(n)
    answer = solve(np.concatenate([np.zeros(unknowns), binary]), constraints=LinearConstraint(whole, lb=1),
                   integrality=np.concatenate([np.zeros(unknowns), binary]),
                   bounds=Bounds(np.concatenate([-free, 0 * binary]), np.concatenate([free, binary])),
                   options={"time_limit": CPU_LIMIT / 2})
    if answer.x is None:
        return says(None, "no set found")
    least = np.ceil((answer.mip_dual_bound or 0) - 1e-6)
    feasible = True if answer.fun == 0 else False if least > 0 else None
    return says(feasible, f"{least:.0f} to {answer.fun:.0f} must go (|margin| < 1,000)")


def linear_svc(data):
    from sklearn.svm import LinearSVC
    rows = dense_rows(data)
    sign = np.where(np.arange(len(rows)) % 2 == 0, 1, -1)
    model = LinearSVC(loss="hinge", dual=True, C=1e9, fit_intercept=False, tol=1e-6, max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it stops at max_iter
        model.fit(rows * sign[:, None], sign)
    return by_margins(rows @ model.coef_[0])


def svc(data):
    """Rows against the origin, as in peers.py."""
    import peers
    rows = dense_rows(data)
    kernel = np.zeros((len(rows) + 1, len(rows) + 1))
    kernel[:-1, :-1] = rows @ rows.T
    _, multipliers = peers.fit_svc(kernel, np.append(np.ones(len(rows)), -1))
    return by_margins(kernel[:-1, :-1] @ multipliers[:-1] / 2)


def by_margins(margins):
    least = np.min(margins)
    return says(True if least > 1e-6 else None, f"least margin {least:.1e}")


def cvxopt(data):
    from cvxopt import matrix, solvers
    rows = dense_rows(data)
    solvers.options.update(show_progress=False)
    answer = solvers.lp(matrix(np.zeros(rows.shape[1])), matrix(-rows), matrix(-np.ones(len(rows))))
    feasible = {"optimal": True, "primal infeasible": False}.get(answer["status"])
    if feasible is False:
        return says(False, f"Farkas vector, residual {answer['residual as primal infeasibility certificate']:.0e}")
    if feasible is None:
        return says(None, answer["status"])
    return says(True, f"violation {np.max(1 - rows @ np.array(answer['x']).ravel()):.0e}")


def child(peer, data, pipe):
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT << 30, MEMORY_LIMIT << 30))
    try:
        pipe.send(peer(data))
    except MemoryError:
        pipe.send(("undecided", f"does not fit into {MEMORY_LIMIT} GB"))
    except (ArithmeticError, ValueError, TypeError) as error:  # a solver's own failure
        pipe.send(("undecided", f"{type(error).__name__}: {str(error)[:40]}"))


def ask(peer, data):
    """(processor seconds, wall seconds, verdict, proof) of a peer in a process of its own."""
    receive, send = multiprocessing.Pipe(False)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = multiprocessing.Process(target=child, args=(peer, data, send))
    process.start()
    send.close()
    try:
        verdict, proof = receive.recv()
    except EOFError:
        verdict, proof = "undecided", None
    process.join()
    if proof is None:
        late = process.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
        proof = f"ended at {CPU_LIMIT} s" if late else f"died: exit {process.exitcode}"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - start, verdict, proof


def run(*arguments):
    """(processor seconds, wall seconds, status, standard output) of a program."""
    start = time.perf_counter()
    child = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, os.waitstatus_to_exitcode(status), out


def line(*columns):
    print("| " + " | ".join(str(c) for c in columns) + " |", flush=True)


def compare(binaries, folder, names):
    line("data", "rows x unknowns", "who", "CPU", "wall", "ratio", "says", "with what proof")
    line(*["---"] * 8)
    for name in names or PEERS:
        data = PEERS[name]()
        path, certificate = folder / "peers.npz", folder / "peers.attest"
        np.savez(path, **data)
        n, tokens, d = data["X"].shape
        size = f"{n * (tokens - 1):,} x {d * d:,}"
        chosen = [] if "alpha" in data else ["--select", selection_of(data)]
        cpu, wall, _, out = run(binaries / "attest", "certify", path, *chosen, "-o", certificate, "--json")
        verdict = json.loads(out)["verdict"]
        checked = run(binaries / "attest-check", path, certificate)
        line(name, size, "attest certify", f"{cpu:.2f} s", f"{wall:.2f} s", "1", verdict, "certificate")
        line(name, size, "attest-check", f"{checked[0]:.2f} s", f"{checked[1]:.2f} s", f"{checked[0] / cpu:.2f}",
             verdict if checked[2] == 0 else f"status {checked[2]}", "in exact integers")
        for title, peer in (("HiGHS, linprog", linprog), ("HiGHS, milp", milp), ("LinearSVC", linear_svc), ("SVC", svc),
                            ("cvxopt, lp", cvxopt)):
            seconds, elapsed, verdict, proof = ask(peer, data)
            line(name, size, title, f"{seconds:.2f} s", f"{elapsed:.2f} s", f"{seconds / cpu:.1f}", verdict, proof)


def selection_of(data):
    scores = data["Y"][:, None] * (data["X"].astype(float) @ data["v"].astype(float))
    return ",".join(map(str, np.argmax(scores, axis=1)))


def conflict_is_confirmed(data, selection, rows):
    """HiGHS finds no W that separates the conflict's rows (in coordinates of their span)."""
    from scipy.optimize import linprog as solve
    pairs = list(factors({**data, "X": data["X"][[i for i, _ in rows]],
                          **({"z": data["z"][[i for i, _ in rows]]} if "z" in data else {})},
                         [selection[i] for i, _ in rows]))
    vectors = np.array([np.outer(dx[t], z).ravel() for (dx, z), (_, t) in zip(pairs, rows)])
    length = np.linalg.norm(vectors, axis=1)
    vectors /= np.where(length > 0, length, 1)[:, None]
    triangle = np.linalg.qr(vectors.T, mode="r")
    answer = solve(np.zeros(len(triangle)), A_ub=-triangle.T, b_ub=-np.ones(len(rows)), bounds=(None, None),
                   method="highs")
    return answer.status == 2


def audit_cousins(binaries, folder, names):
    line("data", "CPU", "wall", "verdict", "must go", "conflicts", "confirmed by HiGHS", "attest-check: CPU", "status")
    line(*["---"] * 9)
    for name in names or COUSINS:
        data = COUSINS[name]()
        path = folder / "cousin.npz"
        np.savez(path, **data)
        cpu, wall, _, out = run(binaries / "attest", "audit", path, "-o", folder, "--force", "--json",
                              "--time-limit", 150)
        found = json.loads(out)["instances"][0]
        selection = found["selection"]
        confirmed = sum(conflict_is_confirmed(data, selection, conflict["rows"]) for conflict in found["conflicts"])
        checked = run(binaries / "attest-check", path, found["certificates"][0]["path"])
        drop = found["drop"]
        line(name, f"{cpu:.1f} s", f"{wall:.1f} s", found["margin_problem"]["verdict"],
             f"{drop['at_least']} to {drop['at_most']}", len(found["conflicts"]), confirmed, f"{checked[0]:.1f} s",
             checked[2])


if __name__ == "__main__":
    {"peers": compare, "cousins": audit_cousins}[sys.argv[1]](pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]),
                                                               sys.argv[4:])
