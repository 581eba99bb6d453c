"""Training of K and Q in doubles, written down a second time: what factored-run and factored-forever claims say of
instances whose solution in the Frobenius norm is the unit matrix (tests/corpus/factored_claims.py)."""
import math

from mirror_truth import LATER, OTHERS, QUERIES, SIZES, dot, followed, loss


def columns(matrix):
    return list(zip(*matrix))


def norm(matrix):
    return math.sqrt(sum(dot(row, row) for row in matrix))


def product(a, b):
    """A B."""
    return [[dot(row, column) for column in columns(b)] for row in a]


def angle(w, u):
    inner = sum(dot(a, b) for a, b in zip(w, u))
    return 1 - inner / norm(w) / norm(u)


class Factors:
    def __init__(self, instance, kind, left, right, nuclear):
        token, score = OTHERS[instance]
        self.tokens = [[(1, 0), (0, 0)], [(0, 1), (0, 0)], [(0, 0), token]]
        self.scores = [[2, 0], [1, 0], [0, score]]
        self.kind, self.left, self.right, self.nuclear = kind, left, right, nuclear

    def evaluate(self):
        self.w = product(self.left, columns(self.right))
        self.pull = [[0.0, 0.0], [0.0, 0.0]]
        self.gap = self.unselected = 0
        self.margin = math.inf
        for tokens, query, scores in zip(self.tokens, QUERIES, self.scores):
            image = [dot(row, query) for row in self.w]
            logits = [dot(token, image) for token in tokens]
            self.margin = min(self.margin, logits[0] - logits[1])
            parts = [math.exp(max(logit - max(logits), -700)) for logit in logits]
            shares = [part / sum(parts) for part in parts]
            rest, gap = shares[1], scores[0] - scores[1]
            value, slope = loss(self.kind, scores[0] - rest * gap)
            self.gap += (value - loss(self.kind, max(scores))[0]) / 3
            self.unselected = max(self.unselected, rest)
            for j in range(2):
                for k in range(2):
                    apart = tokens[0][j] - tokens[1][j]
                    self.pull[j][k] += slope / 3 * rest * shares[0] * gap * apart * query[k]
        self.turned = [product(self.pull, self.right), product(columns(self.pull), self.left)]

    def advance(self, size, normalised):
        moved = []
        for factor, gradient in zip((self.left, self.right), self.turned):
            along = size / (norm(gradient) if normalised else 1)
            moved.append([[x + along * v for x, v in zip(*rows)] for rows in zip(factor, gradient)])
        self.left, self.right = moved

    def balance(self):
        squares = [product(columns(factor), factor) for factor in (self.left, self.right)]
        return [[x - y for x, y in zip(*rows)] for rows in zip(*squares)]

    def size(self):
        return norm(self.left) ** 2 + norm(self.right) ** 2

    def seen(self):
        said = {"left-norm": norm(self.left), "right-norm": norm(self.right), "norm": norm(self.w),
                "balance": norm(self.balance()), "loss-gap": self.gap, "unselected": self.unselected}
        if norm(self.w):
            said["one-minus-corr"] = angle(self.w, [[1, 0], [0, 1]])
            if self.nuclear:
                said["nuclear-one-minus-corr"] = angle(self.w, self.nuclear)
        return said


def finished(point):
    """Beyond doubles, or at a saddle."""
    return max(map(norm, point.turned)) < 1e-280


class Run:
    """What a factored-run claim says of the iteration."""

    def __init__(self, instance, kind, rule, schedule, step, start, nuclear):
        self.start = Factors(instance, kind, *start, nuclear)
        self.rule, self.schedule, self.step = rule, schedule, step
        self.named = "factored", instance, kind, rule, schedule, step, start, nuclear

    def points(self, last):
        return followed(self.named, self.start, finished, self.advance, last)

    def advance(self, point, t):
        point.advance(self.step * SIZES[self.schedule](t), self.rule == "ngd")


def false_factored_run(run, checkpoints):
    """`checkpoints`: bands by their words, by step."""
    for t, point in run.points(max(checkpoints, default=-1)):
        seen = point.seen() if t in checkpoints else {}
        for word, (low, high) in checkpoints.get(t, {}).items():
            if word not in seen or not low - 1e-9 <= seen[word] <= high + 1e-9:
                return f"{word} at step {t} is {seen.get(word)}"
    return ""


def false_factored_forever(run, first, margin, growth, attention, drift, share):
    """`share`: with the least nuclear norm, or None."""
    before, moved, start = None, 0, None
    if share and share[0] > margin * share[1] + 1e-9:
        return f"a share {share[0]} of the best margin"
    for t, point in run.points(first + LATER):
        if t < first:
            continue
        start = point.gap if start is None else start
        if point.margin < margin * point.size() / 2 - 1e-9 or 1 - point.unselected < attention - 1e-9:
            return f"at step {t} the margin is {point.margin}, {point.unselected} not selected"
        if point.gap > 1 / (1 / start + growth * (t - first)) + 1e-9:
            return f"at step {t} the loss is {point.gap} above the best"
        balance = point.balance()
        if before is not None:
            # Its nuclear norm is at least the Frobenius norm.
            moved += norm([[x - y for x, y in zip(*rows)] for rows in zip(balance, before)])
        before = balance
    return "" if moved <= drift + 1e-9 else f"K'K - Q'Q moves by {moved}"
