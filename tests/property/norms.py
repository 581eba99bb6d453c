#!/usr/bin/env python3
"""norms.py ATTEST CHECKER: `attest certify --norm` on random small instances. What it says is computed again from the
instance and the certificate's matrices, in fractions and decimals of 80 digits (the spectral norm by power iteration in
floats), by code that shares nothing with either program; and the checker accepts it. Values must scale, and agree
between norms as norms do."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 80
NORMS = {"nuc": "nuclear", "l7/4": "l7/4", "l3": "l3", "l1.25": "l5/4", "l1": "l1", "linf": "linf"}


def rational(word):
    odd, _, twos = word.partition("*2^")
    return Fraction(odd) * Fraction(2) ** int(twos or 0)


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def instance(rng, scale):
    n, d, e = rng.randint(1, 5), rng.randint(1, 3), rng.randint(1, 3)
    X = [[[scale * rng.randint(-3, 3) for _ in range(d)] for _ in range(rng.randint(2, 3))] for _ in range(n)]
    return {"X": X, "Y": [1] * n, "v": [rng.randint(-2, 2) for _ in range(d)],
            "z": [[rng.randint(-3, 3) for _ in range(e)] for _ in range(n)], "alpha": [0] * n}


class Evidence:
    """The norm-optimum claim of a certificate."""

    def __init__(self, text):
        self.lines = [line.split(" ") for line in text.split("\n")]
        self.at = next(k for k, line in enumerate(self.lines) if line[:1] == ["claim"] and line[2] == "norm-optimum")
        self.words = self.lines[self.at]
        self.lo, self.hi = rational(self.words[8]), rational(self.words[9])

    def matrix(self, name):
        at = next(k for k in range(self.at, len(self.lines)) if self.lines[k][:2] == ["matrix", name])
        scale = Fraction(self.lines[at][-1])
        return [[Fraction(x) / scale for x in line] for line in self.lines[at + 1:at + 1 + int(self.lines[at][2])]]

    def multipliers(self):
        at = next(k for k in range(self.at, len(self.lines)) if self.lines[k][0] == "vector")
        word = self.lines[at][-1]
        scale = Fraction(2) ** int(word[2:]) if word.startswith("2^") else Fraction(word)
        return {(int(i), int(t)): Fraction(x) / scale for i, t, x in self.lines[at + 1:at + 1 + int(self.lines[at][2])]}


def product(K, Q):
    return [[sum(a * b for a, b in zip(k, q)) for q in Q] for k in K]


def power_norm(matrix, p):
    sizes = [abs(decimal(x)) for row in matrix for x in row if x]
    return sum(x ** p for x in sizes) ** (1 / p)


def spectral_norm(matrix):
    rows = [[float(x) for x in row] for row in matrix]
    vector = [1 + k / 7 for k in range(len(rows[0]))]
    size = 0.0
    for _ in range(3000):
        image = [sum(a * b for a, b in zip(row, vector)) for row in rows]
        vector = [sum(row[k] * image[i] for i, row in enumerate(rows)) for k in range(len(vector))]
        size = sum(x * x for x in vector) ** 0.5
        vector = [x / size for x in vector]
    return Decimal(size).sqrt()


def judge(data, norm, text):
    found = Evidence(text)
    W = product(found.matrix("left"), found.matrix("right")) if norm == "nuclear" else found.matrix("primal")
    rows = {}
    for i, group in enumerate(data["X"]):
        seen = [group[0]]
        for t, x in enumerate(group[1:], 1):
            if x not in seen:
                seen.append(x)
                rows[i, t] = [[(a - b) * c for c in data["z"][i]] for a, b in zip(group[0], x)]
    for place, row in rows.items():
        assert sum(a * b for r, w in zip(row, W) for a, b in zip(r, w)) >= 1, place
    multipliers = found.multipliers()
    assert all(x > 0 for x in multipliers.values())
    M = [[sum(x * rows[c][j][k] for c, x in multipliers.items()) for k in range(len(W[0]))] for j in range(len(W))]
    if norm == "nuclear":
        above = sum(x * x for name in ("left", "right") for row in found.matrix(name) for x in row) / 2
        assert above <= found.hi
        dual, slack = spectral_norm(M), Decimal("1e-9")
    elif norm in ("l1", "linf"):  # exactly
        one, other = (sum, max) if norm == "l1" else (max, sum)
        assert one(abs(x) for row in W for x in row) == found.hi
        assert found.lo * other(abs(x) for row in M for x in row) == sum(multipliers.values())
        return found
    else:
        p = decimal(Fraction(norm[1:]))
        assert power_norm(W, p) <= decimal(found.hi)
        dual, slack = power_norm(M, p / (p - 1)), Decimal("1e-60")
    assert decimal(found.lo) <= decimal(sum(multipliers.values())) / dual * (1 + slack)
    return found


def singular_values_squared(matrix):
    """Eigenvalues of W W', falling, by Jacobi rotations in decimals."""
    a = [[sum(decimal(x) * decimal(y) for x, y in zip(row, other)) for other in matrix] for row in matrix]
    n = len(a)
    for _ in range(40):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p][q]) < Decimal("1e-75"):
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = (1 if theta >= 0 else -1) / (abs(theta) + (theta * theta + 1).sqrt())
                c = 1 / (t * t + 1).sqrt()
                s = t * c
                for row in a:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                a[p], a[q] = ([c * x - s * y for x, y in zip(a[p], a[q])], [s * x + c * y for x, y in zip(a[p], a[q])])
    return sorted((a[k][k] for k in range(n)), reverse=True)


def judge_solution(data, text, said):
    """The claim norm-solution, against the matrix of norm-optimum, which is near the solution if there is one."""
    lines = [line.split(" ") for line in text.split("\n")]
    at = next((k for k, line in enumerate(lines) if line[:1] == ["claim"] and line[2] == "norm-solution"), None)
    assert (at is not None) == bool(said["unique"]) == (said["rank"] is not None)
    if at is None:
        return False
    near = Evidence(text)
    optimum = product(near.matrix("left"), near.matrix("right"))
    near.at = at
    W = product(near.matrix("left"), near.matrix("right"))
    assert int(lines[at][8]) == said["rank"]
    apart = max(abs(x - y) for row, other in zip(W, optimum) for x, y in zip(row, other))
    assert apart < Fraction(1, 10 ** 9) and rational(lines[at][10]) < Fraction(1, 10 ** 9), "far from the optimum"
    values = singular_values_squared(optimum)
    assert values[said["rank"] - 1] > Decimal("1e-20"), "a smaller rank"
    assert all(x < Decimal("1e-20") for x in values[said["rank"]:]), "a larger rank"
    listed = {tuple(pair) for pair in said["support"]}
    for i, group in enumerate(data["X"]):
        seen = [group[0]]
        for t, x in enumerate(group[1:], 1):
            if x in seen:
                continue
            seen.append(x)
            margin = sum((a - b) * w * c for a, b, row in zip(group[0], x, W) for w, c in zip(row, data["z"][i]))
            assert ((i, t) in listed) == (margin < 1 + Fraction(1, 10 ** 12)), (i, t)
    return True


def several_solutions(rng):
    """Two groups, features and queries orthogonal: the solutions are a segment at least, turned at random."""
    turns = [(3, 4), (5, 12), (1, 0), (8, -15), (0, 1)]
    (a, b), (c, d) = rng.choice(turns), rng.choice(turns)
    p, q = rng.randint(1, 4), rng.randint(1, 4)
    X = [[[p * a, p * b], [0, 0]], [[-q * b, q * a], [0, 0]]]
    return {"X": X, "Y": [1, 1], "v": [1, 1], "z": [[c, d], [-d, c]], "alpha": [0, 0]}


def main():
    attest, checker = sys.argv[1:]
    rng, decided, refuted, enclosed = random.Random(7), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path, certificate = pathlib.Path(folder) / "data.json", pathlib.Path(folder) / "data.cert"
        for number in range(14):
            state = rng.getstate()
            values = {}
            for scale in (1, 2) if number % 4 == 0 else (1,):
                rng.setstate(state)
                data = instance(rng, scale)
                path.write_text(json.dumps(data))
                for word, norm in NORMS.items():
                    answer = subprocess.run([attest, "certify", path, "--norm", word, "--json", "-o", certificate,
                                             "--force"], stdout=subprocess.PIPE, text=True)
                    said = json.loads(answer.stdout)
                    if said["verdict"] == "infeasible":
                        refuted += 1
                        continue
                    if said["claims"]:
                        subprocess.run([checker, path, certificate], check=True, stdout=subprocess.DEVNULL)
                    if said["vacuous"] or said["norm_value"] is None:
                        continue
                    found = judge(data, norm, certificate.read_text())
                    if norm == "nuclear":
                        enclosed += judge_solution(data, certificate.read_text(), said)
                    decided += said["verdict"] == "feasible"
                    if said["verdict"] == "feasible":
                        assert found.hi - found.lo <= (0 if norm in ("l1", "linf") else found.lo / 10 ** 30)
                    values[scale, norm] = (found.lo, found.hi)
            for norm in NORMS.values():
                if (1, norm) in values and (2, norm) in values:
                    (lo, hi), (lo2, hi2) = values[1, norm], values[2, norm]
                    assert 2 * lo2 <= hi and lo <= 2 * hi2, "half the norm for twice the tokens"
            for larger, smaller in (("l1", "l5/4"), ("l5/4", "l7/4"), ("l7/4", "l3"), ("l3", "linf"), ("l1", "nuclear"),
                                    ("nuclear", "l3")):
                if (1, larger) in values and (1, smaller) in values:
                    assert values[1, larger][1] >= values[1, smaller][0], (larger, smaller)
        for _ in range(8):
            path.write_text(json.dumps(several_solutions(rng)))
            answer = subprocess.run([attest, "certify", path, "--norm", "nuc", "--json", "-o", certificate, "--force"],
                                    stdout=subprocess.PIPE, text=True)
            said = json.loads(answer.stdout)
            assert said["verdict"] == "feasible" and said["unique"] is None and said["rank"] is None, said
            subprocess.run([checker, path, certificate], check=True, stdout=subprocess.DEVNULL)
    print(f"{decided} decided, {refuted} infeasible, {enclosed} with one nuclear solution")
    if decided < 20 or refuted < 4 or enclosed < 4:
        sys.exit("too few of either kind")


main()
