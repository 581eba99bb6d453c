"""What label-margins and joint-path claims say of instances of a few groups in the plane, in doubles: attention and
decoders of a grid against nu, the constants of T21 with two radii (proofs/statements/JOINT.md, section 6) written
down a second time, and runs of both."""
import functools
import itertools
import math

from norm_mutations import rational

DIRECTIONS = [(math.cos(2 * math.pi * k / 3000), math.sin(2 * math.pi * k / 3000)) for k in range(3000)]
SHARES = [0, 1 / 256, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 1]


def norm(x):
    return math.sqrt(sum(float(a) ** 2 for a in x))


def dot(x, y):
    return sum(float(a) * float(b) for a, b in zip(x, y))


def minus(x, y):
    return [a - b for a, b in zip(x, y)]


class Decoder:
    """The decoder's limit: `problem` is its own, with labelled values of all tokens."""

    def __init__(self, problem):
        self.selection = [chosen[0] for chosen in problem.sets]
        self.values = problem.labelled
        self.supporting = [i for i, _ in problem.support()]
        self.margin = 1 / norm(problem.w)
        self.direction = [float(x) * self.margin for x in problem.w]

    def row(self, i, t):
        """kappa_i - g_it."""
        return minus(self.values[i][self.selection[i]], self.values[i][t])

    def others(self, i):
        return [t for t in range(len(self.values[i])) if t != self.selection[i]]


@functools.lru_cache(maxsize=None)
def label_margins(groups):
    """Of attention of a grid: the shares by group, the largest, and the best decoder's least labelled value. `groups`:
    of each the selected token's labelled value and those of the others."""
    found = []
    for chosen in itertools.product(*([(t, x) for t in range(len(others)) for x in SHARES] or [(0, 0)]
                                      for _, others in groups)):
        outputs = [(own[0] + x * (others[t][0] - own[0]), own[1] + x * (others[t][1] - own[1])) if others else own
                   for (own, others), (t, x) in zip(groups, chosen)]
        reached = max(min(y[0] * c + y[1] * s for y in outputs) for c, s in DIRECTIONS)
        found.append((chosen, max(x for _, x in chosen), reached))
    return found


def false_label_margins(problem, cost):
    if not problem.decoder or problem.w is None:
        return "there is no decoder's solution"
    if cost <= 0:
        return "nu is not positive"
    decoder = Decoder(problem)
    plane = lambda value: tuple(map(float, value))
    groups = tuple((plane(decoder.values[i][decoder.selection[i]]),
                    tuple(plane(decoder.values[i][t]) for t in decoder.others(i))) for i in decoder.supporting)
    for chosen, largest, reached in label_margins(groups):
        if reached > decoder.margin - float(cost) * largest + 1e-9:
            return f"attention {chosen} leaves a label margin of {reached}"
    return ""


def false_joint_path(stated, decoder_problem, problem, plain, cost, mu, weights):
    """`stated`: the claim's numbers by their words, and its loss; `mu` by group, `weights` of P's solution by row."""
    decoder = Decoder(decoder_problem)
    if any((i in decoder.supporting) == (i in problem.relaxed) for i in range(len(decoder.values))):
        return "the decoder asks for other rows"
    if problem.decoder or problem.sets != decoder_problem.sets or (problem.relaxed and plain is None):
        return "not the attention's problem of this decoder, or nothing to lean on"
    constants = Constants(decoder, 1 / norm(problem.w), 1 / norm((plain or problem).w), stated, float(cost))
    return constants.objection(mu, weights)


class Constants:
    """With the largest gamma_P that there is."""

    def __init__(self, decoder, gamma, plain, stated, cost):
        self.decoder, self.gamma, self.plain, self.cost, self.stated = decoder, gamma, plain, cost, stated
        self.x, self.b = stated["excess"], stated["window"]
        logistic = stated["loss"] == "logistic"
        self.tail, self.slope = (math.log(2), 0.5) if logistic else (1, 1)
        self.spread = math.log(len(decoder.values) / self.tail)
        label = {i: [dot(decoder.row(i, t), decoder.direction) for t in decoder.others(i)]
                 for i in range(len(decoder.values))}
        length = {i: [norm(decoder.row(i, t)) for t in decoder.others(i)] for i in label}
        self.outside = [i for i in label if i not in decoder.supporting]
        self.d = max(max(length[i], default=0) for i in decoder.supporting)
        self.a = max(sum(max(x, 0) for x in label[i]) for i in decoder.supporting)
        self.total = [sum(length[i]) for i in decoder.supporting]
        self.excess = {i: dot(decoder.values[i][decoder.selection[i]], decoder.direction) - decoder.margin
                       for i in self.outside}
        self.beta = max([0] + [math.log(2 * sum(max(x, 0) for x in label[i]) / self.excess[i]) / plain
                               for i in self.outside if any(x > 0 for x in label[i])])

    def objection(self, mu, weights):
        if not (self.b > 0 and 0 < self.x < min(self.cost, self.decoder.margin) / 2):
            return "excess or window is out of range"
        share = (1 + self.d / self.cost) / self.decoder.margin
        h = math.sqrt(2 * share * self.x)
        lean = (self.gamma - self.plain) * self.beta
        eta = math.exp(-min(self.gamma * (self.stated["from-radius"] - self.beta) + self.plain * self.beta, 700))
        least = {"from-radius": self.beta, "from-decoder-radius": max(1, 2 * self.spread / self.x),
                 "slope": 4 * self.gamma / min(self.excess.values()) if self.outside else 0,
                 "decay": share * self.a * math.exp(lean), "decoder-rate": share * self.spread,
                 "rate-constant": (lean + self.levels(h, mu, weights)) / self.gamma}
        for word, value in least.items():
            if value == math.inf or self.stated[word] < value - 1e-9 * abs(value):
                return f"{word} is less than {value}"
        return "" if self.a * eta <= self.x / 2 * (1 + 1e-9) else "from-radius is too small"

    def levels(self, h, mu, weights):
        decoder, grown = self.decoder, len(self.outside) / self.stated["from-decoder-radius"]
        grown += sum(total * math.exp(self.b * total) for total in self.total)
        late, result = (self.a + self.spread / self.b) / self.cost, 0
        for (i, t), weight in weights.items():
            label, length = dot(decoder.row(i, t), decoder.direction), norm(decoder.row(i, t))
            if i in self.outside:
                longest = max(map(norm, decoder.values[i]))
                other = max(dot(decoder.values[i][s], decoder.direction) for s in decoder.others(i))
                lost = (self.excess[i] + self.x + longest * h) / (decoder.margin + self.excess[i] - other)
                if not (other < decoder.margin and lost < 1 and h * longest < self.excess[i] / 4):
                    return math.inf
                result += weight * max(-math.log(1 - lost), 0)
                continue
            if not (h * length < label / 2 and mu.get(i, 0) > 0):
                return math.inf
            early = math.exp((self.a * self.b + self.spread) / mu[i]) * grown / (self.slope * (label - h * length))
            result += weight * math.log(max(early, late) / (1 - self.x / self.cost))
        return result


def slope_and_loss(loss, output):
    if loss == "correlation":
        return 1, -output
    if loss == "exponential":
        return math.exp(-output), math.exp(-output)
    return 1 / (1 + math.exp(output)), math.log1p(math.exp(-output))


class Pair:
    """W (a vector: prompts) and v, trained together; `labelled` values and `keys` by group and token."""

    def __init__(self, keys, labelled, start):
        self.keys, self.labelled = keys, labelled
        self.W, self.v = [0.0] * len(keys[0][0]), list(map(float, start))

    def pull(self, loss):
        """The loss and both gradients, less their signs."""
        total, of_W, of_v = 0, [0.0] * len(self.W), [0.0] * len(self.v)
        for keys, values in zip(self.keys, self.labelled):
            logits = [dot(key, self.W) for key in keys]
            parts = [math.exp(x - max(logits)) for x in logits]
            top = logits.index(max(logits))  # all is seen from this token, or attention beside it would be rounded off
            gaps = [dot(minus(values[top], value), self.v) for value in values]
            deficit = sum(p * gap for p, gap in zip(parts, gaps)) / sum(parts)
            slope, value = slope_and_loss(loss, dot(values[top], self.v) - deficit)
            total += value / len(self.keys)
            for part, gap, key, row in zip(parts, gaps, keys, values):
                share = slope / len(self.keys) * part / sum(parts)
                of_W = [x + share * (deficit - gap) * k for x, k in zip(of_W, minus(key, keys[top]))]
                of_v = [x + share * y for x, y in zip(of_v, row)]
        return total, of_W, of_v

    def unselected(self, along):
        """The most attention of a group off the token that wins along the direction."""
        lost = []
        for keys in self.keys:
            best = max(keys, key=lambda key: dot(key, along))
            parts = [math.exp(dot(minus(key, best), self.W)) for key in keys]
            lost.append(1 - 1 / sum(parts))
        return max(lost)

    def advance(self, t, steps, pulls):
        for name, (rule, step, power), pull in zip("Wv", steps, pulls):
            factor = step * (t + 1) ** power / (norm(pull) if rule == "ngd" else 1)
            setattr(self, name, [x + factor * y for x, y in zip(getattr(self, name), pull)])


def false_joint_run(pair, loss, steps, checkpoints, directions):
    """`checkpoints`: step and bands by their words; `directions` of W and v, where they are cited."""
    for t in range(max(checkpoints, default=-1) + 1):
        value, *pulls = pair.pull(loss)
        seen = {"norm": norm(pair.W), "decoder-norm": norm(pair.v), "loss": value}
        for word, x, along in zip(("one-minus-corr", "decoder-one-minus-corr"), (pair.W, pair.v), directions):
            if along is not None and norm(x) > 0:
                seen[word] = 1 - dot(x, along) / norm(x) / norm(along)
        for word, (low, high) in checkpoints.get(t, {}).items():
            if word not in seen or not low - 1e-9 <= seen[word] <= high + 1e-9:
                return f"{word} at step {t} is {seen.get(word)}"
        pair.advance(t, steps, pulls)
    return ""


LATER = 120  # steps that are looked at


def false_joint_forever(pair, loss, steps, at, promised, directions):
    """`promised`: the numbers of the claim about v and about W by their words; `directions` of v and W."""
    if any(rule != "ngd" or power != steps[0][2] for rule, _, power in steps) or loss == "correlation":
        return "T20 speaks of normalised steps of one schedule, and of exponential tails"
    along, total = [[x / norm(u) for x in u] for u in directions], 0
    for t in range(at + LATER):
        value, *pulls = pair.pull(loss)
        if min(map(norm, pulls)) < 1e-200:  # too small for doubles
            return ""
        if t >= at:
            why = broken(pair, value, promised, along, total)
            if why:
                return f"{why} at step {t}"
            total += steps[0][1] * (t + 1) ** steps[0][2]
        pair.advance(t, steps, pulls)
    return ""


def broken(pair, value, promised, along, total):
    """What of v and of W is not as promised, `total` after the step."""
    of_v, of_W = promised
    least = [one["along"] + one["growth"] * total for one in promised]
    seen = [dot(x, u) for x, u in zip((pair.v, pair.W), along)]
    if any(x < y - 1e-9 * abs(y) for x, y in zip(seen, least)):
        return "it has not come so far"
    gaps = [1 - x / norm(z) for x, z in zip(seen, (pair.v, pair.W))]
    most = of_v["lateral"] ** 2 / (2 * least[0] ** 2), of_W["spread"] / (2 * least[1])
    if any(x > y + 1e-9 for x, y in zip(gaps, most)):
        return "a direction is farther away"
    if value > of_v["loss"] * math.exp(-of_v["decay"] * least[0]) * (1 + 1e-9):
        return "the loss is larger"
    lost = pair.unselected(along[1])
    return "attention is on other tokens" if lost > of_W["unselected"] * math.exp(-of_W["fall"] * total) + 1e-12 else ""


def numbers_of(words, names):
    """The values after the names."""
    return {name: float(rational(words[words.index(name) + 1])) for name in names}
