"""Certificates about the finite part of a run: true in correct/, false in incorrect/, out of the grammar in malformed/.
tests/mutation/rows_mutations.py follows the run and finds the finite part of each from the instance."""
from rows_claims import changed, problem
from separability_claims import Instance

# m_(0,1)(W) = W_2, m_(0,2)(W) = W_1 + W_2, m_(0,3)(W) = 2 W_2, m_(1,1)(W) = 2 W_1. Of the sets {0,1,3} and {0}: W_mm =
# (1,0,0). At W_0 = (3,1/2,1): W_fin = (0,1/2,0), and W_fin + 3 W_mm is nearest.
SHARED = Instance("rows-shared-run", "prompt", [0, 0], [[[2], [2], [0], [2]], [[1], [0]]], [1],
                  K=[[[1, 1, 0], [1, 0, 0], [0, 0, 0], [1, -1, 0]], [[2, 0, 0], [0, 0, 0]]])
BANDS = "norm 0 10 along -10 10 one-minus-corr none loss-gap 0 10 gradient 0 10 unselected 0 2"
PLAIN = problem(1, "selection 2 0 0", loss="logistic") + [
    "claim 1 optimal problem 1 norm-squared 5/4", "vector multipliers 2 over 4", "0 1 4", "1 1 1"]
RUN = PLAIN + ["claim 2 run problem 1 from 1 steps 2", "optimizer gd schedule constant step 4 fraction-bits 64",
               "start 3 3 1/2 1", "checkpoints 2", f"at 0 {BANDS}", f"at 2 {BANDS}", "loss-decreases-until 0",
               "rates 0"]
SETS = RUN + problem(2, "selected-sets 2 0,1,3 0")
MM = ["claim 3 optimal problem 2 norm-squared 1", "vector multipliers 2 over 1", "0 1 -1", "0 2 1"]
SPANNING = ["spanning 1*2^-1 bits 29 1", "0 1"]
HALF = ["vector coefficients 1 over 200", "0 1 101"]  # a little more, as no checker knows W_0 but up to a rounding
TWICE = ["vector combination 2 over 1", "0 1 -2", "0 3 1"]


def part(number, step=0, source="3", of="factor 29/10 31/10 one-minus-corr 1/25 3/50", run=2):
    return [f"claim {number} run-finite-part problem 2 from {source} run {run} at {step} norm-squared 6/25 13/50 "
            f"radius 1/100 {of} selected 9/50 masked 1/50"]


NO_ANGLE = "factor none one-minus-corr none"
EVIDENCE = SPANNING + HALF + TWICE
ONE = SETS + MM + part(4) + EVIDENCE
# Of one token a set there is no equation: W_fin = 0. b = 2 W_1 + 1/2 W_2 at the multipliers of the plain problem.
SINGLE = RUN + problem(2, "selected-sets 2 0 0") + [
    "claim 3 optimal problem 2 norm-squared 5/4", "vector multipliers 2 over 4", "0 1 4", "1 1 1",
    "claim 4 run-finite-part problem 2 from 3 run 2 at 0 norm-squared 0 0 radius 0 factor 3/2 17/10 one-minus-corr 2/5 "
    "1/2 selected 49/100 masked 31/100", "spanning 1 bits 29 0", "vector coefficients 0 over 1"]
# The same without the last token, so that the rows of the solution are independent.
PAIR = Instance("rows-shared-pair", "prompt", [0, 0], [[[2], [2], [0]], [[1], [0]]], [1],
                K=[[[1, 1, 0], [1, 0, 0], [0, 0, 0]], [[2, 0, 0], [0, 0, 0]]])
BALL = ["claim 3 optimal-enclosure problem 2 form lambda-min norm-squared 1 2 radius 1*2^-20 multiplier-radius 1*2^-20",
        "lambda-min 1*2^-2 bits 29", "vector multipliers 2 over 1", "0 1 -1", "0 2 1"]
GAP = ["claim 3 optimal-enclosure problem 2 form gap norm-squared 99/100 101/100 distance-squared 1/1000000",
       "vector primal 2 over 1", "0 1 -1", "0 2 1", "vector dual 2 over 1", "0 1 -1", "0 2 1"]


def correct(case):
    case("one", ONE)
    case("two-steps", ONE + part(5, step=2) + EVIDENCE)
    case("without-angle", SETS + part(3, source="none", of=NO_ANGLE) + EVIDENCE)
    case("from-ball", changed(SETS, "0,1,3 0", "0,1 0") + BALL + changed(part(4), "9/50", "3/10") + SPANNING + HALF,
         PAIR)
    case("from-gap", SETS + GAP + part(4) + EVIDENCE)
    case("single", SINGLE)
    case("all-spanning-other", SETS + MM + part(4) + [
        "spanning 2 bits 29 1", "0 3", "vector coefficients 1 over 400", "0 3 101", "vector combination 2 over 1",
        "0 1 2", "0 3 -1"])


def incorrect(case):
    for name, old, new in (
            ("low", "6/25 13/50", "13/50 27/100"), ("high", "6/25 13/50", "6/25 49/200"),
            ("radius-negative", "radius 1/100", "radius -1/100"), ("factor-low", "29/10 31/10", "7/2 4"),
            ("factor-high", "29/10 31/10", "2 5/2"), ("corr-low", "1/25 3/50", "11/200 3/50"),
            ("corr-high", "1/25 3/50", "1/25 9/200"), ("selected", "selected 9/50", "selected 1/5"),
            ("masked", "masked 1/50", "masked 3/200"), ("not-a-checkpoint", "at 0 norm-squared", "at 1 norm-squared"),
            ("eigenvalue", "spanning 1*2^-1", "spanning 2"), ("eigenvalue-zero", "spanning 1*2^-1", "spanning 0"),
            ("coefficient", "coefficients 1 over 200", "coefficients 1 over 300"),
            ("combination-open", "0 1 -2", "0 1 -3"), ("of-solution", "run 2 at", "run 1 at"),
            ("of-plain-solution", "from 3 run", "from 1 run"), ("from-run", "from 3 run", "from 2 run")):
        case(name, changed(ONE, old, new))
    case("radius-zero", changed(changed(ONE, "radius 1/100", "radius 0"), "at 0 norm-squared", "at 2 norm-squared"))
    case("spanning-outside", SETS + MM + part(4) + ["spanning 1*2^-1 bits 29 1", "0 2"] + HALF + TWICE)
    case("coefficient-outside", SETS + MM + part(4) + SPANNING + ["vector coefficients 1 over 4", "0 3 1"] + TWICE)
    case("combination-of-spanning", SETS + MM + part(4) + SPANNING + HALF + ["vector combination 1 over 1", "0 1 1"])
    case("combination-outside", SETS + MM + part(4) + SPANNING + HALF + [
        "vector combination 3 over 1", "0 1 -2", "0 2 1", "0 3 1"])
    case("without-spanning", SETS + MM + part(4) + ["spanning 1 bits 29 0", "vector coefficients 0 over 1"] + [
        "vector combination 1 over 1", "0 1 1", "vector combination 1 over 1", "0 3 1"])
    case("of-selection", changed(SETS, "selected-sets 2 0,1,3 0", "selection 2 0 0") + part(
        3, source="none", of=NO_ANGLE) + ["spanning 1 bits 29 0", "vector coefficients 0 over 1"])
    case("single-norm", changed(SINGLE, "norm-squared 0 0", "norm-squared 1*2^-10 1"))
    case("single-wide", changed(SINGLE, "norm-squared 0 0", "norm-squared -1 -1*2^-10"))


def malformed(case):
    case("factor-alone", SETS + MM + part(4, of="factor 29/10 31/10 one-minus-corr none") + EVIDENCE)
    case("angle-of-none", SETS + part(3, source="none") + EVIDENCE)
    case("no-angle-of-solution", SETS + MM + part(4, of=NO_ANGLE) + EVIDENCE)
    case("bits", changed(ONE, "spanning 1*2^-1 bits 29", "spanning 1*2^-1 bits 28"))
    case("more-spanning", SETS + MM + part(4) + ["spanning 1 bits 29 3", "0 1", "0 2", "0 3"] + HALF)
    case("combination-missing", SETS + MM + part(4) + SPANNING + HALF)
    case("later", changed(ONE, "run 2 at", "run 4 at"))
    case("words", changed(ONE, "masked 1/50", "masked 1/50 1"))


def write(corpus, recount):
    def writer(folder, code):
        def case(name, lines, about=SHARED):
            header = about.header.split("problem 1\n")[0]
            corpus.case(folder, f"run-finite-{name}", about.text,
                        recount(header + "\n".join(lines) + "\nend\n"), code, about.name)
        return case
    correct(writer("correct", 0))
    incorrect(writer("incorrect", 1))
    malformed(writer("malformed", 2))
