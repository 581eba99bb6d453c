"""Mirror descent in doubles, written down a second time: what mirror-run and mirror-forever claims say of instances
whose solution in every norm is the unit matrix (tests/corpus/norm_path_claims.py, mirror_forever_claims.py)."""
import copy
import math

QUERIES = [(1, 0), (0, 1), (1, 0)]
# Of the third group's other token: the token, and its score.
OTHERS = {"best-unit-matrix-c": ((-2, 3), -1), "diagonal-c": ((-2, 0), -4), "diagonal-worse-c": ((-2, 0), 4)}
LATER = 200  # steps that stand for all later ones
SIZES = {"constant": lambda t: 1, "inverse": lambda t: 1 / (t + 1), "invsqrt": lambda t: (t + 1) ** -0.5}


FOLLOWED = {}  # the points of runs, by what determines them


def followed(run, first, finished, advance, last):
    """t and the point at step t, evaluated; those of a run that was followed before are not found again. `finished` is
    asked of a point before it is advanced."""
    if len(FOLLOWED) > 20:
        FOLLOWED.clear()
    points = FOLLOWED.setdefault(repr(run), [])
    for t in range(last + 1):
        if t == len(points):
            point = copy.copy(points[-1] if points else first)
            if points:
                if finished(point):
                    return
                advance(point, t - 1)
            point.evaluate()
            points.append(point)
        yield t, points[t]


def signed_power(x, exponent):
    return math.copysign(abs(x) ** exponent, x) if x else 0.0


def norm(x, exponent):
    return sum(abs(y) ** exponent for y in x) ** (1 / exponent)


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def loss(kind, score):
    """l and |l'|."""
    if kind == "correlation":
        return -score, 1
    if kind == "exponential":
        return math.exp(-score), math.exp(-score)
    return math.log1p(math.exp(-score)), 1 / (1 + math.exp(score))


class Mirror:
    """W and Z row by row."""

    def __init__(self, instance, exponent, kind, start):
        token, score = OTHERS[instance]
        self.tokens = [[(1, 0), (0, 0)], [(0, 1), (0, 0)], [(0, 0), token]]
        self.scores = [[2, 0], [1, 0], [0, score]]
        self.p, self.q, self.kind = exponent, exponent / (exponent - 1), kind
        self.dual = [signed_power(w, exponent - 1) for w in start]

    def evaluate(self):
        self.primal = [signed_power(z, self.q - 1) for z in self.dual]
        self.pull = [0.0] * 4
        self.gap = self.unselected = 0
        for tokens, query, scores in zip(self.tokens, QUERIES, self.scores):
            image = [dot(self.primal[2 * j:2 * j + 2], query) for j in range(2)]
            logits = [dot(token, image) for token in tokens]
            parts = [math.exp(max(logit - max(logits), -700)) for logit in logits]
            shares = [part / sum(parts) for part in parts]
            rest, gap = shares[1], scores[0] - scores[1]
            value, slope = loss(self.kind, scores[0] - rest * gap)
            self.gap += (value - loss(self.kind, max(scores))[0]) / 3
            self.unselected = max(self.unselected, rest)
            for j in range(2):
                for k in range(2):
                    apart = tokens[0][j] - tokens[1][j]
                    self.pull[2 * j + k] += slope / 3 * rest * shares[0] * gap * apart * query[k]

    def advance(self, size, normalised):
        factor = size / (norm(self.pull, self.q) if normalised else 1)
        self.dual = [z + factor * v for z, v in zip(self.dual, self.pull)]

    def seen(self):
        u = [2 ** (-1 / self.p) * x for x in (1, 0, 0, 1)]
        said = {"norm": norm(self.primal, self.p), "dual-norm": norm(self.dual, self.q), "loss-gap": self.gap,
                "unselected": self.unselected, "along": dot(self.dual, u)}
        if any(self.dual):
            said["bregman"] = 1 - said["along"] / said["dual-norm"]
            said["one-minus-corr"] = 1 - dot(self.primal, u) / norm(self.primal, 2) / norm(u, 2)
        return said


def beyond_doubles(point):
    return max(map(abs, point.pull)) < 1e-280


class Run:
    """What a mirror-run claim says of the iteration."""

    def __init__(self, instance, exponent, kind, rule, schedule, step, start):
        self.point = Mirror(instance, exponent, kind, start)
        self.rule, self.schedule, self.step = rule, schedule, step
        self.named = "mirror", instance, exponent, kind, rule, schedule, step, start

    def points(self, last):
        for t, self.point in followed(self.named, self.point, beyond_doubles, self.advance, last):
            yield t, self.point.seen()

    def advance(self, point, t):
        point.advance(self.size(t), self.rule == "nmd")

    def size(self, t):
        return self.step * SIZES[self.schedule](t)


class Compared:
    """T13's inequality between an iterate and the next one."""

    def __init__(self, point, seen):
        self.dual, self.primal, self.seen, self.p, self.q = point.dual, point.primal, seen, point.p, point.q

    def missed(self, after, constant):
        moved = [b - a for a, b in zip(self.dual, after.dual)]
        sums = [dot(at.primal, at.dual) for at in (self, after)]
        curved = (sums[1] - sums[0]) / self.q - dot(self.primal, moved)
        size, rise = self.seen["norm"], after.seen["along"] - self.seen["along"]
        return (after.seen["dual-norm"] - self.seen["dual-norm"] - curved / size -
                (1 + constant * 2 ** (1 / self.p) / size) * rise)


def false_mirror_run(run, checkpoints, inequality=None):
    """`checkpoints`: bands by their words, by step. `inequality`: its constant and first step."""
    before, last = None, max(checkpoints, default=-1)
    if inequality and not 0 < inequality[1] < last:
        return "T13's inequality is of no step"
    for t, seen in run.points(last):
        now = Compared(run.point, seen)
        if before and before.missed(now, inequality[0]) > 1e-9:
            return f"T13's inequality at step {t - 1}"
        before = now if inequality and t >= inequality[1] else None
        for word, (low, high) in checkpoints.get(t, {}).items():
            if word not in seen or not low - 1e-9 <= seen[word] <= high + 1e-9:
                return f"{word} at step {t} is {seen.get(word)}"
    return ""


def false_mirror_forever(run, first, rate, growth, unselected):
    """`growth`: None where none is claimed."""
    before = None
    for t, seen in run.points(first + LATER):
        if t < first:
            continue
        along = seen["along"]
        fallen = along ** min(1, run.point.q - 1) if along > 0 else 0
        if along <= 0 or seen["bregman"] > rate / fallen + 1e-9 or seen["unselected"] > unselected + 1e-9:
            return f"at step {t} there is {seen}"
        if before is not None and along < before + (growth or 0) * run.size(t - 1) - 1e-9:
            return f"<Z,u> is {along} at step {t}, after {before}"
        before = along
    return ""
