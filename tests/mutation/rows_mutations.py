#!/usr/bin/env python3
"""rows_mutations.py CHECKER CHECK_MANY CORPUS [VERIFIED MANY_VERIFIED]: changes every number of the
corpus's certificates about problems of other rows than a selection's, those of the problems included, one at a time.
What attest-check accepts must hold by the judge below, which solves each problem by trying all sets of active rows, in
fractions, and never looks at how something is proved. The verified checker must end with the same status.

rows_mutations.py --judge CHANGED_CERTIFICATES FOLDER... [OPTIONS]: calls that program with --rows and judges what it
has accepted of its random changes."""
import decimal
import functools
import itertools
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

from checked import checkers
from joint_truth import Pair, false_joint_forever, false_joint_path, false_joint_run, false_label_margins, numbers_of
from norm_mutations import rational
from run_truth import Run, followed, false_finite_part as false_part_of_run, false_run as false_plain_run

BEYOND_VERIFIED = "run-finite-from-gap"  # a solution enclosed by a gap: the verified checker ends with status 5


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def solved(matrix, right):
    """A solution of the linear system, with 0 for what is free; None without one."""
    rows = [list(map(Fraction, [*line, b])) for line, b in zip(matrix, right)]
    unknowns, pivots, at = len(matrix[0]) if matrix else 0, [], 0
    for column in range(unknowns):
        found = next((k for k in range(at, len(rows)) if rows[k][column]), None)
        if found is None:
            continue
        rows[at], rows[found] = rows[found], rows[at]
        rows[at] = [x / rows[at][column] for x in rows[at]]
        for k, line in enumerate(rows):
            if k != at and line[column]:
                rows[k] = [x - line[column] * y for x, y in zip(line, rows[at])]
        pivots.append(column)
        at += 1
    if any(line[-1] for line in rows[at:]):
        return None
    result = [Fraction(0)] * unknowns
    for k, column in enumerate(pivots):
        result[column] = rows[k][-1]
    return result


class Problem:
    """Rows {constraint: (vector, asked, is an equality)} and, where they can be met, the solution."""

    def __init__(self, lines, instance):
        said = {line[0]: line[1:] for line in lines}
        X, Y, K = (json.loads(instance)[key] for key in ("X", "Y", "K"))
        relaxed = list(map(int, said.get("relaxed", ["0"])[1:]))
        self.decoder = "decoder" in said
        self.relaxed, self.loss = relaxed, said.get("loss", [None])[0]
        self.labelled = [[[y * x for x in token] for token in group] for y, group in zip(Y, X)]
        self.keys, self.v = K, json.loads(instance)["v"]
        self.rows = {}
        if "selected-sets" in said:
            sets = [list(map(int, word.split(","))) for word in said["selected-sets"][1:]]
        else:
            sets = [[int(word)] for word in said["selection"][1:]]
        self.sets = sets
        for i, chosen in enumerate(sets):
            if self.decoder:
                self.rows[i, chosen[0]] = [y * Y[i] for y in X[i][chosen[0]]], 1, False
                continue
            for t, key in enumerate(K[i]):
                if t == chosen[0] or key in K[i][:t]:
                    continue
                vector = [a - b for a, b in zip(K[i][chosen[0]], key)]
                self.rows[i, t] = vector, 0 if i in relaxed or t in chosen else 1, t in chosen
        self.solve()

    def solve(self):
        equal = [c for c, row in self.rows.items() if row[2]]
        others = [c for c in self.rows if c not in equal]
        self.vertices, self.w = [], None
        for size in range(len(others) + 1):
            for chosen in itertools.combinations(others, size):
                y = self.multipliers(list(chosen) + equal)
                if y is None or any(y[c] < 0 for c in chosen):
                    continue
                w = self.combination(y)
                if self.holds(w):
                    assert self.w in (None, w)
                    self.w = w
                    self.vertices.append(y)

    def multipliers(self, active):
        gram = [[dot(self.rows[a][0], self.rows[b][0]) for b in active] for a in active]
        found = solved(gram, [self.rows[c][1] for c in active])
        return None if found is None else dict(zip(active, found))

    def combination(self, y):
        size = len(next(iter(self.rows.values()))[0])
        return [sum((x * self.rows[c][0][j] for c, x in y.items()), Fraction(0)) for j in range(size)]

    def holds(self, w):
        return all(dot(vector, w) == asked if equality else dot(vector, w) >= asked
                   for vector, asked, equality in self.rows.values())

    def support(self):
        return sorted(c for c, (vector, asked, equality) in self.rows.items()
                      if not equality and dot(vector, self.w) == asked)

    def positive(self, c):
        return any(y.get(c, 0) > 0 for y in self.vertices)


@functools.lru_cache(maxsize=None)
def problem_of(lines, instance):
    return Problem(lines, instance)


def vector_at(lines, k):
    count, below = int(lines[k][2]), rational(lines[k][4].replace("2^", "1*2^"))
    return {(int(g), int(t)): int(x) / below for g, t, x in lines[k + 1:k + 1 + count]}


def places_at(lines, k, count):
    return sorted((int(g), int(t)) for g, t in lines[k:k + count])


def false_solution(problem, words, lines, k):
    if problem.w is None:
        return "there is no solution"
    norm = dot(problem.w, problem.w)
    if words[2] == "optimal":
        return "" if rational(words[6]) == norm else f"the squared norm is {norm}"
    if not rational(words[8]) <= norm <= rational(words[9]):
        return f"the squared norm is {norm}"
    gap = words[6] == "gap"
    centre = vector_at(lines, k + (1 if gap else 2))
    away = [a - b for a, b in zip(problem.combination(centre), problem.w)]
    bound = rational(words[11])
    if dot(away, away) > (bound if gap else bound ** 2) or (not gap and bound < 0):
        return "the solution is farther away"
    if gap:
        return ""
    if sorted(c for c in centre if not problem.rows[c][2]) != problem.support():
        return "it lists another support"
    exact = problem.multipliers(list(centre))
    distance = sum((centre[c] - exact[c]) ** 2 for c in centre)
    near = distance <= rational(words[13]) ** 2 and rational(words[13]) >= 0
    return "" if near else "the multipliers are farther away"


def objection(text, instance):
    """Why something claimed is not true; empty when all is."""
    lines = [line.split(" ") for line in text.split("\n")]
    starts = [k for k, line in enumerate(lines) if line[0] in ("problem", "claim", "end")]
    problems, claims = {}, {}
    for k, after in zip(starts, starts[1:] + [len(lines)]):
        words = lines[k]
        if words[0] == "problem":
            problems[words[1]] = problem_of(tuple(map(tuple, lines[k + 1:after])), instance)
        elif words[0] == "claim":
            claims[words[1]] = problems[words[4]], lines[k:after]
            why = false_claim(problems[words[4]], words, lines, k, claims)
            if why:
                return f"claim {words[1]}, {words[2]}: {why}"
    return ""


def logarithm(ratio):
    with decimal.localcontext(decimal.Context(prec=60)):
        return decimal.Decimal(ratio.numerator).ln() - decimal.Decimal(ratio.denominator).ln()


def quadratic(vector, matrix):
    """v'Mv of decimal v, fractional M."""
    with decimal.localcontext(decimal.Context(prec=60)):
        return sum((v * w * decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator)
                    for v, row in zip(vector, matrix) for w, x in zip(vector, row)), decimal.Decimal(0))


def false_finite_part(problem, words, lines, k):
    """The least W with logarithms of the ratios at the equalities, by a basis of them that is found here."""
    count = int(lines[k + 1][1])
    ratios = {(int(g), int(t)): rational(r) for g, t, r in lines[k + 2:k + 2 + count]}
    equal = {c: row[0] for c, row in problem.rows.items() if row[2]}
    if set(ratios) != set(equal) or min(ratios.values()) <= 0:
        return "the ratios are not those of the equalities"
    basis, consistent = [], True
    for c, vector in equal.items():
        on = solved(list(zip(*(equal[b] for b in basis))) if basis else [[] for _ in vector], vector)
        if on is None:
            basis.append(c)
            continue
        below = math.lcm(1, *(x.denominator for x in on))
        power = math.prod((ratios[b] ** int(-x * below) for b, x in zip(basis, on)), start=ratios[c] ** below)
        consistent = consistent and power == 1
    if words[2] == "no-finite-part":
        return "some W has these ratios" if consistent else ""
    if not consistent:
        return "no W has these ratios"
    gram = [[dot(equal[a], equal[b]) for b in basis] for a in basis]
    inverse = [solved(gram, [int(a == b) for b in basis]) for a in basis]
    norm = quadratic([logarithm(ratios[c]) for c in basis], inverse)
    at = next(j for j in range(k, len(lines)) if lines[j][:2] == ["vector", "coefficients"])
    w = problem.combination(vector_at(lines, at))
    with decimal.localcontext(decimal.Context(prec=60)):
        away = [logarithm(ratios[c]) - decimal.Decimal(m.numerator) / m.denominator
                for c, m in ((c, Fraction(dot(equal[c], w))) for c in basis)]
        tiny, bounds = decimal.Decimal("1e-40"), [decimal.Decimal(x.numerator) / x.denominator
                                                  for x in map(rational, (words[6], words[7], words[9]))]
        if not bounds[0] - tiny <= norm <= bounds[1] + tiny:
            return f"the squared norm is {norm}"
        near = bounds[2] >= 0 and quadratic(away, inverse) <= bounds[2] ** 2 + tiny
    return "" if near else "the finite part is farther away"


def own_multipliers(problem, lines):
    """Over their sum, of the solution that a claim is about."""
    at = next(j for j, line in enumerate(lines) if line[:2] == ["vector", "multipliers"])
    total = float(dot(problem.w, problem.w))
    return {c: float(x) / total for c, x in vector_at(lines, at).items()}


def false_path(problem, words, lines, k, claims):
    of_path = ["from-radius", "from-decoder-radius", "slope", "decay", "decoder-rate", "rate-constant"]
    stated = {**numbers_of(words, of_path), **numbers_of(lines[k + 1], ["excess", "window"]),
              "loss": words[words.index("loss") + 1]}
    decoder, margins = claims[words[words.index("label-margins") + 1]]
    support = claims[margins[0][6]][1]
    shown = margins if margins[1][3] != "0" else claims[support[0][6]][1]
    mu = {group: x for (group, _), x in own_multipliers(decoder, shown).items()}
    plain = claims[words[words.index("plain") + 1]][0] if "plain" in words else None
    if plain is not None and (plain.relaxed or plain.decoder or plain.sets != problem.sets or plain.w is None):
        return "it leans on another problem"
    cited, solution = claims[words[6]]
    if cited is not problem:
        return "it cites another problem's solution"
    return false_joint_path(stated, decoder, problem, plain, rational(margins[0][8]), mu,
                            own_multipliers(problem, solution))


def training(problem, words):
    """The pair at the start, its loss and steps, of a joint-run."""
    steps = [(words[at + 1], float(rational(words[at + 3])), float(rational(words[at + 5])))
             for at in map(words.index, ("attention", "decoder"))]
    start = problem.v if words[words.index("decoder-start") + 1] == "instance" else [0] * len(problem.v)
    return Pair(problem.keys, problem.labelled, start), words[words.index("loss") + 1], steps


def false_run(problem, words, lines, k, claims):
    cited = {}
    for word in ("from", "decoder-from"):
        cited[word] = claims[words[words.index(word) + 1]][0] if word in words else None
    if problem.decoder or (cited["from"] or problem) is not problem or not getattr(cited["decoder-from"], "decoder", 1):
        return "it cites another problem's solution"
    checkpoints = {}
    for line in lines[k + 2:k + 2 + int(lines[k + 1][1])]:
        checkpoints[int(line[1])] = {line[j]: (float(rational(line[j + 1])), float(rational(line[j + 2])))
                                     for j in range(2, len(line), 3)}
    directions = [one.w if one else None for one in cited.values()]
    return false_joint_run(*training(problem, words), checkpoints, directions)


def false_forever(problem, words, claims):
    cited = [claims[words[words.index(word) + 1]] for word in ("from", "support", "joint-run")]
    (attention, _), (decoder, _), (about, run) = cited
    if {attention, about} != {problem} or not decoder.decoder or decoder.sets != problem.sets or problem.relaxed:
        return "it is about other problems"
    if len(decoder.support()) < len(decoder.sets):
        return "a group does not support the decoder"
    of_v, of_W = words.index("decoder"), words.index("attention")
    promised = [{"along": float(rational(words[at + 1])), **numbers_of(words[at:end], names)} for at, end, names in (
        (of_v, of_W, ("growth", "lateral", "loss", "decay")),
        (of_W, len(words), ("growth", "spread", "unselected", "fall")))]
    return false_joint_forever(*training(problem, run[0]), int(words[words.index("at") + 1]), promised,
                               (decoder.w, problem.w))


def false_part(problem, words, lines, k, claims):
    about, run = claims[words[words.index("run") + 1]]
    source = words[words.index("from") + 1]
    if run[0][2] != "run" or (source != "none" and claims[source][0] is not problem):
        return "it cites other claims"
    if not followed(run[1]):
        return ""
    at = next(j for j in range(k, len(lines)) if lines[j][:2] == ["vector", "coefficients"])
    return false_part_of_run(problem, Run(about, run, 0), words, problem.combination(vector_at(lines, at)))


def false_claim(problem, words, lines, k, claims):
    kind = words[2]
    if kind == "run":
        return false_plain_run(Run(problem, lines, k), lines, k) if followed(lines[k + 1]) else ""
    if kind == "run-finite-part":
        return false_part(problem, words, lines, k, claims)
    if kind in ("finite-part", "no-finite-part"):
        return false_finite_part(problem, words, lines, k)
    if kind in ("optimal", "optimal-enclosure"):
        return false_solution(problem, words, lines, k)
    if kind == "infeasible":
        return "" if problem.w is None else "there is a solution"
    if kind == "margin-at-most":
        least = dot(problem.w, problem.w) if problem.w is not None else None
        bound = rational(words[6])
        return "" if least is None or (bound > 0 and bound ** 2 * least >= 1) else "the margin is larger"
    if problem.w is None:
        return "there is no solution"
    if kind == "support":
        return "" if places_at(lines, k + 1, int(words[8])) == problem.support() else "it is another set"
    if kind == "strictly-complementary":
        return "" if all(map(problem.positive, problem.support())) else "a multiplier is always 0"
    if kind == "not-strictly-complementary":
        return "the multiplier can be positive" if problem.positive((int(words[8]), int(words[9]))) else ""
    if kind == "rank":
        return "" if int(words[8]) == int(any(problem.w)) else "it is another one"  # a vector's
    if kind == "label-margins":
        return false_label_margins(problem, rational(words[8]))
    if kind == "joint-run":
        return false_run(problem, words, lines, k, claims)
    if kind == "joint-forever":
        return false_forever(problem, words, claims)
    if kind == "joint-path":
        return false_path(problem, words, lines, k, claims)
    if kind == "joint-attention":
        decoder = claims[words[6]][0]
        wanted = [i for i, chosen in enumerate(decoder.sets) if (i, chosen[0]) not in decoder.support()]
        same = decoder.decoder and decoder.sets == problem.sets and problem.relaxed == wanted
        return "" if same else "the decoder asks for other rows"
    assert kind == "feasible", kind
    return ""


def changes(text):
    lines = text.split("\n")
    inside = False
    for k, line in enumerate(lines):
        words = line.split(" ")
        inside = inside or words[0] == "problem"
        if words[0] == "end":
            return
        for place, word in enumerate(words):
            if not inside or not re.fullmatch(r"-?[0-9]+([/*].*)?|2\^[0-9]+|[0-9,]+", word):
                continue
            for other in variants(word):
                changed = words[:place] + [other] + words[place + 1:]
                yield f"line {k + 1}: {word} -> {other}", "\n".join(lines[:k] + [" ".join(changed)] + lines[k + 1:])


def variants(word):
    if word.startswith("2^"):
        return [f"2^{int(word[2:]) + step}" for step in (-1, 1)]
    if "," in word:
        tokens = word.split(",")
        return [",".join(tokens[:k] + more + tokens[k + 1:]) for k in range(len(tokens))
                for more in ([], *([str(t)] for t in range(4) if str(t) != tokens[k]))]
    value = rational(word)
    near = [value + step for step in (1, -1, Fraction(1, 2), Fraction(1, 1000), Fraction(-1, 1000))]
    return [*map(str, [*near, -value, 2 * value, 0]), *([f"{word},{value + 1}"] if value >= 0 else [])]


def judge_all(stream):
    """Pairs of an instance's path and a certificate: the number of false ones."""
    seen, data, false = set(), {}, 0
    for path in stream:
        certificate = []
        while not certificate or not certificate[-1].startswith("end "):
            certificate.append(next(stream))
        said = hash((path, *certificate[3:-1]))  # the header says nothing
        if said in seen:
            continue
        seen.add(said)
        if path not in data:
            data[path] = pathlib.Path(path.rstrip("\n")).read_text()
        why = objection("".join(certificate), data[path])
        if why:
            false += 1
            print(path, *certificate, "accepted, but ", why, sep="")
    print(f"{len(seen)} different certificates accepted, {false} of them false")
    return false == 0


def main():
    if sys.argv[1] == "--judge":
        with subprocess.Popen([*sys.argv[2:], "--rows"], stdout=subprocess.PIPE, text=True) as program:
            true = judge_all(program.stdout)
        sys.exit(0 if true and program.returncode == 0 else 1)
    corpus = pathlib.Path(sys.argv[3]) / "correct"
    tried = rejected = accepted = 0
    with checkers(sys.argv) as (checker, verified), tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "changed.attest"
        for original in sorted([*corpus.glob("rows-*.attest"), *corpus.glob("run-finite-*.attest")]):
            by_both = verified and original.stem != BEYOND_VERIFIED
            text = original.read_text()
            instance = corpus / original.with_suffix(".case").read_text().split()[1]
            data = instance.read_text()
            assert objection(text, data) == "", (original, objection(text, data))
            for what, changed in changes(text):
                path.write_text(changed)
                code = checker.status(instance, path)
                tried += 1
                if by_both and verified.status_beside(code, instance, path) != code:
                    sys.exit(f"{original.name}, {what}: exit {code}, of the verified checker another")
                if code not in (0, 1, 2, 3):
                    sys.exit(f"{original.name}, {what}: exit {code}")
                rejected += code == 1
                accepted += code in (0, 3)
                if code in (0, 3) and objection(changed, data):
                    sys.exit(f"{original.name}, {what}: accepted, but {objection(changed, data)}")
    print(f"{tried} changes: {rejected} rejected, {accepted} accepted and true")
    if rejected < 300 or accepted < 50:
        sys.exit("too few changes of either kind")


if __name__ == "__main__":
    main()
