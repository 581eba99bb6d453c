"""Certificates about sets of groups that cannot, and that can, be separated, and about how far rows may move: true in
correct/, false in incorrect/, out of the grammar in malformed/. The instances are small enough to see that by hand."""
import hashlib
import json

HEADER = "attest-certificate 1\nproducer hand 1\ninstance sha256 {hash}\nproblem 1\nsetting {setting}\n" \
         "norm euclidean\nloss none\nselection {selection}\n"


def number(value):
    """An integer as the canonical instance writes it (GRAMMAR.md section 5)."""
    if value == 0 or value % 2:
        return str(value)
    twos = (value & -value).bit_length() - 1
    return f"{value >> twos}*2^{twos}"


def row(values):
    return " ".join(map(number, values)) + "\n"


def digest(setting, X, v, more, query=None, labels=None):
    """SHA-256 of the canonical instance, with labels 1 where none are given; `more`: the rows of z or K."""
    lines = ["attest-instance 1", f"setting {setting}"]
    if query is not None:
        lines.append(f"query {query}")
    lines += [f"groups {len(X)}", "tokens " + " ".join(str(len(group)) for group in X), f"dimension {len(v)}"]
    if more:
        lines.append(f"factor-dimension {len(more[0])}")
    text = "\n".join(lines) + "\nX\n" + "".join(row(token) for group in X for token in group)
    text += "Y\n" + row(labels or [1] * len(X)) + "v\n" + row(v)
    if more:
        text += {"cross-attention": "z\n", "prompt": "K\n"}[setting] + "".join(map(row, more))
    return hashlib.sha256(text.encode()).hexdigest()


class Instance:
    def __init__(self, name, setting, keys, X, v, labels=None, **more):
        rows = more.get("z") or [key for group in more.get("K", []) for key in group]
        self.name, self.setting = f"{name}.json", setting
        self.text = json.dumps({"X": X, "Y": labels or [1] * len(X), "v": v, **more}) + "\n"
        self.header = HEADER.format(hash=digest(setting, X, v, rows, more.get("query"), labels), setting=setting,
                                    selection=f"{len(X)} " + " ".join(map(str, keys)))


def writer(corpus, recount, prefix, instance):
    def case(folder, name, claims, codes, about=instance):
        text = recount(about.header + "\n".join(claims) + "\nend\n")
        corpus.case(folder, f"{prefix}-{name}", about.text, text, codes, about.name)
    return case


def conflicting():
    """Differences 1: (1,0) | (-1,0) | (0,1), (0,-2) | (1,1) | none: groups 0 and 1 contradict each other, 2 itself."""
    K = [[[1, 0], [0, 0]], [[-1, 0], [0, 0]], [[0, 0], [0, -1], [0, 2]], [[0, 0], [-1, -1]], [[5, 5]]]
    X = [[[len(group) - t] for t in range(len(group))] for group in K]
    return Instance("conflicting-groups", "prompt", [0, 0, 0, 0, 0], X, [1], K=K)


PAIR = ["vector farkas 2 over 3", "0 1 2", "1 1 2"]
ALONE = ["vector farkas 2 over 1", "2 1 2", "2 2 1"]


def conflicts(corpus, recount):
    case = writer(corpus, recount, "conflicts", conflicting())

    def listed(*found, at_least=None):
        return [f"claim 1 conflicts problem 1 at-least {len(found) if at_least is None else at_least}"] + sum(found, [])

    case("correct", "two", listed(PAIR, ALONE), 0)
    case("correct", "other-order", listed(ALONE, PAIR), 0)
    case("correct", "one", listed(ALONE), 0)
    case("correct", "joined", listed(["vector farkas 4 over 1"] + PAIR[1:] + ALONE[1:]), 0)
    case("incorrect", "none", listed(), 1)
    case("incorrect", "twice", listed(ALONE, ALONE), 1)
    case("incorrect", "overlap", listed(["vector farkas 4 over 1"] + PAIR[1:] + ALONE[1:], ALONE), 1)
    case("incorrect", "unbalanced", listed(PAIR, ["vector farkas 2 over 1", "2 1 2", "2 2 2"]), 1)
    case("incorrect", "first-unbalanced", listed(["vector farkas 2 over 3", "0 1 2", "1 1 1"], ALONE), 1)
    case("incorrect", "negative", listed(PAIR, ["vector farkas 2 over 1", "2 1 -2", "2 2 -1"]), 1)
    case("incorrect", "empty", listed(PAIR, ["vector farkas 0 over 1"]), 1)
    case("incorrect", "of-a-separable-group", listed(PAIR, ["vector farkas 1 over 1", "3 1 1"]), 1)
    case("malformed", "more-than-listed", listed(PAIR, ALONE, at_least=3), 2)
    case("malformed", "fewer-than-listed", listed(PAIR, ALONE, at_least=1), 2)
    case("malformed", "huge-count", listed(PAIR, ALONE, at_least=999999999999999999), 2)
    case("malformed", "negative-count", listed(PAIR, ALONE, at_least=-1), 2)
    case("malformed", "other-vector", listed(PAIR, ["vector separator 2 over 1"] + ALONE[1:]), 2)
    case("malformed", "selected-token", listed(PAIR, ["vector farkas 2 over 1", "2 0 2", "2 2 1"]), 2)
    case("malformed", "more-words", [f"{listed(PAIR)[0]} 1"] + PAIR, 2)
    case("malformed", "unknown-group", listed(["vector farkas 2 over 3", "0 1 2", "5 1 2"]), 2)


def separable_without(corpus, recount):
    case = writer(corpus, recount, "separable-without", conflicting())

    def without(groups, vector=None, count=None):
        words = [len(groups) if count is None else count] + list(groups)
        return ["claim 1 separable-without problem 1 groups " + " ".join(map(str, words))] + \
            (vector or ["vector separator 2 over 1", "1 1 3", "3 1 2"])  # W = (-1, 2)

    case("correct", "two", without([0, 2]), 0)
    case("correct", "three", without([0, 2, 4]), 0)
    case("correct", "all-with-constraints", without([0, 1, 2, 3], ["vector separator 0 over 1"]), 0)
    case("correct", "of-left-out-groups", without([1, 2], ["vector separator 2 over 1", "0 1 1", "2 1 1"]), 0)
    none = Instance("separable-groups", "cross-attention", [1, 0], [[[0], [3]], [[2], [1]]], [1], z=[[1, 0], [0, 1]])
    case("correct", "none", without([], ["vector separator 2 over 3", "0 0 1", "1 1 3"]), 0, none)
    case("incorrect", "one", without([2]), 1)
    case("incorrect", "other", without([1, 2]), 1)
    case("incorrect", "every-group", without([0, 1, 2, 3, 4]), 1)
    case("incorrect", "short", without([0, 2], ["vector separator 2 over 1", "1 1 3", "3 1 1"]), 1)
    case("incorrect", "scaled-down", without([0, 2], ["vector separator 2 over 2", "1 1 3", "3 1 2"]), 1)
    case("incorrect", "empty", without([0, 2], ["vector separator 0 over 1"]), 1)
    case("malformed", "unordered", without([2, 0]), 2)
    case("malformed", "repeated", without([0, 0, 2]), 2)
    case("malformed", "unknown-group", without([0, 2, 5]), 2)
    case("malformed", "more-groups", without([0, 2], count=1), 2)
    case("malformed", "fewer-groups", without([0, 2], count=3), 2)
    case("malformed", "huge-count", without([0, 2], count=999999999999999999), 2)
    case("malformed", "without-count", ["claim 1 separable-without problem 1 groups"] + without([])[1:], 2)
    case("malformed", "other-vector", without([0, 2], ["vector farkas 2 over 1", "1 1 3", "3 1 2"]), 2)


def robust_radius(corpus, recount):
    def claims(solution, radius, cited=1):
        return solution + [f"claim {len([s for s in solution if s.startswith('claim')]) + 1} robust-radius problem 1 "
                           f"from {cited} radius {radius}"]

    # One difference (1,0), so ||W*|| = 1: radii below 1/2 will do, and 1/2 moves both tokens to one place.
    prompt = Instance("robust-p", "prompt", [0], [[[1], [0]]], [1], K=[[[1, 0], [0, 0]]])
    optimal = ["claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1"]
    twice = ["claim 1 feasible problem 1", "vector separator 1 over 1", "0 1 2"]
    gap = ["claim 1 optimal-enclosure problem 1 form gap norm-squared 1 9/4 distance-squared 9/4",
           "vector primal 1 over 1", "0 1 1", "vector dual 1 over 1", "0 1 1"]
    ball = ["claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 1 4 radius 0 multiplier-radius 0",
            "lambda-min 1*2^-1 bits 29", "vector multipliers 1 over 1", "0 1 1"]
    case = writer(corpus, recount, "robust-radius", prompt)
    almost = "1267650600228229401496703205375*2^-101"  # 1/2 - 2^-101
    case("correct", "optimal", claims(optimal, almost), 0)
    case("correct", "feasible", claims(twice, "999/4000"), 0)
    case("correct", "gap", claims(gap, "333/1000"), 0)
    case("correct", "lambda-min", claims(ball, "249/1000"), 0)
    case("incorrect", "half-the-distance", claims(optimal, "1*2^-1"), 1)
    case("incorrect", "of-the-optimum", claims(twice, "1*2^-2"), 1)
    case("incorrect", "of-the-lower-bound", claims(gap, "1/3"), 1)
    case("incorrect", "beyond-the-enclosure", claims(ball, "1*2^-2"), 1)
    case("incorrect", "zero", claims(optimal, "0"), 1)
    case("incorrect", "negative", claims(optimal, "-1*2^-2"), 1)
    support = optimal + ["claim 2 support problem 1 from 1 size 1", "0 1"]
    case("incorrect", "from-a-support", claims(support, "1*2^-3", 2), 1)
    case("malformed", "of-itself", claims(optimal, "1*2^-3", 2), 2)
    case("malformed", "without-radius", claims(optimal, "")[:-1] + ["claim 2 robust-radius problem 1 from 1"], 2)
    case("malformed", "decimals", claims(optimal, "0.25"), 2)
    case("malformed", "more-words", claims(optimal, "1*2^-3 1"), 2)
    infeasible = ["claim 1 infeasible problem 1"] + PAIR
    writer(corpus, recount, "robust-radius", conflicting())(
        "incorrect", "from-infeasible", claims(infeasible, "1*2^-9"), 1)

    # Differences (1,0) with query (3,4) and (0,1) with query (1,0): ||W*||^2 = 26/25, largest query 5: R^2 < 1/104.
    cross = Instance("robust-c", "cross-attention", [0, 0], [[[1, 0], [0, 0]], [[0, 1], [0, 0]]], [1, 1],
                     z=[[3, 4], [1, 0]])
    optimal = ["claim 1 optimal problem 1 norm-squared 26/25", "vector multipliers 2 over 25", "0 1 1", "1 1 25"]
    case = writer(corpus, recount, "robust-radius", cross)
    case("correct", "cross", claims(optimal, "49029/500000"), 0)
    case("incorrect", "cross", claims(optimal, "98059/1000000"), 1)

    # Difference and query (1,0), both moving: 2 R (1 + R) + R < 1, that is R < (sqrt 17 - 3)/4 = 0.28077640...
    itself = Instance("robust-s", "self-attention", [0], [[[1, 0], [0, 0]]], [1, 0], query=0)
    optimal = ["claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1"]
    case = writer(corpus, recount, "robust-radius", itself)
    case("correct", "self", claims(optimal, "701941/2500000"), 0)
    case("incorrect", "self", claims(optimal, "28077641/100000000"), 1)
    case("incorrect", "self-as-if-the-query-stood-still", claims(optimal, "2/5"), 1)
    case("incorrect", "self-far", claims(optimal, "1*2^100"), 1)


def write(corpus, recount):
    conflicts(corpus, recount)
    separable_without(corpus, recount)
    robust_radius(corpus, recount)
