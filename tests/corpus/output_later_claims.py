"""What is proved of all later steps of heads of several outputs beyond T10 and T11, from a point: the bounded
residuals (T14 and T15) of a classifier whose tokens are all worse than the selected one, and of a classifier and of
ReLU units with a better token that the direction leaves behind. In incorrect/: numbers a little beyond the truth."""

BEGINNING = """attest-certificate 1
producer hand 1
instance sha256 {digest}
problem 1
setting cross-attention
norm euclidean
loss {loss}
selection 1 0
claim 1 optimal problem 1 norm-squared {square}
"""
# Delta = (1, 1) and (2, -1): W = (2/3, 1/3). Of the other data (1, 1) and (5, -1): W = (1/2, 1/2).
BOTH = """vector multipliers 2 over 9
0 1 4
0 2 1
claim 2 globally-optimal problem 1
"""
ONE = """vector multipliers 1 over 2
0 1 1
claim 2 support problem 1 from 1 size 1
0 1
"""
# From (40, 21): X^2 is 211.7 and 229.1.
GLOBAL = """claim 3 forever-from-point problem 1 from 1 theorem residual dominates-from 0
optimizer gd schedule constant step 1/10
start 2 40 21
region absorbing path 29*2^-3
lambda-min 5*2^-2 bits 64
step-bound 1*2^-80
ranges 1
group 0 output 0 attention 1*2^-80
path 0 excess 53*2^2 centre 1 height 45 growth logarithmic 1*2^1
claim 4 forever-from-point problem 1 from 1 theorem residual dominates-from 0
optimizer ngd schedule constant step 1/10
start 2 40 21
region absorbing path 1*2^2
lambda-min 5*2^-2 bits 64
step-bound 1*2^-3
ranges 1
group 0 output 0 attention 1*2^-80
path 0 excess 459*2^-1 centre 1 height 45 growth linear 1*2^-1
"""
# From 20 in both entries, on the ray: nothing is left across but what the better token pulls, X^2 = 1.2963 2^-49 and
# 1.3468 2^-51.
LOCAL = """claim 3 forever-from-point problem 1 from 1 theorem residual dominates-from 0
optimizer ngd schedule constant step 1/10
start 2 20 20
region local path 1*2^-1
lambda-min 1 bits 64
step-bound 1*2^-3 ratio 1*2^-50 extra 1*2^-40 theta 1
outside 0
ranges 1
group 0 attention 1*2^-50
path 0 excess {excess} centre 1*2^-40 height 7*2^2 growth linear 1*2^-2
"""
# X^2 of T15: 5.0128 with either rule; 1.1030 2^-51 and 1.2828 2^-55.
BOUNDED = """claim 3 forever-from-point problem 1 from 1 theorem bounded dominates-from 0
optimizer gd schedule constant step 1/10
start 2 40 21
step-bound 1*2^-72 ratio 1*2^-200 reach 9*2^-1
lambda-min 3*2^-1 bits 64
vector pull 2 over 1
0 1 1
0 2 -1
outside 0
ranges 1
group 0 attention 1*2^-72
path 0 excess 161*2^-5 centre 3*2^-1 height 45 growth logarithmic 1*2^1
claim 4 forever-from-point problem 1 from 1 theorem bounded dominates-from 0
optimizer ngd schedule constant step 1/10
start 2 40 21
step-bound 1*2^-3 ratio 1*2^-200 reach 9*2^-1
lambda-min 3*2^-1 bits 64
vector pull 2 over 1
0 1 1
0 2 -1
outside 0
ranges 1
group 0 attention 1*2^-72
path 0 excess 161*2^-5 centre 3*2^-1 height 45 growth linear 1*2^-1
"""
BOUNDED_LOCAL = """claim 3 forever-from-point problem 1 from 1 theorem bounded dominates-from 0
optimizer ngd schedule constant step 1/10
start 2 20 20
step-bound 1*2^-3 ratio 1*2^-50 reach 1*2^-10
lambda-min 1 bits 64
vector pull 0 over 1
outside 0
ranges 1
group 0 attention 1*2^-50
path 0 excess {excess} centre 1*2^-40 height 7*2^2 growth linear 1*2^-2
"""
FAR = "[[[0, 0], [-1, -1], [-5, 1]]]"
DATA = {
    "classifier": ('"head": "classifier", "y": [0], "U": [[1, 0], [0, 0.5], [-1, 1]]', "[[[0, 0], [-1, -1], [-2, 1]]]",
                   "074c581dfa806b4129422716311058dca9f05b1c1145e0d35662ca996e393dae"),
    "classifier-local": ('"head": "classifier", "y": [0], "U": [[0, 4], [1, 0], [0, -1]]', FAR,
                         "f66978677bc68797bc34d53d9a72f1030709d34b1bbff9f8234a8cd7b242b355"),
    "relu": ('"head": "relu", "Y": [1], "A": [[0, 1], [1, 0]], "bias": [3, 9], "r": [1, 0.125]', FAR,
             "2bbe68fe28b3bbfbe6cd73efea8d8bfdec883ccd5c438d77bf71cd60f05daf51"),
}


def texts(what, claims, recount):
    keys, tokens, digest = DATA[what]
    instance = f'{{"X": {tokens}, {keys}, "z": [[1]]}}\n'
    both = what == "classifier"
    beginning = BEGINNING.format(digest=digest, square="5/9" if both else "1*2^-1",
                                 loss="relu-logistic" if what == "relu" else "classifier")
    return instance, recount(beginning + (BOTH if both else ONE) + claims + "end problems 1 claims 4 lines 0\n")


def cases(corpus, edit, name, instance, text, changes):
    corpus.case("correct", name, instance, text, 0, f"{name}.json")
    for what, pattern, replacement in changes:
        corpus.case("incorrect", f"{name}-{what}", instance, edit(text, pattern, replacement), 1, f"{name}.json")


def write(corpus, edit, recount):
    cases(corpus, edit, "residual-classifier", *texts("classifier", GLOBAL, recount), (
        ("excess", "excess 53.2.2", "excess 423*2^-1"),
        ("normalised-excess", "excess 459.2.-1", "excess 229"),
        ("path", "path 29.2.-3", "path 7*2^-1"),
        ("eigenvalue", "lambda-min 5.2.-2", "lambda-min 7*2^-2"),
        ("step", "step-bound 1.2.-3", "step-bound 1*2^-4"),
        ("attention", "output 0 attention 1.2.-80", "output 0 attention 1*2^-90"),
        ("conclusion", "^path 0 excess", "path 1 excess"),
        ("growth", "growth linear 1.2.-1", "growth linear 5*2^-3")))
    for what, excess, less in (("classifier-local", "21*2^-53", "41*2^-54"), ("relu", "11*2^-54", "43*2^-56")):
        cases(corpus, edit, f"residual-{what}", *texts(what, LOCAL.format(excess=excess), recount), (
            ("excess", "excess .* centre", f"excess {less} centre"),
            ("eigenvalue", "lambda-min 1 ", "lambda-min 5*2^-1 "),
            ("ratio", "ratio 1.2.-50", "ratio 1*2^-80"),
            ("path", "local path 1.2.-1", "local path 3*2^-3")))
    cases(corpus, edit, "bounded-classifier", *texts("classifier", BOUNDED, recount), (
        ("excess", "excess 161.2.-5", "excess 5"),
        ("normalised-excess", "excess 161.2.-5 (centre .* linear)", r"excess 5 \1"),
        ("reach", "reach 9.2.-1", "reach 4"),
        ("pull", "^0 2 -1$", "0 2 1"),
        ("eigenvalue", "lambda-min 3.2.-1", "lambda-min 7*2^-2"),
        ("step", "step-bound 1.2.-3", "step-bound 1*2^-4"),
        ("attention", "group 0 attention 1.2.-72", "group 0 attention 1*2^-80"),
        ("unsettled", "group 0 attention 1.2.-72", "group 0 attention 1*2^-5"),
        ("centre", "centre 3.2.-1", "centre 1*2^-1"),
        ("growth", "growth linear 1.2.-1", "growth linear 5*2^-3")))
    for what, excess, less in (("classifier-local", "9*2^-54", "35*2^-56"), ("relu", "21*2^-59", "41*2^-60")):
        cases(corpus, edit, f"bounded-{what}", *texts(what, BOUNDED_LOCAL.format(excess=excess), recount), (
            ("excess", "excess .* centre", f"excess {less} centre"),
            ("ratio", "ratio 1.2.-50", "ratio 1*2^-80"),
            ("reach", "reach 1.2.-10", "reach 1*2^-30")) + ((
                ("unsettled", "group 0 attention 1.2.-50", "group 0 attention 1*2^-6"),) if what != "relu" else ()))
