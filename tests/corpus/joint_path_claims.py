"""Certificates about label margins of soft attention and the joint regularisation path, of two instances that can be
worked out by hand; tests/mutation/joint_truth.py says what holds."""
from fractions import Fraction

import rows_claims
from rows_claims import CORNER, DECODER, PLAIN, PLANE, V, V_SUPPORT, W, W_SUPPORT, changed, problem
from separability_claims import Instance

# Of PLANE the other tokens' labelled values are (0,0), (-1,0), (0,0). Gamma = 2^-1/2, and 2^-5/2 is a nu.
MARGINS = ["claim 3 label-margins problem 1 from 2 nu 1*2^-3", "cover 2 vectors 0", "multipliers 0 tokens 2 1 1",
           "multipliers 0 tokens 2 0 0"]
OF_PLANE = DECODER + V + V_SUPPORT
# Every way to show a piece.
SPLIT = ["claim 3 label-margins problem 1 from 2 nu 1*2^-5", "cover 8 vectors 1", "vector multipliers 2 over 1",
         "0 0 1", "2 1 1", "halve", "open 2", "multipliers 1 tokens 2 1 0", "multipliers 0 tokens 2 1 1",
         "weights 2 16 1 tokens 2 1 1", "open 0", "multipliers 1 tokens 2 0 0", "multipliers 0 tokens 2 1 0"]
PATH = "claim 6 joint-path problem 3 from 5 label-margins 3 plain 4 loss logistic from-radius 16 from-decoder-radius " \
       "3*2^11 slope 5 decay 26 decoder-rate 19 rate-constant 10"
EVIDENCE = "excess 1*2^-11 window 1*2^-3"
# The decoder's rows (0,2), (1,1), (2,0) all support v = (1,1)/2; the other tokens are 0. The attention's are PLANE's.
TIGHT = Instance("rows-tight", "prompt", [0, 0, 1], [[[0, 2], [0, 0]], [[-1, -1], [0, 0]], [[0, 0], [2, 0]]], [1, 1],
                 labels=[1, -1, 1], K=[[[1, 0], [0, 0]], [[-1, 1], [0, 0]], [[0, 0], [1, 1]]])
TIGHT_MARGINS = DECODER + [
    "claim 1 optimal problem 1 norm-squared 1*2^-1", "vector multipliers 2 over 4", "0 0 1", "2 1 1",
    "claim 2 support problem 1 from 1 size 3", "0 0", "1 0", "2 1",
    "claim 3 label-margins problem 1 from 2 nu 1*2^-3", "cover 3 vectors 1", "vector multipliers 3 over 8", "0 0 1",
    "1 0 2", "2 1 1", "multipliers 1 tokens 3 1 0 1", "multipliers 1 tokens 3 0 1 1", "multipliers 1 tokens 3 0 0 0"]
TIGHT_PATH = ["claim 5 joint-path problem 2 from 4 label-margins 3 loss exponential from-radius 16 from-decoder-radius "
              "3*2^8 slope 0 decay 18 decoder-rate 18 rate-constant 14", "excess 1*2^-8 window 1*2^-3"]

# Three steps of TIGHT, W by ngd with steps 1/10 (t+1)^-1/2, v by gd with steps 1/4.
RUN = ["claim 5 joint-run problem 2 from 4 decoder-from 1 loss logistic attention ngd step 1/10 power -1*2^-1 decoder "
       "gd step 1*2^-2 power 0 decoder-start instance steps 4", "checkpoints 2 bits 128",
       "checkpoint 0 norm 0 0 decoder-norm 7/5 3*2^-1 loss 313/1000 157/500 decoder-one-minus-corr -1*2^-60 1*2^-60",
       "checkpoint 3 norm 57/250 229/1000 decoder-norm 777/500 311/200 loss 53/200 133/500 one-minus-corr 9/500000 "
       "19/1000000 decoder-one-minus-corr 7/500000000 3/200000000"]


def numbered(lines, claim, about):
    """The lines of claim 1 about problem 1 as another claim about another problem."""
    return [lines[0].replace("claim 1", f"claim {claim}").replace("problem 1", f"problem {about}"), *lines[1:]]


def of_plane(path=PATH, evidence=EVIDENCE, plain=PLAIN, relaxed=("relaxed 1 1",), attention=W):
    return OF_PLANE + MARGINS + problem(2, "selection 3 0 0 1") + numbered(plain, 4, 2) + problem(
        3, *relaxed, "selection 3 0 0 1") + numbered(attention, 5, 3) + [path, evidence]


def of_tight(path=TIGHT_PATH, margins=TIGHT_MARGINS, selection="selection 3 0 0 1"):
    return margins + problem(2, selection) + numbered(PLAIN, 4, 2) + path


def of_run(run=RUN):
    return TIGHT_MARGINS + problem(2, "selection 3 0 0 1") + numbered(PLAIN, 4, 2) + run


def altered(case, kind, changes, made, *instance):
    """A case KIND-NAME of made(OLD, NEW) for each NAME: (OLD, NEW)."""
    for name, (old, new) in changes.items():
        case(f"{kind}-{name}", made(old, new), *instance)


def margins_with(old, new):
    return OF_PLANE + changed(MARGINS, old, new)


def path_with(old, new):
    return of_plane(path=changed([PATH], old, new)[0])


def run_with(old, new):
    return of_run([canonical(line) for line in changed(RUN, old, new)])


def canonical(line):
    """Its fractions in lowest terms."""
    words = line.split(" ")
    for k, word in enumerate(words):
        if "/" in word:
            words[k] = str(Fraction(word))
    return " ".join(words)


def correct(case):
    case("label-margins", OF_PLANE + MARGINS)
    case("label-margins-split", OF_PLANE + SPLIT)
    case("joint-path", of_plane())
    case("joint-path-feasible", of_plane(plain=["claim 1 feasible problem 1", "vector separator 2 over 1", "0 1 3",
                                                "1 1 2"]))
    case("joint-path-tight", of_tight(), TIGHT)
    case("joint-run", of_run(), TIGHT)
    case("joint-run-alone", of_run([RUN[0].replace(" from 4 decoder-from 1", "").replace("logistic", "exponential"),
                                    "checkpoints 1 bits 64", "checkpoint 0 norm 0 1 decoder-norm 1 2 loss 0 1"]), TIGHT)


def incorrect(case):
    altered(case, "label-margins", {
        "nu": ("nu 1*2^-3", "nu 3*2^-4"), "nu-none": ("nu 1*2^-3", "nu 0"),
        "token": ("multipliers 0 tokens 2 1 1", "multipliers 0 tokens 2 0 1"),
        "no-token": ("multipliers 0 tokens 2 0 0", "multipliers 0 tokens 2 2 0"),
        "fewer-tokens": ("multipliers 0 tokens 2 1 1", "multipliers 0 tokens 1 1"),
        "no-vector": ("multipliers 0 tokens 2 1 1", "multipliers 1 tokens 2 1 1"),
        "weights-at-0": ("multipliers 0 tokens 2 1 1", "weights 2 1 1 tokens 2 1 1"),
        "of-solution": ("problem 1 from 2", "problem 1 from 1"),
    }, margins_with)
    case("label-margins-left-out", OF_PLANE + changed(MARGINS, "cover 2", "cover 1")[:-1])
    case("label-margins-more", OF_PLANE + changed(MARGINS, "cover 2", "cover 3") + MARGINS[-1:])
    altered(case, "label-margins", {
        "weights-negative": ("weights 2 16 1", "weights 2 16 -1"), "weights-none": ("weights 2 16 1", "weights 2 0 0"),
        "weights-fewer": ("weights 2 16 1", "weights 1 1"), "weights-far": ("weights 2 16 1", "weights 2 1 16"),
        "opened": ("open 2", "open 0"), "open-other": ("open 2", "open 1"),
    }, lambda old, new: OF_PLANE + changed(SPLIT, old, new))
    case("label-margins-vector-long", OF_PLANE + SPLIT[:4] + ["2 1 2"] + SPLIT[5:])
    case("label-margins-vector-negative", OF_PLANE + SPLIT[:3] + ["0 0 -1"] + SPLIT[4:])
    case("label-margins-vector-off-support", OF_PLANE + SPLIT[:2] + [
        "vector multipliers 1 over 1", "1 0 1"] + SPLIT[5:])
    case("label-margins-of-attention", problem(1, "selection 2 0 0") + [
        "claim 1 optimal problem 1 norm-squared 2", "vector multipliers 2 over 1", "0 1 1", "1 1 1",
        "claim 2 support problem 1 from 1 size 2", "0 1", "1 1", *MARGINS], CORNER)
    altered(case, "joint-path", {
        "radius": ("from-radius 16", "from-radius 12"), "radius-tiny": ("from-radius 16", "from-radius 1"),
        "decoder-radius": ("from-decoder-radius 3*2^11", "from-decoder-radius 5*2^10"),
        "slope": ("slope 5", "slope 31*2^-3"), "decay": ("decay 26", "decay 25"),
        "decoder-rate": ("decoder-rate 19", "decoder-rate 18"), "rate": ("rate-constant 10", "rate-constant 9"),
        "of-solution": ("label-margins 3", "label-margins 2"), "of-support": ("from 5", "from 2"),
        "leaning-on-relaxed": ("plain 4", "plain 5"), "leaning-on-margins": ("plain 4", "plain 3"),
        "alone": (" plain 4", ""), "of-plain": ("from 5", "from 4"),
    }, path_with)
    altered(case, "joint-path", {
        "excess": ("excess 1*2^-11", "excess 1*2^-10"), "excess-none": ("excess 1*2^-11", "excess 0"),
        "window": ("window 1*2^-3", "window 1"), "window-none": ("window 1*2^-3", "window 0"),
    }, lambda old, new: of_plane(evidence=changed([EVIDENCE], old, new)[0]))
    case("joint-path-none-relaxed", of_plane(relaxed=(), attention=PLAIN))
    # The solution's own multipliers leave out a group whose row holds W*.
    case("joint-path-no-multiplier", of_tight(margins=changed(TIGHT_MARGINS[:-7], "vectors 1", "vectors 2") + [
        "vector multipliers 2 over 4", "0 0 1", "2 1 1", *TIGHT_MARGINS[-7:-3],
        *changed(TIGHT_MARGINS[-3:], "multipliers 1", "multipliers 2")]), TIGHT)
    case("joint-path-tight-rate", of_tight(path=changed(TIGHT_PATH, "rate-constant 14", "rate-constant 13")), TIGHT)
    case("joint-path-tight-slope", of_tight(path=changed(TIGHT_PATH, "slope 0", "slope -1")), TIGHT)
    case("joint-path-tight-excess", of_tight(path=changed(TIGHT_PATH, "excess 1*2^-8", "excess 3*2^-9")), TIGHT)
    altered(case, "joint-run", {
        "norm-low": ("norm 57/250", "norm 457/2000"), "norm-high": ("229/1000", "2284/10000"),
        "decoder-norm": ("311/200", "1554/1000"), "loss": ("loss 53/200", "loss 531/2000"),
        "corr": ("19/1000000", "18/1000000"), "decoder-corr": ("3/200000000", "29/2000000000"),
        "attention-rule": ("attention ngd", "attention gd"), "decoder-rule": ("decoder gd", "decoder ngd"),
        "step": ("step 1/10", "step 1/11"), "decoder-step": ("step 1*2^-2", "step 1*2^-3"),
        "power": ("power -1*2^-1", "power -1"), "start": ("start instance", "start zero"),
        "exponential": ("loss logistic", "loss exponential"), "correlation": ("loss logistic", "loss correlation"),
        "no-direction": (" from 4", ""), "no-decoder-direction": (" decoder-from 1", ""),
        "of-support": ("decoder-from 1", "decoder-from 2"), "of-attention": ("decoder-from 1", "decoder-from 4"),
    }, run_with, TIGHT)


def malformed(case):
    altered(case, "label-margins", {
        "word": ("multipliers 0 tokens 2 1 1", "multiplier 0 tokens 2 1 1"),
        "count": ("multipliers 0 tokens 2 1 1", "multipliers 0 tokens 3 1 1"),
        "no-weights": ("multipliers 0 tokens 2 1 1", "weights 0 tokens 2 1 1"), "vectors": ("vectors 0", "vectors 1"),
        "longer": ("multipliers 0 tokens 2 1 1", "halve 2"), "later": ("from 2", "from 3"),
    }, margins_with)
    altered(case, "joint-path", {
        "loss": ("loss logistic", "loss correlation"), "later": ("label-margins 3", "label-margins 6"),
        "plain-later": ("plain 4", "plain 7"), "order": ("slope 5 decay 26", "decay 26 slope 5"),
        "fewer": (" rate-constant 10", ""),
    }, path_with)
    altered(case, "joint-run", {
        "rising": ("power 0", "power 1*2^-1"), "still": ("step 1/10", "step 0"), "bits": ("bits 128", "bits 63"),
        "later": ("checkpoint 3", "checkpoint 5"), "order": ("checkpoint 3", "checkpoint 0"),
        "rule": ("attention ngd", "attention md"), "start-word": ("start instance", "start random"),
    }, run_with, TIGHT)
    case("joint-path-evidence", of_plane(evidence="excess 1*2^-11"))


def write(corpus, recount):
    for folder, code, cases in (("correct", 0, correct), ("incorrect", 1, incorrect), ("malformed", 2, malformed)):
        cases(rows_claims.writer(corpus, recount, folder, code))
