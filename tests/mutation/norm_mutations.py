#!/usr/bin/env python3
"""norm_mutations.py CHECKER CHECK_MANY CORPUS [VERIFIED]: changes every number of the corpus's certificates about other
norms, one at a time. What attest-check accepts must hold by the judge below, which has the instances' solution by hand:
the unit matrix in every norm, with margins 1, 1 and more; it works in decimals of 60 digits and never looks at how
something is proved. The verified checker, where it is given, must end alike."""
import pathlib
import re
import subprocess
import sys
import tempfile
from decimal import Decimal, getcontext
from fractions import Fraction

from checked import Checker

getcontext().prec = 60
SLACK = Decimal("1e-50")
POSITIVE_GAPS = {(0, 1), (1, 1)}
TIGHT = {(0, 1), (1, 1)}


def rational(word):
    odd, _, twos = word.partition("*2^")
    return Fraction(odd) * Fraction(2) ** int(twos or 0)


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def least_norm(norm):
    """Of the unit matrix, which is optimal."""
    if norm in ("nuclear", "l1"):
        return Decimal(2)
    return Decimal(1) if norm == "linf" else Decimal(2) ** (1 / decimal(Fraction(norm[1:])))


def distance(norm, matrix):
    p = decimal(Fraction(norm[1:]))
    sizes = [abs(decimal(x - unit)) for row, line in enumerate(matrix) for x, unit in
             zip(line, [Fraction(row == column) for column in range(2)])]
    return sum(x ** p for x in sizes if x) ** (1 / p) if any(sizes) else Decimal(0)


def objection(text):
    """Why something claimed is not true; empty when all is."""
    lines = [line.split(" ") for line in text.split("\n")]
    for k, words in enumerate(lines):
        if words[0] != "claim":
            continue
        kind, norm = words[2], words[6]
        if kind == "norm-optimum":
            lo, hi = (decimal(rational(word)) for word in words[8:10])
            if not lo <= least_norm(norm) + SLACK or not least_norm(norm) <= hi + SLACK:
                return f"claim {words[1]}: the least norm is {least_norm(norm)}"
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
    with Checker(*sys.argv[1:3]) as checker, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "changed.attest"
        for original in sorted(corpus.glob("norm-*.attest")):
            text = original.read_text()
            instance = corpus / original.with_suffix(".case").read_text().split()[1]
            assert objection(text) == "", (original, objection(text))
            for what, changed in changes(text):
                path.write_text(changed)
                code = checker.status(instance, path)
                tried += 1
                for verified in sys.argv[4:]:
                    other = subprocess.run([verified, instance, path], capture_output=True, check=False).returncode
                    if other != code:
                        sys.exit(f"{original.name}, {what}: exit {code}, of the verified checker {other}")
                if code not in (0, 1, 2):
                    sys.exit(f"{original.name}, {what}: exit {code}")
                rejected += code == 1
                accepted += code == 0
                if code == 0 and objection(changed):
                    sys.exit(f"{original.name}, {what}: accepted, but {objection(changed)}")
    print(f"{tried} changes: {rejected} rejected, {accepted} accepted and true")
    if rejected < 300 or accepted < 50:
        sys.exit("too few changes of either kind")


if __name__ == "__main__":
    main()
