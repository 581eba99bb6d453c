"""Training on sentences with one-hot embeddings in doubles, written down a second time: what token-ray, token-run,
token-forever and token-shift claims say (tests/corpus/training_claims.py), from the sentences alone."""
import math

LATER = 200  # steps that stand for all later ones


class Attention:
    """The attention stage with W_ov frozen at c times the difference of outputs; W by (token, query)."""

    def __init__(self, text, scale, solution):
        self.text, self.scale = text, scale
        self.w = {}
        self.contexts = []
        for *context, last in text.sentences:
            if len(context) == 1:
                continue
            best = next(x for x in context if text.next.get(x) == last)
            self.contexts.append((context[-1], best, {x: context.count(x) for x in context}))
        size = math.sqrt(sum(x * x for x in solution.values()))
        self.along = {at: x / size for at, x in solution.items()}

    def value(self, token, query):
        return self.w.get((token, query), 0.0)

    def shares(self, query, counts):
        top = max(self.value(x, query) for x in counts)
        parts = {x: k * math.exp(max(self.value(x, query) - top, -700)) for x, k in counts.items()}
        return {x: part / sum(parts.values()) for x, part in parts.items()}

    def evaluate(self):
        self.pull = {}
        self.gap = self.unselected = 0.0
        outputs, c, n = self.text.vocabulary, self.scale, len(self.contexts)
        least = math.exp(-c)
        for query, best, counts in self.contexts:
            s = self.shares(query, counts)
            rest = sum(share for x, share in s.items() if x != best)
            self.unselected = max(self.unselected, rest)
            paired = [x for x in counts if x in self.text.next and x != best]
            grown = sum(math.expm1(c * (s[x] + rest)) for x in paired)
            grown += (outputs - 1 - len(paired)) * math.expm1(c * rest)
            self.gap += math.log1p(least * grown / (1 + (outputs - 1) * least)) / n
            odds = least * (grown + outputs - 1)
            likely = {x: math.exp(c * (s[x] - s[best])) / (1 + odds) for x in paired}
            rise = s[best] * odds / (1 + odds) - sum(s[x] * p for x, p in likely.items())
            for x in counts:
                if x != best:
                    weight = c / n * s[x] * (rise + likely.get(x, 0))
                    self.pull[x, query] = self.pull.get((x, query), 0) - weight
                    self.pull[best, query] = self.pull.get((best, query), 0) + weight
        self.speed = size(self.pull)

    def advance(self, step):
        for at, v in self.pull.items():
            self.w[at] = self.w.get(at, 0) + step * v / self.speed

    def height(self):
        return sum(self.value(*at) * x for at, x in self.along.items())

    def off(self, w, height):
        """||w - height u||."""
        return size({at: w.get(at, 0) - height * self.along.get(at, 0) for at in w.keys() | self.along.keys()})


def size(vector):
    most = max(map(abs, vector.values()), default=0)
    return most * math.sqrt(sum((x / most) ** 2 for x in vector.values())) if most else 0.0


def scale_of(text, step, steps):
    return step * steps / math.sqrt(len(text.next) * (1 - 1 / text.vocabulary))


def near(low, x, high, room=1e-9):
    return low - room * max(1, abs(low)) <= x <= high + room * max(1, abs(high))


def false_ray(text, step, checkpoints):
    for t, bands in checkpoints.items():
        scale = scale_of(text, step, t)
        seen = {"scale": scale, "loss": math.log1p((text.vocabulary - 1) * math.exp(-scale))}
        for word, (low, high) in bands.items():
            if not near(low, seen[word], high):
                return f"{word} at step {t} is {seen[word]}"
    return ""


class Run:
    """What a token-run claim says of the iteration."""

    def __init__(self, text, solution, fed_step, fed_steps, step):
        self.text, self.solution, self.step = text, solution, step
        self.scale = scale_of(text, fed_step, fed_steps)

    def points(self, last):
        at = Attention(self.text, self.scale, self.solution)
        for t in range(last + 1):
            at.evaluate()
            yield t, at
            if at.speed < 1e-280:
                return  # beyond doubles
            at.advance(self.step)


def false_run(run, checkpoints):
    for t, at in run.points(max(checkpoints, default=-1)):
        seen = {"norm": size(at.w), "loss-gap": at.gap, "unselected": at.unselected}
        if seen["norm"]:
            seen["one-minus-corr"] = 1 - at.height() / seen["norm"]
        for word, (low, high) in checkpoints.get(t, {}).items():
            if word not in seen or not near(low, seen[word], high):
                return f"{word} at step {t} is {seen.get(word)}"
    return ""


def false_later(run, first, said):
    """`said`: the numbers of a token-forever claim by their words."""
    room = 1e-9
    start = before = None
    for t, at in run.points(first + LATER):
        if t < first:
            continue
        height = at.height()
        if start is None:
            start = (dict(at.w), height)
            if at.off(at.w, height) > said["residual"] + room or height < said["height"] - room:
                return f"the point is at height {height}, {at.off(at.w, height)} off it"
        made = t - first
        moved = {key: at.w[key] - start[0].get(key, 0) for key in at.w}
        if before is not None and (at.gap > before[0] - said["decrease"] * run.step * before[1] + 1e-15 or
                                   height < before[2] - room):
            return f"at step {t} the loss is {at.gap} above its limit, after {before[0]}; height {height}"
        if at.gap > said["loss-gap"] * said["loss-ratio"] ** made * (1 + room) or (
                at.unselected > said["unselected"] * (1 + room)):
            return f"at step {t}: loss {at.gap}, off the selected tokens {at.unselected}"
        if height < start[1] + said["growth"] * made - said["lag"] - room:
            return f"at step {t} the height is {height}"
        if at.off(moved, height - start[1]) ** 2 > said["path"] * made + room:
            return f"at step {t} the path is {at.off(moved, height - start[1])} off"
        before = (at.gap, at.speed, height)
    return ""


def false_shift(text, solution, run, sentences):
    """`sentences`: (context, next, step or None)."""
    said = {step for _, _, step in sentences if step is not None}
    for context, last, _ in sentences:
        best = [x for x in context if text.next.get(x) == last]
        logit = {x: solution.get((x, context[-1]), 0) for x in context}
        if not best or any(logit[x] >= logit[best[0]] for x in context if x != best[0]):
            return f"{context} does not end in {last}: {logit}"
    for t, at in run.points(max(said) + LATER) if said else ():
        for context, last, step in sentences:
            if step is None or t < step:
                continue
            s = at.shares(context[-1], {x: context.count(x) for x in context})
            best = max(s, key=s.get)
            if text.next.get(best) != last:
                return f"at step {t} {context} has most attention at {best}"
    return ""
