"""Certificates about instances whose head has several outputs: gaps of a classifier and of ReLU units, positive,
negative, 0 and undefined, runs and what is proved of all later steps in correct/; the opposite of each, numbers a
little beyond the truth, losses and ties in incorrect/; keys that do not go together in malformed/."""
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


# Delta = 1. Four steps of gradient descent from 0 end at 0.24653. From 5 on, where 0.0066929 of the attention is
# elsewhere: L - L* = 0.0010012, beta = 0.14811, T12's path constant 0.0427, T15's X^2 = 0.17269.
TRAINED = """attest-certificate 1
producer hand 1
instance sha256 {digest}
problem 1
setting cross-attention
norm euclidean
loss {loss}
selection 1 0
claim 1 optimal problem 1 norm-squared 1
vector multipliers 1 over 1
0 1 1
claim 2 globally-optimal problem 1
{claims}
end problems 1 claims 4 lines 0
"""
CLASSIFIER = """claim 3 smoothness problem 1 beta 19*2^-7
claim 4 run problem 1 from 1 steps 4
optimizer gd schedule constant step 1 fraction-bits 64
start zero
checkpoints 2
at 0 norm 0 1*2^-20 along -1*2^-20 1*2^-20 one-minus-corr none loss-gap 25*2^-8 101*2^-10 gradient 1*2^-4 33*2^-9 unselected 127*2^-8 129*2^-8
at 4 norm 63*2^-8 127*2^-9 along 63*2^-8 127*2^-9 one-minus-corr -1 1*2^-2 loss-gap 85*2^-10 43*2^-9 gradient 59*2^-10 15*2^-8 unselected 7*2^-4 225*2^-9
loss-decreases-until 4
rates 0
claim 5 path-inequality problem 1 run 4 from 0 until 4 constant 1
claim 6 forever-from-run problem 1 from 1 run 4 at 4 theorem absorbing dominates-from none
step-bound 3*2^-3
ranges 1
group 0 output 0 attention 1*2^-1
path 1*2^3 excess 0 centre 1*2^-20 height 1*2^-3 growth logarithmic 1*2^-8
claim 7 forever-from-point problem 1 from 1 theorem lock-in dominates-from 0
optimizer gd schedule constant step 1*2^-3
start 1 5
ranges 1
group 0 floor -67*2^-16
path 3*2^-6 excess 17*2^-16 centre 1*2^-20 height 19*2^-2 growth logarithmic 37*2^-8
claim 8 forever-from-point problem 1 from 1 theorem bounded dominates-from none
optimizer gd schedule constant step 1*2^-3
start 1 5
step-bound 1*2^-12 ratio 0 reach 1*2^-1
lambda-min 1*2^-1 bits 64
vector pull 0 over 1
outside 0
ranges 1
group 0 attention 1*2^-7
path 0 excess 3*2^-4 centre 1*2^-20 height 19*2^-2 growth logarithmic 37*2^-8
claim 9 forever-from-point problem 1 from 1 theorem lock-in dominates-from 0
optimizer ngd schedule constant step 2101/2500
start 1 5
ranges 1
group 0 floor -69*2^-16
path 13*2^-8 excess 0 centre 1*2^-20 height 19*2^-2 growth linear 31*2^-5"""
# Polyak's steps: thhi = 1.00688, C = 0.02174, so M >= 0.54692; thlo = 0.99242.
POLYAK = """claim 3 run problem 1 from 1 steps 2
optimizer polyak schedule constant step 1*2^-1 fraction-bits 64
start zero
checkpoints 1
at 2 norm 89*2^-6 45*2^-5 along 89*2^-6 45*2^-5 one-minus-corr -1 1*2^-2 loss-gap 33*2^-10 17*2^-9 gradient 59*2^-11 61*2^-11 unselected 25*2^-7 13*2^-6
loss-decreases-until 2
rates 0
claim 4 forever-from-point problem 1 from 1 theorem absorbing dominates-from 0
optimizer polyak schedule constant step 1*2^-1
start 1 5
step-bound 1
ranges 1
group 0 output 0 attention 7*2^-10
path 281*2^-9 excess 0 centre 1*2^-20 height 19*2^-2 growth linear 127*2^-7"""
# The first unit is active, the second is not: gap 1.
UNITS = """claim 3 run problem 1 from 1 steps 4
optimizer gd schedule constant step 1*2^-3 fraction-bits 64
start 1 5
checkpoints 1
at 4 norm 39*2^-3 41*2^-3 along 39*2^-3 41*2^-3 one-minus-corr -1 1*2^-2 loss-gap 5*2^-14 21*2^-16 gradient 5*2^-14 21*2^-16 unselected 109*2^-14 55*2^-13
loss-decreases-until 4
rates 0
claim 4 forever-from-run problem 1 from 1 run 3 at 4 theorem absorbing dominates-from 4
step-bound 1*2^-14
ranges 1
group 0 output 7*2^-10 attention 7*2^-10
path 3*2^-6 excess 0 centre 1*2^-20 height 19*2^-2 growth logarithmic 11*2^-8"""

# The runs of both alone.
CLASSIFIER_RUN = CLASSIFIER[CLASSIFIER.index("optimizer"):CLASSIFIER.index("claim 5")]
UNITS_RUN = UNITS[UNITS.index("optimizer"):UNITS.index("claim 4")]
RUN = "claim 3 run problem 1 from 1 steps 4\n{run}claim 4 path-inequality problem 1 run 3 from 0 until 4 constant 1"


# What both checkers verify of later steps: T10 and T11, from a run and from a point.
CLASSIFIER_LATER = """claim 3 run problem 1 from 1 steps 4
{run}claim 4 forever-from-run problem 1 from 1 run 3 at 4 theorem absorbing dominates-from none
step-bound 3*2^-3
ranges 1
group 0 output 0 attention 1*2^-1
path 1*2^3 excess 0 centre 1*2^-20 height 1*2^-3 growth logarithmic 1*2^-8
claim 5 forever-from-run problem 1 from 1 run 3 at 4 theorem local dominates-from none
step-bound 3*2^-3 ratio 0 extra 0 theta 1
outside 0
ranges 1
group 0 attention 1*2^-1
path 1*2^3 excess 0 centre 1*2^-20 height 1*2^-3 growth logarithmic 1*2^-8
claim 6 forever-from-point problem 1 from 1 theorem absorbing dominates-from 0
optimizer ngd schedule constant step 1*2^-3
start 1 5
step-bound 1
ranges 1
group 0 output 0 attention 1*2^-7
path 1*2^-3 excess 0 centre 1*2^-20 height 19*2^-2 growth linear 31*2^-5
claim 7 forever-from-point problem 1 from 1 theorem local dominates-from 0
optimizer ngd schedule inverse step 1*2^-3
start 1 5
step-bound 1*2^-3 ratio 0 extra 0 theta 1
outside 0
ranges 1
group 0 attention 1*2^-7
path 1*2^-2 excess 0 centre 1*2^-20 height 19*2^-2 growth linear 31*2^-5"""
UNITS_LATER = """claim 3 run problem 1 from 1 steps 4
{run}claim 4 forever-from-run problem 1 from 1 run 3 at 4 theorem absorbing dominates-from 4
step-bound 1*2^-14
ranges 1
group 0 output 7*2^-10 attention 7*2^-10
path 3*2^-6 excess 0 centre 1*2^-20 height 19*2^-2 growth logarithmic 11*2^-8
claim 5 forever-from-point problem 1 from 1 theorem local dominates-from none
optimizer ngd schedule constant step 1*2^-3
start 1 5
step-bound 1*2^-3 ratio 0 extra 0 theta 1
outside 0
ranges 1
group 0 attention 7*2^-10
path 1*2^-2 excess 0 centre 1*2^-20 height 19*2^-2 growth linear 31*2^-5"""


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

    margins_only(corpus, edit, texts)

    # Labels without a decoder: its row would be (2), its solution 1/2.
    keys, head = units(1, [1, -1], [-1, 1], [1, 5])
    instance, text = texts(keys, head, 0, 1)
    before = text[:text.index("selection")]
    corpus.case("incorrect", "head-relu-without-decoder", instance, recount(
        before + "decoder\nselection 1 0\nclaim 1 optimal problem 1 norm-squared 1*2^-2\n"
        "vector multipliers 1 over 4\n0 0 1\nend\n"), 1, message="decoder")
    trained(corpus, edit, recount)
    later(corpus, edit, recount)
    runs(corpus, edit, recount)
    polyak(corpus, edit, recount)
    paths(corpus, edit, recount)
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


def margins_only(corpus, edit, texts):
    """What does not speak of the head, and the same of a margin that it does not have."""
    rest = "claim 3 rank problem 1 from 1 equals 1\nlower modulus 3\nupper groups\nclaim 4 feasible problem 1\n"
    for what in ("classifier", "relu"):
        keys, head = next((keys, head) for name, (keys, head), *_ in HEADS if name == what)
        instance, text = texts(keys, head, 0, 1)
        text = edit(text, "^claim 3 (?:.|\n)*",
                    rest + "vector separator 1 over 1\n0 1 1\nend problems 1 claims 4 lines 0\n")
        name = f"head-margins-{what}"
        corpus.case("correct", name, instance, text, 0, f"{name}.json")
        corpus.case("incorrect", name, instance, edit(text, "0 1 1\nend", "0 1 -1\nend"), 1, f"{name}.json")


def trained_texts(keys, head, loss, claims, recount):
    instance = f'{{"X": [[[2], [1]]], {keys}, "z": [[1]]}}\n'
    digest = hashlib.sha256(CANONICAL.format(head=head).encode()).hexdigest()
    return instance, recount(TRAINED.format(digest=digest, loss=loss, claims=claims))


def false(corpus, edit, instance, text, name, changes):
    for what, pattern, replacement, *message in changes:
        corpus.case("incorrect", f"{name}-{what}", instance, edit(text, pattern, replacement), 1, f"{name}.json",
                    message="".join(message))


def later(corpus, edit, recount):
    name = "later-classifier"
    instance, text = trained_texts(*classifier(0, (1, 0, -1)), "classifier",
                                   CLASSIFIER_LATER.format(run=CLASSIFIER_RUN), recount)
    corpus.case("correct", name, instance, text, 0, f"{name}.json")
    false(corpus, edit, instance, text, name, (
        ("output", "group 0 output 0 attention 1.2.-1", "group 0 output 1*2^-1 attention 1*2^-1",
         "a head without a score has an output range"),
        ("attention", "output 0 attention 1.2.-1", "output 0 attention 3*2^-3"),
        ("local-attention", "group 0 attention 1.2.-1", "group 0 attention 3*2^-3"),
        ("growth", "growth logarithmic 1.2.-8", "growth logarithmic 1*2^-7"),
        ("path", "^path 1.2.3", "path 7"),
        ("point-path", "path 1.2.-3", "path 1*2^-6"),
        ("point-growth", "growth linear 31.2.-5", "growth linear 33*2^-5"),
        ("local-step", "step-bound 1.2.-3 ratio", "step-bound 1*2^-4 ratio"),
        ("height", "height 19.2.-2", "height 21*2^-2")))

    name = "later-relu"
    keys, head = units(1, (1, -1), (1, -3), (1, 5))
    instance, text = trained_texts(keys, head, "relu-logistic", UNITS_LATER.format(run=UNITS_RUN), recount)
    corpus.case("correct", name, instance, text, 0, f"{name}.json")
    false(corpus, edit, instance, text, name, (
        ("output", "output 7", "output 3"),
        ("path", "^path 3.2.-6", "path 5*2^-7"),
        ("growth", "growth logarithmic 11", "growth logarithmic 13"),
        ("local-attention", "group 0 attention 7.2.-10", "group 0 attention 3*2^-9")))


def runs(corpus, edit, recount):
    name = "run-classifier"
    instance, text = trained_texts(*classifier(0, (1, 0, -1)), "classifier", RUN.format(run=CLASSIFIER_RUN), recount)
    corpus.case("correct", name, instance, text, 0, f"{name}.json")
    false(corpus, edit, instance, text, name, (
        ("loss-gap", "loss-gap 85.2.-10 43.2.-9", "loss-gap 1*2^-4 85*2^-10"),
        ("gradient", "gradient 59.2.-10 15.2.-8", "gradient 15*2^-8 1*2^-4"),
        ("norm", "norm 63.2.-8 127.2.-9", "norm 127*2^-9 1*2^-2"),
        ("along", "along 63.2.-8 127.2.-9", "along 61*2^-8 63*2^-8"),
        ("unselected", "unselected 7.2.-4 225.2.-9", "unselected 225*2^-9 15*2^-5"),
        ("path", "constant 1$", "constant -1")))

    # Its unit is active all along; with the other bias it is on its kink at the start.
    name = "run-relu"
    keys, head = units(1, (1, -1), (1, -3), (1, 5))
    instance, text = trained_texts(keys, head, "relu-logistic", RUN.format(run=UNITS_RUN), recount)
    corpus.case("correct", name, instance, text, 0, f"{name}.json")
    false(corpus, edit, instance, text, name, (
        ("loss-gap", "loss-gap 5.2.-14 21", "loss-gap 1*2^-20 19"),
        ("gradient", "gradient 5.2.-14 21", "gradient 1*2^-20 19"),
        ("other-loss", "^loss relu-logistic", "loss relu-exponential")))
    keys, head = units(1, (2,), (-3,), (1,))
    instance, text = trained_texts(keys, head.replace("A\n2", "A\n1*2^1"), "relu-logistic",
                                   RUN.format(run=UNITS_RUN.replace("start 1 5", "start zero")), recount)
    corpus.case("incorrect", "run-relu-kink", instance, text, 1, message="unit 0")


def polyak(corpus, edit, recount):
    name = "polyak-classifier"
    instance, text = trained_texts(*classifier(0, (1, 0, -1)), "classifier", POLYAK, recount)
    corpus.case("correct", name, instance, text, 0, f"{name}.json")
    false(corpus, edit, instance, text, name, (
        ("loss-gap", "loss-gap 33.2.-10 17.2.-9", "loss-gap 31*2^-10 33*2^-10"),
        ("norm", "norm 89.2.-6 45.2.-5", "norm 45*2^-5 91*2^-6"),
        ("path", "path 281.2.-9", "path 279*2^-9"),
        ("attention", "attention 7.2.-10", "attention 13*2^-11"),
        ("growth", "growth linear 127.2.-7", "growth linear 255*2^-8")))
    # With the other class the selected token has more loss than the other one.
    keys, head = classifier(2, (1, 0, -1))
    instance, text = trained_texts(keys, head, "classifier", POLYAK, recount)
    corpus.case("incorrect", "polyak-classifier-selection", instance,
                edit(text, "^claim 2 .*", "claim 2 smoothness problem 1 beta 100"), 1,
                message="the loss of the selected tokens is not known to be the infimum")


# Rise and its bound from above: 0.14906 and 0.26467 of the classifier; 1 and 1; 1 and 5. Constants are 0.60716,
# 0.03625 and 1.80678.
PATHS = (
    ("classifier", classifier(0, (1, 0, -1)), "classifier", "39*2^-6", "19*2^-5"),
    ("relu", units(1, (1, -1), (1, -3), (1, 5)), "relu-logistic", "5*2^-7", "1*2^-5"),
    ("relu-mixed", units(1, (3, -3), (-5, 5), (1, -1)), "relu-exponential", "29*2^-4", "115*2^-6"),
)


def paths(corpus, edit, recount):
    words = "claim 3 regularisation-path problem 1 from 1 from-radius 4 rate-constant "
    for what, (keys, head), loss, enough, short in PATHS:
        name = f"path-{what}"
        instance, text = trained_texts(keys, head, loss, words + enough, recount)
        corpus.case("correct", name, instance, text, 0, f"{name}.json")
        false(corpus, edit, instance, text, name, (
            ("constant", "rate-constant .*", f"rate-constant {short}", "rate constant of the theorem"),
            ("radius", "from-radius 4", "from-radius 1*2^-12", "may lose all attention")))
    # A token that is worse to first order only, and one that is worse at once.
    far = words.replace("4 rate", "1*2^9 rate") + "1*2^9"
    for what, head, loss, claim in (
            ("relu", units(1, (9, 1), (-17, 0), (1, -3)), "relu-logistic", "globally-optimal problem 1"),
            ("classifier", classifier(2, (1, 0, -1)), "classifier", "smoothness problem 1 beta 100")):
        instance, text = trained_texts(*head, loss, far, recount)
        corpus.case("incorrect", f"path-{what}-rival", instance, text.replace("globally-optimal problem 1", claim), 1,
                    message="attention on (0, 1) may be better")


def trained(corpus, edit, recount):
    name = "trained-classifier"
    instance, text = trained_texts(*classifier(0, (1, 0, -1)), "classifier", CLASSIFIER, recount)
    corpus.case("correct", name, instance, text, 0, f"{name}.json")
    false(corpus, edit, instance, text, name, (
        ("smoothness", "beta 19.*", "beta 37/250"),
        ("loss-gap", "loss-gap 85.2.-10 43.2.-9", "loss-gap 1*2^-4 85*2^-10"),
        ("gradient", "gradient 59.2.-10 15.2.-8", "gradient 15*2^-8 1*2^-4"),
        ("norm", "norm 63.2.-8 127.2.-9", "norm 127*2^-9 1*2^-2"),
        ("unselected", "unselected 7.2.-4 225.2.-9", "unselected 225*2^-9 15*2^-5"),
        ("output", "output 0", "output 1*2^-1", "a head without a score has an output range"),
        ("attention", "output 0 attention 1.2.-1", "output 0 attention 3*2^-3"),
        ("growth", "growth logarithmic 1.2.-8", "growth logarithmic 1*2^-7"),
        ("path", "^path 1.2.3", "path 7"),
        ("floor", "floor -67", "floor -65"),
        ("floor-positive", "floor -67", "floor 67"),
        ("lock-in-path", "path 3.2.-6", "path 5*2^-7"),
        ("lock-in-excess", "excess 17.2.-16", "excess 1*2^-12"),
        ("lock-in-step", "step 1.2.-3\nstart 1 5\nranges", "step 7\nstart 1 5\nranges"),
        ("lock-in-normalised-step", "step 2101/2500", "step 42029/50000", "step condition of the normalised lock-in"),
        ("lock-in-normalised-path", "path 13.2.-8", "path 11*2^-8"),
        ("bounded-excess", "excess 3.2.-4", "excess 1*2^-3"),
        ("bounded-attention", "group 0 attention 1.2.-7", "group 0 attention 1*2^-8"),
        ("bounded-unsettled", "group 0 attention 1.2.-7", "group 0 attention 3*2^-2"),
        ("polyak", "gd schedule constant step 1 ", "polyak schedule constant step 1 ",
         "norm at step 4"),
        ("bounded-polyak", "gd schedule constant step 1.2.-3\nstart 1 5\nstep-bound((?:.|\n)*)logarithmic 37.2.-8",
         "polyak schedule constant step 1*2^-3\nstart 1 5\nstep-bound\\1linear 1*2^-20",
         "the theorem does not cover polyak steps"),
        ("other-head", "^loss classifier", "loss relu-logistic", "the instance's head is a classifier"),
        ("stationary", "^claim 3 smoothness problem 1 .*", "claim 3 stationary problem 1\nstart zero",
         "not known of heads of several outputs"),
        ("norm-path", "^claim 3 smoothness problem 1 .*",
         "claim 3 norm-path problem 1 norm l1 from 1 from-radius 100 rate-constant 100",
         "not known of heads of several outputs")))

    name = "trained-relu"
    keys, head = units(1, (1, -1), (1, -3), (1, 5))
    instance, text = trained_texts(keys, head, "relu-logistic", UNITS, recount)
    corpus.case("correct", name, instance, text, 0, f"{name}.json")
    false(corpus, edit, instance, text, name, (
        ("other-loss", "^loss relu-logistic", "loss relu-exponential"),
        ("loss-gap", "loss-gap 5.2.-14 21", "loss-gap 1*2^-20 19"),
        ("output", "output 7", "output 3"),
        ("path", "^path 3.2.-6", "path 5*2^-7"),
        ("growth", "growth logarithmic 11", "growth logarithmic 13"),
        ("smoothness", "^claim 2 .*", "claim 2 smoothness problem 1 beta 100",
         "not known of ReLU units"),
        ("polyak", "optimizer gd", "optimizer polyak",
         "the loss of the selected tokens is not known to be the infimum"),
        ("lock-in", "theorem absorbing dominates-from 4\n.*\nranges 1\ngroup 0 .*",
         "theorem lock-in dominates-from 4\nranges 1\ngroup 0 floor 5*2^-1",
         "the loss of the selected tokens is no infimum of the head's"),
        ("polyak-point", "^claim 3 run(?:.|\n)*run 3 at 4 theorem absorbing dominates-from 4((?:.|\n)*)logarithmic",
         "claim 3 forever-from-point problem 1 from 1 theorem absorbing dominates-from none\n"
         "optimizer polyak schedule constant step 1*2^-3\nstart 1 5\\1linear",
         "not known of ReLU units")))
    # A unit whose input is 0 at equal attention.
    keys, head = units(1, (1, -1), (-1.5, 3), (1, 0))
    instance, text = trained_texts(keys, head.replace("-1.5", "-3*2^-1"), "relu-logistic",
                                   UNITS.replace("start 1 5", "start zero"), recount)
    corpus.case("incorrect", f"{name}-kink", instance, text, 1,
                message="the sign of unit 0 of the head is open in group 0 at step 0")
