"""What claims about a run of gradient descent on a prompt, and about its finite part in selected sets, say of it:
followed in floating point, which the changes that are tried leave room for."""
import math

from norm_mutations import rational

SLACK = 1e-9
SLOPES = {"logistic": lambda f: 1 / (1 + math.exp(f)), "exponential": lambda f: math.exp(-f),
          "correlation": lambda f: 1}
LOSSES = {"logistic": lambda f: math.log1p(math.exp(-f)), "exponential": lambda f: math.exp(-f),
          "correlation": lambda f: -f}


def dot(a, b):
    return sum(float(x) * float(y) for x, y in zip(a, b))


def attention(keys, w):
    logits = [dot(key, w) for key in keys]
    weights = [math.exp(x - max(logits)) for x in logits]
    return [x / sum(weights) for x in weights]


def followed(words):
    """Whether a run of this specification is followed here; what others say is not judged."""
    return words[:4] == ["optimizer", "gd", "schedule", "constant"]


class Run:
    """W_0, W_1, ... of the lines of a run claim."""

    def __init__(self, problem, lines, k):
        self.problem = problem
        self.steps = int(lines[k][lines[k].index("steps") + 1])
        words = lines[k + 1]
        assert followed(words), words
        self.step, self.loss = float(rational(words[5])), problem.loss
        self.points = [[float(rational(x)) for x in lines[k + 2][2:]]]
        self.scores = [[dot(token, problem.v) for token in group] for group in problem.labelled]
        for _ in range(self.steps):
            w = self.points[-1]
            self.points.append([x + self.step * v for x, v in zip(w, self.velocity(w))])

    def velocity(self, w):
        """-grad L."""
        v = [0.0] * len(w)
        for keys, scores in zip(self.problem.keys, self.scores):
            s = attention(keys, w)
            f = dot(s, scores)
            for key, share, score in zip(keys, s, scores):
                pull = SLOPES[self.loss](f) * share * (score - f) / len(self.scores)
                v = [x + pull * y for x, y in zip(v, key)]
        return v

    def seen(self, w):
        size = math.sqrt(dot(self.problem.w, self.problem.w))
        loss = LOSSES[self.loss]
        shares = [attention(keys, w) for keys in self.problem.keys]
        gap = sum(loss(dot(s, scores)) - loss(max(scores)) for s, scores in zip(shares, self.scores)) / len(shares)
        norm, along, v = math.sqrt(dot(w, w)), dot(w, self.problem.w) / size, self.velocity(w)
        return {"norm": norm, "along": along, "one-minus-corr": 1 - along / norm if norm else None, "loss-gap": gap,
                "gradient": math.sqrt(dot(v, v)),
                "unselected": max(1 - s[chosen[0]] for s, chosen in zip(shares, self.problem.sets))}


def outside(value, words):
    """Is it certainly not between the two numbers?"""
    lo, hi = float(rational(words[0])), float(rational(words[1]))
    return value is None or not lo - SLACK <= value <= hi + SLACK


def false_run(run, lines, k):
    count = int(lines[k + 3][1])
    for words in lines[k + 4:k + 4 + count]:
        for name, value in run.seen(run.points[int(words[1])]).items():
            at = words.index(name) + 1
            if words[at] != "none" and outside(value, words[at:at + 2]):
                return f"{name} is {value} at step {words[1]}"
    return ""


def projected(w, vectors):
    """Of w on the span of the vectors."""
    basis, on = [], [0.0] * len(w)
    for vector in vectors:
        rest = list(map(float, vector))
        for one in basis:
            rest = [x - dot(vector, one) * y for x, y in zip(rest, one)]
        size = math.sqrt(dot(rest, rest))
        if size > 1e-6:
            basis.append([x / size for x in rest])
            on = [x + dot(w, basis[-1]) * y for x, y in zip(on, basis[-1])]
    return on


def false_finite_part(problem, run, words, coefficients):
    """Of the claim's words, and of W(coefficients)."""
    def after(word):
        return words[words.index(word) + 1:]

    step = int(after("at")[0])
    if step >= len(run.points):
        return "the run ends before"
    w = run.points[step]
    part = projected(w, [vector for vector, _, equality in problem.rows.values() if equality])
    square = dot(part, part)
    if outside(square, after("norm-squared")):
        return f"the squared norm is {square}"
    away = [float(a) - b for a, b in zip(coefficients, part)]
    radius = float(rational(after("radius")[0]))
    if radius < 0 or math.sqrt(dot(away, away)) > radius + SLACK:
        return "the finite part is farther away"
    for keys, chosen in zip(problem.keys, problem.sets):
        for t, share in enumerate(attention(keys, w)):
            if t in chosen and share < float(rational(after("selected")[0])) - SLACK:
                return f"the attention on a selected token is {share}"
            if t not in chosen and share > float(rational(after("masked")[0])) + SLACK:
                return f"the attention on another token is {share}"
    if words[words.index("from") + 1] == "none":
        return ""
    along, size = dot(w, problem.w), dot(problem.w, problem.w)
    if along <= 0 or outside(along / size, after("factor")):
        return f"the best combination has {along / size} times the solution"
    corr = 1 - math.sqrt((square + along ** 2 / size) / dot(w, w))
    return f"1 - cos is {corr}" if outside(corr, after("one-minus-corr")) else ""
