#!/usr/bin/env python3
"""norm_mutations.py CHECKER CHECK_MANY CORPUS [VERIFIED MANY_VERIFIED]: changes every number of the corpus's
certificates about other norms, one at a time. What attest-check accepts must hold by the judge below, which has the
instances' solution by hand: the unit matrix in every norm, with margins 1, 1 and more; it works in decimals of 60
digits and never looks at how something is proved. Of paths it looks for a matrix that loses no more than the point of
the ray and is not as far along the dual matrix as is claimed. The verified checker, where it is given, must end alike
where it is asked."""
import itertools
import math
import pathlib
import re
import sys
import tempfile
from decimal import Decimal, getcontext
from fractions import Fraction

import factored_truth
from checked import checkers
from mirror_truth import Run, false_mirror_forever, false_mirror_run

getcontext().prec = 60
SLACK = Decimal("1e-50")
POSITIVE_GAPS = {(0, 1), (1, 1)}
TIGHT = {(0, 1), (1, 1)}


def rational(word):
    odd, _, twos = word.partition("*2^")
    return Fraction(odd) * Fraction(2) ** int(twos or 0)


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def least_norm(norm, instance="unit-matrix-c"):
    """Of the unit matrix, which is optimal; of first-entry-c its first entry is; of the problems of norm_face_claims.py
    in l1."""
    if instance in ("first-entry-c", "first-row-c"):
        return Decimal(1)
    if instance == "corner-c":
        return Decimal(1) / 3
    if norm in ("nuclear", "l1"):
        return Decimal(2)
    return Decimal(1) if norm == "linf" else Decimal(2) ** (1 / decimal(Fraction(norm[1:])))


def distance(norm, matrix):
    p = decimal(Fraction(norm[1:]))
    sizes = [abs(decimal(x - unit)) for row, line in enumerate(matrix) for x, unit in
             zip(line, [Fraction(row == column) for column in range(2)])]
    return sum(x ** p for x in sizes if x) ** (1 / p) if any(sizes) else Decimal(0)


def entries(lines, at):
    """Of the matrix whose first line this is."""
    return [[float(x) for x in row] for row in exact_entries(lines, at)]


class Path:
    """The problem whose margins are W_11, W_22 and 2 W_11 - 3 W_21, with the scores of best-unit-matrix-c; W row by
    row."""
    groups = ((2, 2), (1, 1), (0, 1))  # best score, gap

    def __init__(self, lines, optimum):
        at = next(k for k, words in enumerate(lines) if words[:3] == ["claim", optimum, "norm-optimum"])
        self.norm = lines[at][6]
        self.lo, self.hi = (float(rational(word)) for word in lines[at][8:10])
        matrix = entries(lines, at + 1)
        if self.norm == "nuclear":
            other = entries(lines, at + 2 + len(matrix))
            matrix = [[sum(a * b for a, b in zip(row, column)) for column in other] for row in matrix]
        vector = next(k for k in range(at, len(lines)) if lines[k][0] == "vector")
        scale = float(rational(lines[vector][-1].replace("2^", "1*2^")))
        rows = {("0", "1"): (1, 0, 0, 0), ("1", "1"): (0, 0, 0, 1), ("2", "1"): (2, 0, -3, 0)}
        size = int(lines[vector][2])
        bound = float(rational(lines[vector + 1 + size][1]))
        self.dual = [0.0] * 4
        for i, t, x in lines[vector + 1:vector + 1 + size]:
            self.dual = [n + int(x) / scale / bound * r for n, r in zip(self.dual, rows[i, t])]
        self.ray = [x / self.hi for row in matrix for x in row]

    def size(self, w):
        if self.norm == "nuclear":
            return math.sqrt(sum(x * x for x in w) + 2 * abs(w[0] * w[3] - w[1] * w[2]))
        if self.norm == "linf":
            return max(map(abs, w))
        p = float(Fraction(self.norm[1:]))
        return sum(abs(x) ** p for x in w) ** (1 / p)

    def excess(self, w):
        """The logarithm of the loss above that of the best scores."""
        total = 0.0
        for (best, gap), margin in zip(self.groups, (w[0], w[3], 2 * w[0] - 3 * w[2])):
            if margin < -700:
                return math.inf
            total += math.log1p(math.expm1(gap / (1 + math.exp(margin))) / (1 + math.exp(best)))
        return math.log(total)

    def objection(self, radius, constant):
        for r in (radius, 2 * radius, 5 * radius):
            if r / self.hi > 300:
                break
            here = [r * x for x in self.ray]
            most = self.excess(here)
            along = sum(n * x for n, x in zip(self.dual, here))
            step = r
            while step > r / 1000:
                moved = False
                for way in itertools.product((-1, 0, 1), repeat=4):
                    other = [x + step * move for x, move in zip(here, way)]
                    less = sum(n * x for n, x in zip(self.dual, other))
                    if less < along and self.size(other) <= r and self.excess(other) <= most:
                        here, along, moved = other, less, True
                step = step if moved else step / 2
            if along < self.lo / self.hi * r - constant - 1e-6:
                return f"{here} of size at most {r} is along {along} only"
        return ""


def far_from_rank(instance, lines, words):
    """The largest sum of singular values beyond the first ones of this number, of all matrices of the norm that the
    claim cited allows: with W_11 >= 1, of norm h, the second is at most h - 1; with W_22 >= 1 as well diag(h/2, h/2)
    is among them."""
    if int(words[10]) >= 2:
        return Fraction(0)
    cited = next(line for line in lines if line[:2] == ["claim", words[8]])
    high = rational(cited[9])
    return min(high - 1, high / 2) if instance == "first-entry-c" else high / 2


# The dimension of all solutions, and the constraints with margin 1 at each.
FACES = {("unit-matrix-c", "l1"): (0, {(0, 1), (1, 1)}), ("unit-matrix-c", "linf"): (2, {(0, 1), (1, 1)}),
         ("first-entry-c", "l1"): (0, {(0, 1)}), ("first-entry-c", "linf"): (3, {(0, 1)}),
         ("first-row-c", "l1"): (1, {(0, 1)}), ("corner-c", "l1"): (0, {(0, 1), (1, 1), (2, 1)})}


def face_objection(instance, lines, k):
    words = lines[k]
    dimension, tight = FACES[instance, words[6]]
    if not int(words[10]) <= dimension <= int(words[11]):
        return f"the dimension is {dimension}"
    listed = {tuple(map(int, line)) for line in lines[k + 1:k + 1 + int(words[13])]}
    return "" if listed <= tight else "a margin above 1 at a solution"


def solution_objection(instance, lines, k):
    """Of the claim in that line; square-c has a 25th of the unit matrix, first-entry-c a single 1."""
    known = {"square-c": ([[Fraction(1, 25), 0], [0, Fraction(1, 25)]], 2,
                          {("0", "1"), ("1", "1"), ("2", "1")}),
             "first-entry-c": ([[1, 0], [0, 0]], 1, {("0", "1")})}
    if instance not in known:
        return "several solutions"
    matrix, rank, support = known[instance]
    if int(lines[k][8]) != rank:
        return f"the rank is {rank}"
    left, right = exact_entries(lines, k + 1), exact_entries(lines, k + 4)
    apart = sum((sum(a * b for a, b in zip(row, other)) - x) ** 2
                for row, line in zip(left, matrix) for other, x in zip(right, line))
    if apart > rational(lines[k][10]) ** 2:
        return "the solution is further away"
    vector = k + 10
    listed = {tuple(line[:2]) for line in lines[vector + 1:vector + 1 + int(lines[vector][2])]}
    return "" if listed == support else "other support tokens"


def exact_entries(lines, at):
    scale = rational(lines[at][-1].replace("2^", "1*2^"))
    return [[rational(word) / scale for word in lines[at + 1 + row]] for row in range(int(lines[at][2]))]


def mirror_run(instance, lines, k):
    """The run of the claim in that line, its checkpoints and T13's constant with its first step."""
    loss = next(words[words.index("loss") + 1] for words in lines if "loss" in words)
    start = [0] * 4 if lines[k + 2][1] == "zero" else list(map(bounded, lines[k + 2][2:]))
    rule, schedule, step = lines[k + 1][1::2]
    checkpoints = {}
    for line in lines[k + 4:k + 4 + int(lines[k + 3][1])]:
        checkpoints[int(line[1])] = {line[j]: (bounded(line[j + 1]), bounded(line[j + 2]))
                                     for j in range(2, len(line), 3)}
    inequality = None
    if "inequality" in lines[k]:
        at = lines[k].index("inequality")
        inequality = bounded(lines[k][at + 1]), int(lines[k][at + 3])
    return Run(instance, float(Fraction(lines[k][6][1:])), loss, rule, schedule, bounded(step),
               start), checkpoints, inequality


def bounded(word):
    return float(min(max(rational(word), -10 ** 9), 10 ** 9))


def later_steps_objection(instance, lines, words):
    at = next(k for k, line in enumerate(lines) if line[:3] == ["claim", words[10], "mirror-run"])
    run, _, _ = mirror_run(instance, lines, at)
    rate, growth, unselected = words[14], words[16], words[18]
    return false_mirror_forever(run, int(words[12]), bounded(rate), None if growth == "none" else bounded(growth),
                                bounded(unselected))


def factored_run(instance, lines, k):
    """As mirror_run, of K and Q."""
    words = lines[k]
    loss = next(line[line.index("loss") + 1] for line in lines if "loss" in line)
    rule, schedule, step = lines[k + 1][1::2]
    start = [entries(lines, k + 2), entries(lines, k + 5)]
    nuclear = None
    if "nuclear" in words:
        cited = words[words.index("nuclear") + 1]
        at = next(j for j, line in enumerate(lines) if line[:3] == ["claim", cited, "norm-optimum"])
        left = entries(lines, at + 1)
        nuclear = factored_truth.product(left, factored_truth.columns(entries(lines, at + 2 + len(left))))
    checkpoints = {}
    for line in lines[k + 9:k + 9 + int(lines[k + 8][1])]:
        checkpoints[int(line[1])] = {line[j]: (bounded(line[j + 1]), bounded(line[j + 2]))
                                     for j in range(2, len(line), 3)}
    return factored_truth.Run(instance, loss, rule, schedule, bounded(step), start, nuclear), checkpoints


def factored_later_objection(instance, lines, words):
    at = next(k for k, line in enumerate(lines) if line[:3] == ["claim", words[6], "factored-run"])
    run, _ = factored_run(instance, lines, at)
    said = {word: bounded(words[words.index(word) + 1]) for word in ("margin", "growth", "attention", "drift")}
    share = (bounded(words[words.index("share") + 1]), float(least_norm("nuclear"))) if "share" in words else None
    return factored_truth.false_factored_forever(run, int(words[8]), said["margin"], said["growth"],
                                                 said["attention"], said["drift"], share)


def objection(text, instance):
    """Why something claimed is not true; empty when all is."""
    lines = [line.split(" ") for line in text.split("\n")]
    for k, words in enumerate(lines):
        if words[0] != "claim":
            continue
        kind, norm = words[2], words[6] if len(words) > 6 else ""
        if kind == "norm-optimum":
            lo, hi = (decimal(rational(word)) for word in words[8:10])
            least = least_norm(norm, instance)
            if not lo <= least + SLACK or not least <= hi + SLACK:
                return f"claim {words[1]}: the least norm is {least}"
            if "distance" in words:
                scale = rational(lines[k + 1][-1].replace("2^", "1*2^"))
                matrix = [[rational(word) / scale for word in lines[k + 2 + row]] for row in range(2)]
                if distance(norm, matrix) > decimal(rational(words[-1])) + SLACK:
                    return f"claim {words[1]}: the solution is {distance(norm, matrix)} away"
        elif kind == "norm-support-within":
            listed = {tuple(map(int, line)) for line in lines[k + 1:k + 1 + int(words[-1])]}
            if not TIGHT <= listed:
                return f"claim {words[1]}: a tight constraint is not listed"
        elif kind == "norm-locally-optimal" and not TIGHT <= POSITIVE_GAPS:
            return f"claim {words[1]}: not locally optimal"
        elif kind == "mirror-run":
            if why := false_mirror_run(*mirror_run(instance, lines, k)):
                return f"claim {words[1]}: {why}"
        elif kind == "mirror-forever":
            if why := later_steps_objection(instance, lines, words):
                return f"claim {words[1]}: {why}"
        elif kind == "factored-run":
            if why := factored_truth.false_factored_run(*factored_run(instance, lines, k)):
                return f"claim {words[1]}: {why}"
        elif kind == "factored-forever":
            if why := factored_later_objection(instance, lines, words):
                return f"claim {words[1]}: {why}"
        elif kind == "norm-near-rank":
            if rational(words[12]) < far_from_rank(instance, lines, words):
                return f"claim {words[1]}: a solution is further from that rank"
        elif kind == "norm-face":
            if why := face_objection(instance, lines, k):
                return f"claim {words[1]}: {why}"
        elif kind == "norm-solution":
            if why := solution_objection(instance, lines, k):
                return f"claim {words[1]}: {why}"
        elif kind == "norm-path":
            radius, constant = (float(min(rational(words[at]), 10 ** 6)) for at in (10, 12))
            if radius <= 0:
                return f"claim {words[1]}: no radius"
            if why := Path(lines, words[8]).objection(radius, constant):
                return f"claim {words[1]}: {why}"
    return ""


def changes(text):
    lines = text.split("\n")
    inside = False
    for k, line in enumerate(lines):
        words = line.split(" ")
        if words[0] == "claim":
            inside = True
        if words[0] == "end":
            return
        if not inside:
            continue
        for place, word in enumerate(words):
            if not re.fullmatch(r"-?[0-9]+([/*].*)?|2\^[0-9]+", word):
                continue
            for other in variants(word):
                changed = words[:place] + [other] + words[place + 1:]
                yield f"line {k + 1}: {word} -> {other}", "\n".join(lines[:k] + [" ".join(changed)] + lines[k + 1:])


def variants(word):
    if word.startswith("2^"):
        return [f"2^{int(word[2:]) + step}" for step in (-1, 1)]
    value = rational(word)
    steps = (1, -1, Fraction(1, 2), Fraction(1, 1000), Fraction(-1, 1000), Fraction(1, 10 ** 9))
    near = [value + step for step in steps]
    return [str(x) for x in [*near, -value, 2 * value, value / 2, 0]]


def main():
    corpus = pathlib.Path(sys.argv[3]) / "correct"
    tried = rejected = accepted = 0
    with checkers(sys.argv) as (checker, verified), tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "changed.attest"
        for original in sorted(corpus.glob("norm-*.attest")):
            text = original.read_text()
            instance = corpus / original.with_suffix(".case").read_text().split()[1]
            assert objection(text, instance.stem) == "", (original, objection(text, instance.stem))
            beyond = verified.status(instance, original) == 5 if verified else False
            for what, changed in changes(text):
                path.write_text(changed)
                code = checker.status(instance, path)
                tried += 1
                other = verified.status_beside(code, instance, path) if verified else code
                if other not in ((code, 5) if beyond else (code,)):
                    sys.exit(f"{original.name}, {what}: exit {code}, of the verified checker {other}")
                if code not in (0, 1, 2):
                    sys.exit(f"{original.name}, {what}: exit {code}")
                rejected += code == 1
                accepted += code == 0
                if code == 0 and objection(changed, instance.stem):
                    sys.exit(f"{original.name}, {what}: accepted, but {objection(changed, instance.stem)}")
    print(f"{tried} changes: {rejected} rejected, {accepted} accepted and true")
    if rejected < 300 or accepted < 50:
        sys.exit("too few changes of either kind")


if __name__ == "__main__":
    main()
