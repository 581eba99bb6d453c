#!/usr/bin/env python3
"""settings.py ATTEST CHECKER: held-out instances of other settings (causal, every token a query; sentences, one-hot
and with given embeddings) against a solver that shares nothing with either program: rows are made here from the data,
and the dual problem, min l'Gl/2 - sum l over l >= 0, is solved by Lawson's and Hanson's active sets in floats. Norms
agree to one part in a million, and the checker accepts every certificate."""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ACCURACY = 1e-6


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def solve(matrix, right):
    """Gauss with partial pivoting."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, size):
            factor = rows[i][k] / rows[k][k]
            for j in range(k, size + 1):
                rows[i][j] -= factor * rows[k][j]
    x = [0.0] * size
    for k in reversed(range(size)):
        x[k] = (rows[k][size] - sum(rows[k][j] * x[j] for j in range(k + 1, size))) / rows[k][k]
    return x


def least_norm(rows):
    """||W*|| for rows (dx, z), each asking <dx z', W> >= 1; they must be feasible."""
    G = [[dot(a[0], b[0]) * dot(a[1], b[1]) for b in rows] for a in rows]
    multipliers, active = [0.0] * len(rows), []
    while True:
        short = [1 - dot(g, multipliers) for g in G]
        worst = max((c for c in range(len(rows)) if c not in active), key=lambda c: short[c], default=None)
        if worst is None or short[worst] < 1e-9:
            return sum(multipliers) ** 0.5
        active.append(worst)
        while True:
            wanted = solve([[G[a][b] for b in active] for a in active], [1.0] * len(active))
            if min(wanted) > 0:
                break
            step = min(multipliers[c] / (multipliers[c] - x) for c, x in zip(active, wanted) if x <= 0)
            for c, x in zip(active, wanted):
                multipliers[c] += step * (x - multipliers[c])
            active = [c for c in active if multipliers[c] > 1e-12]
        multipliers = [0.0] * len(rows)
        for c, x in zip(active, wanted):
            multipliers[c] = x


def run(*arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True)


class Programs:
    def __init__(self, attest, checker, folder):
        self.attest, self.checker, self.folder = attest, checker, pathlib.Path(folder)

    def found(self, *arguments):
        done = run(self.attest, *arguments, "--json", "--force")
        if done.returncode != 0:
            raise SystemExit(f"{arguments}: status {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def accepted(self, instance, certificate):
        done = run(self.checker, instance, certificate)
        if done.returncode != 0:
            raise SystemExit(f"{certificate}: {done.stdout}{done.stderr}")


def agree(what, norm, expected):
    for end in (norm["lo"], norm["hi"]):
        if abs(float(end) / expected - 1) > ACCURACY:
            raise SystemExit(f"{what}: {end} where the other solver has {expected}")


def causal(programs, seed):
    """Tokens and the selection that a random matrix makes among those up to each query."""
    rng = random.Random(seed)
    n, tokens, d = 3, 5, 6
    X = [[[rng.randint(-8, 8) / 4 for _ in range(d)] for _ in range(tokens)] for _ in range(n)]
    teacher = [[rng.gauss(0, 1) for _ in range(d)] for _ in range(d)]
    alpha, rows = [], []
    for sequence in X:
        chosen = []
        for k, query in enumerate(sequence):
            image = [dot(row, query) for row in teacher]
            best = max(range(k + 1), key=lambda t: dot(sequence[t], image))
            chosen.append(best)
            rows += [([a - b for a, b in zip(sequence[best], sequence[t])], query) for t in range(k + 1) if t != best]
        alpha.append(chosen)
    instance = programs.folder / f"causal{seed}.json"
    instance.write_text(json.dumps({"X": X, "Y": [[1] * tokens] * n, "v": [1] * d, "setting": "causal",
                                    "alpha": alpha}))
    certificate = programs.folder / f"causal{seed}.attest"
    found = programs.found("certify", instance, "-o", certificate)
    agree(f"causal {seed}", found["norm_value"], least_norm(rows))
    programs.accepted(instance, certificate)


def npy(rows):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + b"".join(
        struct.pack("<d", x) for row in rows for x in row)


def sentences(programs, seed, embedded):
    """Each query prefers its tokens in an order of its own; a sentence ends in what is next to the preferred one."""
    rng = random.Random(seed)
    vocabulary, queries, d = 9, 3, 9
    after = list(range(vocabulary))
    rng.shuffle(after)
    text = [[x, after[x]] for x in range(vocabulary)]
    rank = [rng.sample(range(vocabulary), vocabulary) for _ in range(queries)]
    for _ in range(10):
        query = rng.randrange(queries)
        context = [rng.randrange(vocabulary) for _ in range(4)] + [query]
        text.append(context + [after[max(context, key=lambda x: rank[query][x])]])
    lines = programs.folder / f"text{seed}.txt"
    lines.write_text("".join(" ".join(map(str, line)) + "\n" for line in text))
    E = [[float(x == k) for k in range(d)] for x in range(vocabulary)]
    options = []
    if embedded:
        E = [[rng.randint(-6, 6) / 4 + 3 * (x == k) for k in range(d)] for x in range(vocabulary)]
        (programs.folder / f"E{seed}.npy").write_bytes(npy(E))
        options = ["--embeddings", programs.folder / f"E{seed}.npy"]
    prefix = programs.folder / f"text{seed}"
    found = programs.found("ntp", lines, "--tokens", "ids", "--steps", 0, "-o", prefix, *options)
    unit = [[float(u == k) for k in range(vocabulary)] for u in range(vocabulary)]
    expected = {
        "feed_forward": [([a - b for a, b in zip(unit[after[x]], unit[u])], E[x])
                         for x in range(vocabulary) for u in range(vocabulary) if u != after[x]],
        "attention": [([a - b for a, b in zip(E[x], E[t])], E[line[-2]]) for line in text[vocabulary:]
                      for x in [after.index(line[-1])] for t in sorted(set(line[:-1])) if t != x]}
    for stage, rows in expected.items():
        agree(f"sentences {seed}, {stage}", found[stage]["norm_value"], least_norm(rows))
        programs.accepted(f"{prefix}.npz", f"{prefix}-{stage.replace('_', '-')}.cert")


def main():
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(sys.argv[1], sys.argv[2], folder)
        for seed in range(900, 906):
            causal(programs, seed)
            sentences(programs, seed, embedded=seed % 2 == 1)


if __name__ == "__main__":
    main()
