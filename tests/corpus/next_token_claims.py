"""Cases about sentences: both stages of next-token instances, what a certificate may say of them, and sentences that
are none. Certificates are made here, in rational numbers, from the sentences alone."""
import hashlib
import json
from fractions import Fraction

PAIRS = [[0, 3], [1, 4], [2, 5]]
# 0 > 1, 6 and 1 > 6, 7 with query 1 and 6; tokens repeat.
SENTENCES = PAIRS + [[0, 6, 6, 1, 3], [7, 1, 6, 4], [2, 2, 2, 5], [6, 2, 5]]
CYCLE = PAIRS + [[0, 1, 6, 3], [1, 2, 6, 4], [2, 7, 0, 6, 5]]  # 0 > 1 > 2 > 0 with query 6


def number(value):
    """The canonical form of a rational."""
    value = Fraction(value)
    if value == 0:
        return "0"
    twos = 0
    top, bottom = value.numerator, value.denominator
    while top % 2 == 0:
        top, twos = top // 2, twos + 1
    while bottom % 2 == 0:
        bottom, twos = bottom // 2, twos - 1
    if bottom != 1:
        return f"{value.numerator}/{value.denominator}"
    return str(top) if twos == 0 else f"{top}*2^{twos}"


class Text:
    """Sentences with their collocation, stages and hash."""

    def __init__(self, sentences, embeddings=None):
        self.sentences, self.embeddings = sentences, embeddings
        self.vocabulary = len(embeddings) if embeddings else 1 + max(map(max, sentences))
        self.next = {s[0]: s[1] for s in sentences if len(s) == 2}

    def sha256(self):
        lines = ["attest-instance 1", "setting next-token", f"vocabulary {self.vocabulary}",
                 f"sentences {len(self.sentences)}"] + [" ".join(map(str, s)) for s in self.sentences]
        if self.embeddings:
            lines += [f"dimension {len(self.embeddings[0])}", "embeddings"]
            lines += [" ".join(map(number, row)) for row in self.embeddings]
        return hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()

    def instance(self):
        keys = {"sentences": self.sentences}
        if self.embeddings:
            keys["embeddings"] = self.embeddings
        return json.dumps(keys) + "\n"

    def groups(self, stage):
        """(tokens, query, selected index) of each group."""
        if stage == "feed-forward":
            return [(list(range(self.vocabulary)), x, y) for x, y in sorted(self.next.items())]
        found = []
        for *context, last in self.sentences:
            if len(context) > 1:
                tokens = list(dict.fromkeys(context))
                found.append((tokens, context[-1], [self.next.get(x) for x in tokens].index(last)))
        return found

    def feature(self, stage, token, query):
        """The entries of E_x E_q', or of e_u E_x'."""
        unit = [[int(i == k) for i in range(self.vocabulary)] for k in range(self.vocabulary)]
        rows = self.embeddings or unit
        left = unit[token] if stage == "feed-forward" else rows[token]
        return [Fraction(a) * Fraction(b) for a in left for b in rows[query]]

    def rows(self, stage):
        """Each constraint with its Delta."""
        found = {}
        for i, (tokens, query, selected) in enumerate(self.groups(stage)):
            best = self.feature(stage, tokens[selected], query)
            for t, token in enumerate(tokens):
                if t != selected:
                    found[i, t] = [a - b for a, b in zip(best, self.feature(stage, token, query))]
        return found


def vector(name, values, over):
    return [f"vector {name} {len(values)} over {over}"] + [f"{i} {t} {k}" for (i, t), k in sorted(values.items())]


def problem(text, stage, number_of_it):
    picks = [selected for _, _, selected in text.groups(stage)]
    return [f"problem {number_of_it}", f"setting next-token {stage}", "norm euclidean", "loss none",
            " ".join(map(str, ["selection", len(picks), *picks]))]


def optimum(text, stage, multipliers, over, claim=1, of=1):
    """The optimal claim of these multipliers, its support and what goes with it; all rows must be support."""
    rows = text.rows(stage)
    columns = range(len(next(iter(rows.values()))))
    w = [sum(Fraction(k, over) * rows[c][j] for c, k in multipliers.items()) for j in columns]
    margins = {c: sum(a * b for a, b in zip(row, w)) for c, row in rows.items()}
    if min(margins.values()) != 1 or any(margins[c] != 1 for c in multipliers):
        raise SystemExit("not an optimum")
    support = [c for c in sorted(rows) if margins[c] == 1]
    lines = [f"claim {claim} optimal problem {of} norm-squared {number(sum(a * a for a in w))}"]
    lines += vector("multipliers", multipliers, over)
    lines += [f"claim {claim + 1} support problem {of} from {claim} size {len(support)}"]
    lines += [f"{i} {t}" for i, t in support]
    lines += [f"claim {claim + 2} strictly-complementary problem {of} from {claim + 1}", "evidence cited",
              f"claim {claim + 3} locally-optimal problem {of} from {claim + 1}",
              f"claim {claim + 4} globally-optimal problem {of}"]
    return lines


def certificate(text, *parts):
    lines = ["attest-certificate 1", "producer corpus 1", f"instance sha256 {text.sha256()}"]
    for part in parts:
        lines += part
    problems = sum(line.startswith("problem ") for line in lines)
    claims = sum(line.startswith("claim ") for line in lines)
    lines.append(f"end problems {problems} claims {claims} lines {len(lines) + 1}")
    return "\n".join(lines) + "\n"


def stages():
    """The texts and the certificates that hold of them."""
    text = Text(SENTENCES)
    # A query has one sentence with rows: a winner over k tokens, with multipliers 1/(k+1).
    found, by_group = {}, {}
    for i, t in text.rows("attention"):
        by_group.setdefault(i, []).append(t)
    attention = {(i, t): 6 // (len(by_group[i]) + 1) for i, t in text.rows("attention")}
    outputs = {c: 1 for c in text.rows("feed-forward")}
    attending = [problem(text, "attention", 1), optimum(text, "attention", attention, 6)]
    feeding = [problem(text, "feed-forward", 1), optimum(text, "feed-forward", outputs, text.vocabulary)]
    found["next-token-attention"] = (text, certificate(text, *attending))
    found["next-token-feed-forward"] = (text, certificate(text, *feeding))
    found["next-token-both"] = (text, certificate(
        text, *attending, problem(text, "feed-forward", 2),
        optimum(text, "feed-forward", outputs, text.vocabulary, 6, 2)))
    cycle = Text(CYCLE)
    rows = {(0, 1): 1, (1, 1): 1, (2, 2): 1}
    found["next-token-cycle"] = (cycle, certificate(
        cycle, problem(cycle, "attention", 1), ["claim 1 infeasible problem 1"], vector("farkas", rows, 1),
        ["claim 2 not-locally-optimal problem 1 from 1"]))
    given = Text([[0, 2], [0, 1, 2]], [[1, 0], [-1, 2], [3, 1]])
    delta = given.rows("attention")[0, 1]
    found["next-token-embeddings"] = (given, certificate(
        given, problem(given, "attention", 1),
        optimum(given, "attention", {(0, 1): 1}, sum(int(a * a) for a in delta))))
    outputs = {c: 1 for c in given.rows("feed-forward")}
    found["next-token-embeddings-feed-forward"] = (given, certificate(
        given, problem(given, "feed-forward", 1), optimum(given, "feed-forward", outputs, given.vocabulary)))
    return found


def component_form():
    """0, 1 and 2 share the attention of query 6: w_0 = w_1 = w_2 = 2/5, and w_6 = w_7 = -3/5."""
    text = Text(CYCLE)
    multipliers = {(0, 1): 1, (0, 2): 1, (1, 1): 2, (1, 2): 1, (2, 1): 3, (2, 3): 1}
    stated = [*problem(text, "attention", 1)[:-1], "selected-sets 3 0,1 0,1 0,2"]
    claims = ["claim 1 optimal problem 1 norm-squared 6/5", *vector("multipliers", multipliers, 5)]
    claims += ["claim 2 support problem 1 from 1 size 4", "0 2", "1 2", "2 1", "2 3"]
    claims += ["claim 3 strictly-complementary problem 1 from 2", "evidence cited"]
    return text, certificate(text, stated, claims)


def equal_embeddings():
    """Tokens 0 and 3 are one: its score is 1/2, and token 1 is the only constraint."""
    text = Text([[0, 2], [0, 1, 3, 1, 2]], [[1, 0], [-1, 2], [3, 1], [1, 0]])
    claims = ["claim 1 optimal problem 1 norm-squared 1/40", *vector("multipliers", {(0, 1): 1}, 40)]
    claims += ["claim 2 support problem 1 from 1 size 1", "0 1", "claim 3 locally-optimal problem 1 from 2",
               "claim 4 globally-optimal problem 1"]
    return text, certificate(text, problem(text, "attention", 1), claims)


def ball(name, bound):
    """The optimal claim of a certificate as an enclosure of radius 0, from this bound of the least eigenvalue."""
    text, proof = stages()[name]
    lines = proof.split("\n")
    first, second = (next(k for k, line in enumerate(lines) if line.startswith(f"claim {n} ")) for n in (1, 2))
    squared = lines[first].split(" ")[-1]
    return text, certificate(text, lines[3:first], [
        f"claim 1 optimal-enclosure problem 1 form lambda-min norm-squared {squared} {squared} radius 0 "
        "multiplier-radius 0", f"lambda-min {number(bound)} bits 64", *lines[first + 1:second]])


def correct(corpus):
    for name, (text, proof) in (("lambda-min", ball("next-token-attention", Fraction(1, 4))),
                                ("lambda-min-embeddings", ball("next-token-embeddings", 20))):
        corpus.case("correct", f"sentences-{name}", text.instance(), proof, 0)
    for name, made in (("component-form", component_form), ("equal-embeddings", equal_embeddings)):
        text, proof = made()
        corpus.case("correct", f"sentences-{name}", text.instance(), proof, 0)
    for name, (text, proof) in stages().items():
        of = {"next-token-attention": "next-token.json", "next-token-embeddings": "next-token-embeddings.json"}
        shared = [file for base, file in of.items() if stages()[base][0].instance() == text.instance()]
        corpus.case("correct", name, text.instance(), proof, 0, *shared)
    text, proof = stages()["next-token-attention"]
    flat = {"ids": sum(text.sentences, []), "lengths": [len(s) for s in text.sentences]}
    corpus.case("correct", "next-token-ids", json.dumps(flat) + "\n", proof, 0)
    pairs = Text(PAIRS)
    corpus.case("correct", "next-token-no-groups", pairs.instance(), certificate(
        pairs, problem(pairs, "attention", 1), ["claim 1 globally-optimal problem 1"]), 3)


def incorrect(corpus, edit):
    text, attention = stages()["next-token-attention"]
    feeding = stages()["next-token-feed-forward"][1]
    cycle, refuted = stages()["next-token-cycle"]

    def case(name, certificate_text, of=text, code=1):
        corpus.case("incorrect", f"next-token-{name}", of.instance(), certificate_text, code,
                    "next-token.json" if of is text else f"next-token-{name}.json")

    case("norm", edit(attention, r"norm-squared \S+", "norm-squared 2"))
    case("multiplier", edit(attention, r"^0 1 2$", "0 1 3"))
    case("output-multiplier", edit(feeding, r"^1 0 1$", "1 0 2"))
    case("stage", edit(attention, "next-token attention", "next-token feed-forward"))
    case("token-twice", edit(attention, r"^selection 4 0", "selection 4 3"))  # it has three different ones
    case("not-next", certificate(text, [line.replace("selection 4 0", "selection 4 1") for line in problem(
        text, "attention", 1)], ["claim 1 globally-optimal problem 1"]))
    case("output-not-next", certificate(text, [line.replace("selection 3 3", "selection 3 0") for line in problem(
        text, "feed-forward", 1)], ["claim 1 globally-optimal problem 1"]))
    case("half-cycle", edit(edit(refuted, "farkas 3", "farkas 2"), "^2 2 1\n", ""), cycle)
    case("support", edit(edit(attention, "size 5", "size 4"), r"^3 0\nclaim", "claim"))
    case("setting", edit(attention, "next-token attention", "self-attention"))
    case("radius", edit(attention, "^end", "claim 6 robust-radius problem 1 from 1 radius 1*2^-20\nend"))
    text_of_sets, shared = component_form()
    for name, changed in (("norm", edit(shared, "norm-squared 6/5", "norm-squared 7/5")),
                          ("equality", edit(shared, "^1 1 2$", "1 1 1")),
                          ("set", edit(shared, "sets 3 0,1 0,1 0,2", "sets 3 0,1 0,1 0,3"))):
        corpus.case("incorrect", f"sentences-component-{name}", text_of_sets.instance(), changed, 1,
                    "sentences-component.json")
    other, steep = ball("next-token-embeddings", 50)
    corpus.case("incorrect", "sentences-lambda-min", other.instance(), steep, 1)
    merged, proof = equal_embeddings()
    corpus.case("incorrect", "sentences-equal-embedding-selected", merged.instance(),
                edit(proof, "^selection 1 0", "selection 1 2"), 1)
    other = Text([*SENTENCES[:-1], [7, 2, 5]])
    case("other-sentences", attention, other, 4)
    ordinary, stated = corpus.base("ragged-c")
    corpus.case("incorrect", "next-token-of-cross", ordinary,
                edit(edit(stated, "setting cross-attention", "setting next-token attention"), "^loss .*", "loss none"),
                1,
                "ragged-c.json")


def malformed(corpus, edit):
    text, attention = stages()["next-token-attention"]

    def stated(name, certificate_text):
        corpus.case("malformed", f"next-token-{name}", text.instance(), certificate_text, 2, "next-token.json")

    stated("loss", edit(attention, "loss none", "loss logistic"))
    stated("no-stage", edit(attention, "next-token attention", "next-token"))
    stated("other-stage", edit(attention, "next-token attention", "next-token output"))
    stated("other-word", edit(attention, "next-token attention", "next-word attention"))
    stated("two-stages", edit(attention, "next-token attention", "next-token attention feed-forward"))
    embeddings = [[1, 0], [-1, 2], [3, 1]]
    instances = {
        "two-next": {"sentences": PAIRS + [[0, 4]]},
        "two-next-of-others": {"sentences": PAIRS + [[0, 6]]},
        "two-before": {"sentences": PAIRS + [[6, 3]]},
        "not-there": {"sentences": PAIRS + [[1, 2, 6, 3]]},
        "only-last": {"sentences": PAIRS + [[1, 2, 0]]},
        "one-token": {"sentences": PAIRS + [[3]]},
        "negative": {"sentences": PAIRS + [[-1, 6]]},
        "fraction": {"sentences": PAIRS + [[6, 0.5]]},
        "huge": {"sentences": PAIRS + [[6, 2 ** 24]]},
        "text": {"sentences": PAIRS + [["word", 6]]},
        "flat": {"sentences": [0, 3]},
        "deep": {"sentences": [[[0, 3], [1, 4]]]},
        "string": {"sentences": "last"},
        "and-X": {"sentences": PAIRS, "X": [[[1]], [[1]], [[1]]]},
        "and-alpha": {"sentences": PAIRS, "alpha": [0]},
        "and-ids": {"sentences": PAIRS, "ids": [0, 3], "lengths": [2]},
        "and-lengths": {"sentences": PAIRS, "lengths": [2, 2, 2]},
        "no-lengths": {"ids": [0, 3]},
        "short-lengths": {"ids": [0, 3, 1, 4], "lengths": [2]},
        "long-lengths": {"ids": [0, 3], "lengths": [2, 2]},
        "length-one": {"ids": [0, 3, 1], "lengths": [2, 1]},
        "few-embeddings": {"sentences": PAIRS, "embeddings": embeddings},
        "flat-embeddings": {"sentences": [[0, 1]], "embeddings": [1, 2]},
        "text-embeddings": {"sentences": [[0, 1]], "embeddings": "last"},
        "embeddings-alone": {"embeddings": embeddings},
    }
    for name, keys in instances.items():
        corpus.case("malformed", f"next-token-{name}", json.dumps(keys) + "\n", attention, 2)


def write(corpus, edit):
    correct(corpus)
    incorrect(corpus, edit)
    malformed(corpus, edit)
