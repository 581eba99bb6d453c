"""Certificates about instances with the head of selection cross-entropy: a run from the wrong side with what is proved
of all its later steps, points from which all rules stay in the regions of T10 and T11, and paths of minimisers, in
correct/; claims of another head, and numbers a little beyond the truth, in incorrect/; keys that do not go together in
malformed/."""
import hashlib
import re

# Two tokens, Delta = 1, the first one wanted. From W_0 = -2, where it has 1/(1 + e^2) of the attention, four steps of
# length 1 - s end at 0.66896.
INSTANCE = """{"X": [[[2], [1]]],
"head": "cross-entropy",
"y": [0],
"z": [[1]]}
"""
CANONICAL = """attest-instance 1
setting cross-attention
groups 1
tokens 2
dimension 1
factor-dimension 1
X
1*2^1
1
head cross-entropy
y
0
z
1
"""
GOOD = f"""attest-certificate 1
producer hand 1
instance sha256 {hashlib.sha256(CANONICAL.encode()).hexdigest()}
problem 1
setting cross-attention
norm euclidean
loss cross-entropy
selection 1 0
claim 1 optimal problem 1 norm-squared 1
vector multipliers 1 over 1
0 1 1
claim 2 globally-optimal problem 1
claim 3 smoothness problem 1 beta 1*2^-2
claim 4 run problem 1 from 1 steps 4
optimizer gd schedule constant step 1 fraction-bits 64
start 1 -1*2^1
checkpoints 2
at 0 norm 1 3 along -3 -1 one-minus-corr 1 3 loss-gap 17*2^-3 69*2^-5 gradient 7*2^-3 57*2^-6 unselected 7*2^-3 57*2^-6
at 4 norm 1*2^-1 1 along 1*2^-1 1 one-minus-corr -1 1*2^-2 loss-gap 3*2^-3 7*2^-4 gradient 5*2^-4 3*2^-3 unselected 5*2^-4 3*2^-3
loss-decreases-until 4
rates 0
claim 5 path-inequality problem 1 run 4 from 0 until 4 constant 1
claim 6 forever-from-point problem 1 from 1 theorem lock-in dominates-from none
optimizer gd schedule constant step 1
start 1 -1*2^1
ranges 1
group 0 floor 1*2^-4
path 3*2^1 excess 5 centre 0 height -1*2^1 growth logarithmic 1*2^-5
claim 7 forever-from-run problem 1 from 1 run 4 at 4 theorem lock-in dominates-from 4
ranges 1
group 0 floor 5*2^-3
path 1 excess 1 centre 1*2^-20 height 1*2^-1 growth logarithmic 1*2^-1
claim 8 regularisation-path problem 1 from 1 from-radius 1*2^1 rate-constant 1*2^-1
end problems 1 claims 8 lines 0
"""

# From 4, where the other token has 1/(1 + e^4) = 0.01799 of the attention, 2 C = 0.0635, e^K = 31/32; from 0.66896 at
# step 4 of the run 0.33873, 0.94, 5/8. The bounds of a score's slopes would prove 0.848, 0.875 and 0.273 of growth.
RUN = "claim 3 run " + GOOD.partition("claim 4 run ")[2].partition("claim 5 ")[0]
LATER = RUN + """claim 4 path-inequality problem 1 run 3 from 0 until 4 constant 1
claim 5 forever-from-run problem 1 from 1 run 3 at 4 theorem absorbing dominates-from 4
step-bound 9*2^-4
ranges 1
group 0 output 9*2^-4 attention 3*2^-3
path 1 excess 0 centre 1*2^-20 height 1*2^-1 growth logarithmic 1*2^-1
""" + "".join(f"""claim {number} forever-from-point problem 1 from 1 theorem absorbing dominates-from 0
optimizer {rule} schedule constant step 1
start 1 1*2^2
step-bound 1*2^-5
ranges 1
group 0 output 1*2^-3 attention 1*2^-5
path {path} excess 0 centre 1*2^-20 height 3 growth {growth} 15*2^-4
""" for number, rule, path, growth in ((6, "gd", "1*2^-3", "logarithmic"), (7, "ngd", "1*2^-3", "linear"),
                                       (8, "polyak", "9*2^-3", "linear")))

# T15 from there: X^2 = 0.07559 and 0.08302.
SHARP = "".join(f"""claim {number} forever-from-point problem 1 from 1 theorem bounded dominates-from 0
optimizer {rule} schedule constant step {step}
start 1 1*2^2
step-bound {bound} ratio 0 reach 1*2^-1
lambda-min 1*2^-1 bits 64
vector pull 0 over 1
outside 0
ranges 1
group 0 attention 1*2^-5
path 0 excess {excess} centre 1*2^-20 height 3 growth {growth}
""" for number, rule, step, bound, excess, growth in (
    (3, "gd", "1", "1*2^-5", "5*2^-6", "logarithmic 15*2^-4"), (4, "ngd", "1*2^-3", "1*2^-3", "11*2^-7", "linear 1")))

# T12 from the wrong side and from the run, T12n from 4: -log 125/128 = 0.02372 is above L = 0.01815, and twice it below
# the path constant.
LOCKED = RUN + "".join(
    f"claim {number} " + GOOD.partition(f"claim {of} ")[2].partition("claim ")[0] for number, of in ((4, 6), (5, 7))
).replace("run 4 at", "run 3 at") + """claim 6 forever-from-point problem 1 from 1 theorem lock-in dominates-from 0
optimizer ngd schedule constant step 27*2^-5
start 1 1*2^2
ranges 1
group 0 floor 125*2^-7
path 25*2^-9 excess 0 centre 1*2^-20 height 3 growth linear 1
"""

# With a third token, Delta = 3, outside P: R(0) = e^-8 32/31, h >= 0.055, M >= 0.2533.
OUTSIDE = """claim 3 forever-from-point problem 1 from 1 theorem local dominates-from 0
optimizer gd schedule constant step 1
start 1 1*2^2
step-bound 1*2^-4 ratio 1*2^-10 extra 1*2^-10 theta 1
outside 1
0 2
ranges 1
group 0 attention 1*2^-5
path 9*2^-5 excess 0 centre 1*2^-20 height 3 growth logarithmic 15*2^-4
"""
END = "end problems 0 claims 0 lines 0\n"


# Three sequences, one token of the first twice, one off the support: paths of minimisers in two norms. At these radii
# the theorem's constants are 2.394 and 2.876, and 0.4902 is left across.
RAGGED = """{"X": [[[2, 0], [1, 0], [0, -1], [1, 0]], [[0, 3], [0, 2]], [[5, 5]]],
"y": [0, 0, 0],
"z": [[1], [1], [1]]}
"""
PATHS = """attest-certificate 1
producer hand 1
instance sha256 8179295e42dd62b2082223fd3c8c9a060ff25a1bb8a1a3410c7bca8325284a69
problem 1
setting cross-attention
norm euclidean
loss cross-entropy
selection 3 0 0 0
claim 1 optimal problem 1 norm-squared 2
vector multipliers 2 over 1
0 1 1
1 1 1
claim 2 regularisation-path problem 1 from 1 from-radius 3 rate-constant 5*2^-1
claim 3 path-residual problem 1 from 1 from-radius 50 residual 1*2^-1
lambda-min 1*2^-1 bits 97
vector pull 2 over 2^64
0 1 6393154322601327616
1 1 -6393154322601327616
claim 4 norm-optimum problem 1 norm l1 value 2 2
matrix primal 2 1 over 1
1
1
vector multipliers 2 over 1
0 1 1
1 1 1
dual-norm 1
claim 5 norm-path problem 1 norm l1 from 4 from-radius 5 rate-constant 7*2^-1
end problems 0 claims 0 lines 0
"""

# T22 from K and Q near multiples of the unit matrix: a = 0.41653, mu = 4.2461, s >= 0.99758, 0.00094709 moves.
UNIT = """{"X": [[[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [-2, 3]]],
"y": [0, 0, 0],
"z": [[1, 0], [0, 1], [1, 0]]}
"""
FACTORS = re.sub("sha256 .*", "sha256 79bb7e570a47532bc22795c8f2b04d8a6b5eb8adca185c1105e5f0e37bfa0b3e",
                 PATHS[:PATHS.index("claim 2 ")])
FACTORS += """claim 2 norm-optimum problem 1 norm nuclear value 1048575*2^-19 2 rank-at-most 2
matrix left 2 2 over 1
1 0
0 1
matrix right 2 2 over 1
1 0
0 1
vector multipliers 2 over 1
0 1 1
1 1 1
dual-norm 1048577*2^-20 bits 40
claim 3 factored-run problem 1 rank 2 from 1 nuclear 2 steps 4
optimizer gd schedule constant step 1
matrix left 2 2 over 2^1
5 0
0 6
matrix right 2 2 over 2^1
5 0
0 5
checkpoints 1 bits 128
"""
FACTORS += ("checkpoint 4 left-norm 391/100 98/25 right-norm 177/50 71/20 norm 979/100 49/5 "
            "balance 137/50 69/25 loss-gap 1/1250 9/10000 unselected 9/5000 19/10000 one-minus-corr 3/1000 1/250\n"
            "claim 4 factored-forever problem 1 run 3 at 4 nuclear 2 share 829/1000 margin 83/200 "
            "growth 106/25 attention 399/400 drift 19/20000\n") + END


def factored_cases(corpus, edit, recount):
    good = recount(FACTORS)
    name = "cross-entropy-factored.json"
    corpus.case("correct", "cross-entropy-factored", UNIT, good, 0)

    def case(what, pattern, replacement):
        corpus.case("incorrect", f"cross-entropy-factored-{what}", UNIT, edit(good, pattern, replacement), 1, name)

    case("margin", "margin 83/200", "margin 417/1000")
    case("growth", "growth 106/25", "growth 17*2^-2")
    case("attention", "attention 399/400", "attention 1247/1250")
    case("drift", "drift 19/20000", "drift 9/10000")
    case("share", "share 829/1000", "share 831/1000")


def path_cases(corpus, edit, recount):
    good = recount(PATHS)
    name = "cross-entropy-paths.json"
    corpus.case("correct", "cross-entropy-paths", RAGGED, good, 0)

    def case(what, pattern, replacement):
        corpus.case("incorrect", f"cross-entropy-paths-{what}", RAGGED, edit(good, pattern, replacement), 1, name)

    case("constant", r"rate-constant 5\*2\^-1", "rate-constant 19*2^-3")
    case("radius", "from-radius 3 ", "from-radius 5*2^-1 ")
    case("all-attention", "from-radius 3 rate-constant .*", "from-radius 1 rate-constant 1*2^40")
    case("residual", r"residual 1\*2\^-1", "residual 31*2^-6")
    case("residual-near", "from-radius 50 ", "from-radius 3 ")
    case("eigenvalue", r"lambda-min 1\*2\^-1", "lambda-min 33*2^-5")
    case("norm-constant", r"rate-constant 7\*2\^-1", "rate-constant 11*2^-2")
    case("norm-radius", "from-radius 5 ", "from-radius 3 ")
    # Another token selected than the one that the loss speaks of.
    digest = CANONICAL.replace("tokens 2", "tokens 3").replace("1*2^1\n1\n", "1*2^1\n1\n-1\n")
    claim = "claim 2 regularisation-path problem 1 from 1 from-radius 1*2^5 rate-constant 1*2^5\n"
    wrong = edit(recount(GOOD[:GOOD.index("claim 2 ")] + claim + END), "^instance sha256 .*",
                 f"instance sha256 {hashlib.sha256(digest.encode()).hexdigest()}")
    wrong = edit(edit(wrong, "^selection 1 0", "selection 1 2"), "norm-squared 1\n.*over 1\n",
                 "norm-squared 1*2^-2\nvector multipliers 1 over 2^2\n")
    corpus.case("incorrect", "cross-entropy-paths-selection", INSTANCE.replace("[[2], [1]]", "[[2], [1], [-1]]"), wrong,
                1, "cross-entropy-outside.json")


def later_cases(corpus, edit, recount, good, name):
    start = good[:good.index("claim 3 ")]
    text = recount(start + LATER + END)
    corpus.case("correct", "cross-entropy-later", INSTANCE, text, 0, name)
    third = INSTANCE.replace("[[2], [1]]", "[[2], [1], [-1]]")
    digest = CANONICAL.replace("tokens 2", "tokens 3").replace("1*2^1\n1\n", "1*2^1\n1\n-1\n")
    outside = edit(recount(start + OUTSIDE + END), "^instance sha256 .*",
                   f"instance sha256 {hashlib.sha256(digest.encode()).hexdigest()}")
    corpus.case("correct", "cross-entropy-outside", third, outside, 0)

    def case(what, pattern, replacement, of=text, instance=INSTANCE, of_name=name):
        corpus.case("incorrect", f"cross-entropy-later-{what}", instance, edit(of, pattern, replacement), 1, of_name)

    case("growth", r"growth logarithmic 15\*2\^-4", "growth logarithmic 63*2^-6")
    case("growth-of-a-run", r"growth logarithmic 1\*2\^-1", "growth logarithmic 41*2^-6")
    case("attention", r"attention 1\*2\^-5", "attention 1*2^-6")
    case("output", r"output 1\*2\^-3", "output 1*2^-6")
    case("path", r"path 1\*2\^-3", "path 1*2^-4")
    case("path-of-polyak", r"path 9\*2\^-3", "path 1")
    case("growth-of-polyak", r"path 9\*2\^-3 (.*) growth linear 15\*2\^-4", r"path 9*2^-3 \1 growth linear 17*2^-4")
    case("step-bound", r"step-bound 1\*2\^-5", "step-bound 1*2^-6")
    case("ratio", r"ratio 1\*2\^-10", "ratio 1*2^-12", outside, third, "cross-entropy-outside.json")
    case("outside-path", r"path 9\*2\^-5", "path 1*2^-2", outside, third, "cross-entropy-outside.json")
    sharp = recount(start + SHARP + END)
    corpus.case("correct", "cross-entropy-sharp", INSTANCE, sharp, 0, name)
    case("sharp-excess", r"excess 5\*2\^-6", "excess 19*2^-8", sharp)
    case("sharp-normalised", r"excess 11\*2\^-7", "excess 21*2^-8", sharp)
    case("sharp-reach", r"reach 1\*2\^-1", "reach 1*2^-2", sharp)
    case("sharp-unsettled", r"attention 1\*2\^-5", "attention 9*2^-4", sharp)
    case("sharp-growth", "growth linear 1", "growth linear 33*2^-5", sharp)
    locked = recount(start + LOCKED + END)
    corpus.case("correct", "cross-entropy-locked", INSTANCE, locked, 0, name)
    case("locked-floor", r"floor 1\*2\^-4", "floor 1*2^-3", locked)
    case("locked-floor-normalised", r"floor 125\*2\^-7", "floor 63*2^-6", locked)
    case("locked-path", r"path 3\*2\^1", "path 11*2^-1", locked)
    case("locked-path-normalised", r"path 25\*2\^-9", "path 3*2^-6", locked)
    case("locked-excess", "excess 5", "excess 1*2^2", locked)
    case("locked-growth", r"growth logarithmic 1\*2\^-5", "growth logarithmic 1*2^-3", locked)
    case("locked-step", r"(lock-in dominates-from none\noptimizer gd schedule constant step) 1", r"\1 5", locked)
    case("locked-step-normalised", r"step 27\*2\^-5", "step 7*2^-3", locked)
    # Another token selected than the one that the loss speaks of.
    wrong = edit(edit(outside, "^selection 1 0", "selection 1 2"), "norm-squared 1\n.*over 1\n",
                 "norm-squared 1*2^-2\nvector multipliers 1 over 2^2\n")
    wrong = edit(edit(wrong, "^claim 2 .*\n", ""), "^claim 3 ", "claim 2 ")
    wrong = edit(wrong, "^outside 1\n0 2\n", "outside 0\n")
    case("selection", r"^start 1 1\*2\^2", "start 1 -1*2^3", wrong, third, "cross-entropy-outside.json")


def write(corpus, edit, recount):
    good = recount(GOOD)
    name = "cross-entropy.json"
    corpus.case("correct", "cross-entropy", INSTANCE, good, 0, name)

    # What does not speak of training: the margins, and which token is wanted.
    text = good[:good.index("claim 3 ")] + "claim 3 support problem 1 from 1 size 1\n0 1\n" \
        "claim 4 locally-optimal problem 1 from 3\nend problems 0 claims 0 lines 0\n"
    scores = recount(edit(text, "^loss cross-entropy", "loss none"))
    corpus.case("correct", "cross-entropy-scores", INSTANCE, scores, 0, name)
    corpus.case("incorrect", "cross-entropy-scores", INSTANCE,
                edit(scores, "^claim 2 .*", "claim 2 not-globally-optimal problem 1 at 0 1"), 1, name)

    later_cases(corpus, edit, recount, good, name)
    path_cases(corpus, edit, recount)
    factored_cases(corpus, edit, recount)

    # y names the second of two equal tokens: the first of them stands for both.
    equal = INSTANCE.replace("[[2], [1]]", "[[2], [1], [2]]").replace('"y": [0]', '"y": [2]')
    text = CANONICAL.replace("tokens 2", "tokens 3").replace("1*2^1\n1\n", "1*2^1\n1\n1*2^1\n")
    text = text.replace("y\n0\n", "y\n2\n")
    digest = hashlib.sha256(text.encode()).hexdigest()
    corpus.case("correct", "cross-entropy-equal-tokens", equal, recount(
        edit(good[:good.index("claim 3 ")] + "end problems 0 claims 0 lines 0\n", "^instance sha256 .*",
             f"instance sha256 {digest}")), 0)

    def case(folder, what, pattern, replacement, codes):
        corpus.case(folder, f"cross-entropy-{what}", INSTANCE, edit(good, pattern, replacement), codes, name)

    # 2.12693, 0.88080; log 8 = 2.079; 2 C = 5.545; 2 (L - L*) = 4.254; e^K = 1/16; beta = 1/4; 0.41438.
    case("incorrect", "loss-gap", r"loss-gap 17\*2\^-3", "loss-gap 69*2^-5", 1)
    case("incorrect", "loss-gap-end", r"loss-gap 3\*2\^-3 7\*2\^-4", "loss-gap 3*2^-3 13*2^-5", 1)
    case("incorrect", "floor", r"floor 1\*2\^-4", "floor 1*2^-3", 1)
    case("incorrect", "path", r"path 3\*2\^1", "path 11*2^-1", 1)
    case("incorrect", "excess", "excess 5", "excess 1*2^2", 1)
    case("incorrect", "growth", r"growth logarithmic 1\*2\^-5", "growth logarithmic 1*2^-3", 1)
    case("incorrect", "floor-of-a-run", r"floor 5\*2\^-3", "floor 3*2^-2", 1)
    case("incorrect", "smoothness", r"beta 1\*2\^-2", "beta 249/1000", 1)
    case("incorrect", "regularisation-path", r"rate-constant 1\*2\^-1", "rate-constant 1*2^-4", 1)
    case("incorrect", "scalar-loss", "^loss cross-entropy", "loss logistic", 1)
    case("malformed", "loss-word", "^loss cross-entropy", "loss crossentropy", 2)
    corpus.case("incorrect", "cross-entropy-other-target", INSTANCE.replace('"y": [0]', '"y": [1]'), good, 4)
    scalar = '{"X": [[[2], [1]]], "Y": [1], "v": [1], "z": [[1]]}\n'
    text = CANONICAL.replace("head cross-entropy\ny\n0\n", "Y\n1\nv\n1\n")
    digest = hashlib.sha256(text.encode()).hexdigest()
    corpus.case("incorrect", "cross-entropy-without-y", scalar,
                edit(good, "^instance sha256 .*", f"instance sha256 {digest}"), 1)
    for what, keys in (("target-range", '"y": [2]'), ("target-negative", '"y": [-1]'), ("targets-two", '"y": [0, 1]'),
                       ("target-fraction", '"y": ["1/2"]'), ("target-word", '"y": "0"'),
                       ("target-nested", '"y": [[0, 0]]'),
                       ("without-targets", '"head": "cross-entropy"'), ("head-word", '"head": "linear", "y": [0]'),
                       ("head-number", '"head": 1, "y": [0]'), ("with-labels", '"y": [0], "Y": [1], "v": [1]'),
                       ("with-scores", '"y": [0], "scores": [[1, 0]]')):
        corpus.case("malformed", f"cross-entropy-{what}", f'{{"X": [[[2], [1]]], {keys}, "z": [[1]]}}\n', good, 2)
