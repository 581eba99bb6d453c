"""Certificates about instances whose head has several outputs: gaps of a classifier and of ReLU units, positive,
negative, 0 and undefined, in correct/; the opposite of each, losses and ties in incorrect/; keys that do not go
together in malformed/."""
import hashlib

CANONICAL = """attest-instance 1
setting cross-attention
groups 1
tokens 2
dimension 1
factor-dimension 1
X
1*2^1
1
{head}
z
1
"""
CERTIFICATE = """attest-certificate 1
producer hand 1
instance sha256 {digest}
problem 1
setting cross-attention
norm euclidean
loss none
selection 1 {selected}
claim 1 optimal problem 1 norm-squared 1
vector multipliers 1 over 1
0 {other} 1
claim 2 support problem 1 from 1 size 1
0 {other}
{claims}
end problems 1 claims 4 lines 0
"""
BETTER = "claim 3 globally-optimal problem 1\nclaim 4 locally-optimal problem 1 from 2"
NOT_BETTER = ("claim 3 not-globally-optimal problem 1 at 0 {other}\n"
              "claim 4 not-locally-optimal problem 1 from 2 at 0 {other}")


def classifier(label, rows):
    return (f'"head": "classifier", "y": [{label}], "U": [{", ".join(f"[{row}]" for row in rows)}]',
            f"head classifier\ny\n{label}\nU\n" + "\n".join(map(str, rows)))


def units(label, rows, bias, r):
    rest = f'"bias": {list(bias)}, "r": {list(r)}'
    return (f'"head": "relu", "Y": [{label}], "A": [{", ".join(f"[{row}]" for row in rows)}], {rest}',
            "\n".join((f"head relu\nY\n{label}\nA", *map(str, rows), "bias", " ".join(map(str, bias)), "r",
                       " ".join(map(str, r)))))


# Tokens 2 and 1. What the selected token gains over the other one has this sign.
HEADS = (
    ("classifier", classifier(0, (1, 0, -1)), 0, 1),
    ("classifier-other-class", classifier(2, (1, 0, -1)), 0, -1),
    ("classifier-other-token", classifier(2, (1, 0, -1)), 1, 1),
    ("classifier-equal-classes", classifier(1, (3, 3, 3)), 0, 0),
    ("relu", units(1, (1, -1), (-1, 3), (1, 5)), 0, -1),
    ("relu-other-label", units(-1, (1, -1), (-1, 3), (1, 5)), 0, 1),
    ("relu-inactive", units(1, (1, -1), (-1, 1), (1, 5)), 0, 1),
    ("relu-kink", units(1, (1, -1), (-1, 3), (1, 5)), 1, 0),
    ("relu-kink-without-effect", units(-1, (1, -1), (0, 1), (1, 0)), 1, 1),
    ("relu-nothing-active", units(-1, (-1,), (1,), (1,)), 0, 0),
)


def write(corpus, edit, recount):
    def texts(keys, head, selected, sign):
        instance = f'{{"X": [[[2], [1]]], {keys}, "z": [[1]]}}\n'
        digest = hashlib.sha256(CANONICAL.format(head=head).encode()).hexdigest()
        claims = (BETTER if sign > 0 else NOT_BETTER).format(other=1 - selected)
        text = CERTIFICATE.format(digest=digest, selected=selected, other=1 - selected, claims=claims)
        return instance, recount(text)

    for what, (keys, head), selected, sign in HEADS:
        instance, good = texts(keys, head, selected, sign)
        corpus.case("correct", f"head-{what}", instance, good, 0)
        instance, wrong = texts(keys, head, selected, -sign if sign != 0 else 1)
        corpus.case("incorrect", f"head-{what}", instance, wrong, 1)

    keys, head = HEADS[0][1]
    instance, good = texts(keys, head, 0, 1)
    name = "head-loss.json"
    for loss in ("logistic", "exponential", "correlation", "cross-entropy"):
        corpus.case("incorrect", f"head-loss-{loss}", instance, edit(good, "^loss none", f"loss {loss}"), 1, name)
    corpus.case("incorrect", "head-score-tie", instance,
                edit(good, "^claim 3 .*", "claim 3 score-tie problem 1 group 0 tokens 0 1"), 1, name)
    corpus.case("incorrect", "head-other-layer", instance.replace("[0], [-1]", "[0], [-2]"), good, 4)
    for what, keys in (
            ("class-range", '"head": "classifier", "U": [[1], [0]], "y": [2]'),
            ("class-negative", '"head": "classifier", "U": [[1], [0]], "y": [-1]'),
            ("classes-two", '"head": "classifier", "U": [[1], [0]], "y": [0, 1]'),
            ("one-class", '"head": "classifier", "U": [[1]], "y": [0]'),
            ("width", '"head": "classifier", "U": [[1, 2], [0, 1]], "y": [0]'),
            ("flat", '"head": "classifier", "U": [1, 0], "y": [0]'),
            ("without-classes", '"head": "classifier", "U": [[1], [0]]'),
            ("without-layer", '"head": "classifier", "y": [0]'),
            ("without-head", '"U": [[1], [0]], "y": [0]'),
            ("classifier-labels", '"head": "classifier", "U": [[1], [0]], "y": [0], "Y": [1]'),
            ("classifier-bias", '"head": "classifier", "U": [[1], [0]], "y": [0], "bias": [0, 0]'),
            ("relu-classes", '"head": "relu", "A": [[1]], "bias": [0], "r": [1], "Y": [1], "y": [0]'),
            ("relu-bias", '"head": "relu", "A": [[1]], "bias": [0, 1], "r": [1], "Y": [1]'),
            ("relu-without-r", '"head": "relu", "A": [[1]], "bias": [0], "Y": [1]'),
            ("relu-without-labels", '"head": "relu", "A": [[1]], "bias": [0], "r": [1]'),
            ("relu-decoder", '"head": "relu", "A": [[1]], "bias": [0], "r": [1], "Y": [1], "v": [1]'),
            ("linear-layer", '"head": "linear", "Y": [1], "v": [1], "A": [[1]]'),
            ("word", '"head": "softmax", "U": [[1], [0]], "y": [0]'),
            ("word-with-labels", '"head": "softmax", "Y": [1], "v": [1]')):
        corpus.case("malformed", f"head-{what}", f'{{"X": [[[2], [1]]], {keys}, "z": [[1]]}}\n', good, 2)
