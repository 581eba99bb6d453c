"""Certificates about all later steps of mirror descent (T17), of an instance whose constraints are W_11, W_22 and 2
W_11 >= 1: the solution in every norm is the unit matrix, and the other entries never move. Heights and slopes were
found by hand; tests/mutation/mirror_truth.py says what holds."""
from mirror_claims import canonical
from norm_claims import changed
from separability_claims import Instance, writer

GROUPS = [[[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [-2, 0]]]
QUERIES = [[1, 0], [0, 1], [1, 0]]
DIAGONAL = Instance("diagonal-c", "cross-attention", [0, 0, 0], GROUPS, [2, 1], z=QUERIES)
# The third group's other token has the better score.
WORSE = Instance("diagonal-worse-c", "cross-attention", [0, 0, 0], GROUPS, [2, 1], labels=[1, 1, -1], z=QUERIES)


def solution(norm, low, high, dual, distance="1*2^-40"):
    """The norm of the unit matrix and its dual norm to 2^-100; p."""
    return [f"claim 1 norm-optimum problem 1 norm {norm} value {low} {high} distance {distance}",
            "matrix primal 2 2 over 1", "1 0", "0 1", "vector multipliers 2 over 1", "0 1 1", "1 1 1",
            f"dual-norm {dual} bits 160",
            f"claim 2 norm-support-within problem 1 norm {norm} from 1 size 2", "0 1", "1 1"]


SEVEN = solution("l7/4", "941860776280086870051916785679*2^-99",
                 "941860776280086870051916785681*2^-99",
                 "1706131187037695825509791108855*2^-100")
TWO = solution("l2", "1792728671193156477399422023277*2^-100",
               "112045541949572279837463876455*2^-96",
               "112045541949572279837463876455*2^-96")
THREE = solution("l3", "798569837569708465695829113005*2^-99", "1597139675139416931391658226013*2^-100",
                 "2012269896330410837114623732549*2^-100", "1*2^-30")

FIVE_HALVES = solution("l5/2", "1672674995097156372377872135879*2^-100", "1672674995097156372377872135885*2^-100",
                       "1921399015312777120139659387117*2^-100", "1*2^-30")


def run(norm, start="start 4 8 0 0 8", rule="nmd", step="1/10"):
    return [f"claim 3 mirror-run problem 1 norm {norm} steps 0", f"optimizer {rule} schedule constant step {step}",
            start, "checkpoints 1 bits 256", "checkpoint 0 norm 0 1000 dual-norm 0 1000 loss-gap 0 10 unselected 0 1"]


def forever(norm, rate=2, growth="1/3", unselected="1/16", pieces=((15, "1/2"), (20, "1/2"), (30, "1/2")), last="1/2",
            floors="4 4 4"):
    return [f"claim 4 mirror-forever problem 1 norm {norm} support 2 run 3 at 0 rate {rate} growth {growth} unselected "
            f"{unselected}", "vector multipliers 2 over 2^1", "0 1 1", "1 1 1", "lambda-min 1*2^-1 bits 29",
            f"floors 3 {floors}", f"pieces {len(pieces)} last-slope {last}",
            *[f"until {height} slope {slope}" for height, slope in pieces]]


def at(slope, *heights):
    return [(height, slope) for height in heights]


SIX = at("11*2^-4", 14, 15, 16, 18, 20, 24, 30)
ALL = SEVEN + run("l7/4") + forever("l7/4")
LOCAL = TWO + run("l2", "start 4 12 0 0 12") + forever("l2", 3, pieces=at(1, 19, 21, 23, 25, 30, 35, 40), last=1,
                                                       floors="6 6 10")
# Above 2.
FAR = (21, 22, 24, 26, 28, 32, 36, 40, 50, 60)
CUBIC = THREE + run("l3", "start 4 16 0 0 16") + forever("l3", pieces=at("3*2^-2", *FAR), last="3*2^-2", floors="8 8 8")


def about(instance, loss):
    named = Instance.__new__(Instance)
    named.name, named.text = instance.name, instance.text
    named.header = instance.header.replace("loss none", f"loss {loss}")
    return named


# The same problem once more, whose claims are its own.
AGAIN = ["problem 2", "setting cross-attention", "norm euclidean", "loss logistic", "selection 3 0 0 0"]


def correct(case):
    case("correct", "l7-4", ALL, 0)
    case("correct", "off-the-ray", SEVEN + run("l7/4", "start 4 8 0 0 9") + forever(
        "l7/4", pieces=SIX, last="11*2^-4", floors="4 4 8"), 0)
    case("correct", "plain-steps", SEVEN + run("l7/4", rule="md", step=1) + forever("l7/4", growth="none"), 0)
    case("correct", "l2", TWO + run("l2") + forever("l2"), 0)
    case("correct", "local", LOCAL, 0, about(WORSE, "logistic"))
    case("correct", "l3", CUBIC, 0)
    case("correct", "l3-off-the-ray", THREE + run("l3", "start 4 16 0 0 17") + forever(
        "l3", 4, pieces=at("5*2^-2", *FAR), last="5*2^-2", floors="8 8 8"), 0)
    case("correct", "l3-plain-steps", THREE + run("l3", "start 4 16 0 0 16", rule="md", step=1) + forever(
        "l3", 4, "none", pieces=at(1, 21, 22, 24, 28, 32, 40, 60), last=1, floors="8 8 8"), 0)
    case("correct", "l3-local", THREE + run("l3", "start 4 24 0 0 24") + forever(
        "l3", 4, pieces=at("3*2^-1", 31, 32, 33, 35, 37, 40, 45, 50, 60), last="3*2^-1", floors="8 8 16"), 0,
         about(WORSE, "logistic"))
    case("correct", "l5-2", FIVE_HALVES + run("l5/2", "start 4 16 0 0 16") + forever(
        "l5/2", pieces=at("3*2^-2", *FAR[1:]), last="3*2^-2", floors="8 8 8"), 0)
    case("correct", "exponential", TWO + run("l2") + forever("l2"), 0, about(DIAGONAL, "exponential"))


def incorrect(case):
    for name, old, new in (("rate", "rate 2", "rate 1"), ("growth", "growth 1/3", "growth 7/20"),
                           ("growth-0", "growth 1/3", "growth 0"),
                           ("unselected", "unselected 1/16", "unselected 1/100"),
                           ("no-growth", "growth 1/3", "growth none"), ("floors", "floors 3 4 4 4", "floors 3 4 6 4"),
                           ("low-floors", "floors 3 4 4 4", "floors 3 -1 4 4"), ("slope", "slope 1/2", "slope 1/4"),
                           ("steep", "slope 1/2", "slope 3"), ("last-slope", "last-slope 1/2", "last-slope 1/8"),
                           ("slope-0", "until 20 slope 1/2", "until 20 slope 0"),
                           ("slope-negative", "until 15 slope 1/2", "until 15 slope -1/2"),
                           ("heights", "until 20", "until 14"), ("below", "until 15", "until 5"),
                           ("multipliers", "multipliers 2 over 2^1", "multipliers 2 over 2^2"),
                           ("eigenvalue", "lambda-min 1/2", "lambda-min 2"),
                           ("eigenvalue-0", "lambda-min 1/2", "lambda-min 0"), ("support", "support 2", "support 1"),
                           ("run", "run 3", "run 2"), ("step", "at 0", "at 1"),
                           ("other-norm", "norm l7/4 support", "norm l2 support"),
                           ("not-on-its-side", "start 4 8 0 0 8", "start 4 -8 0 0 -8"),
                           ("zero", "start 4 8 0 0 8", "start zero"),
                           ("unmoved", "start 4 8 0 0 8", "start 4 8 1 0 8"),
                           ("early", "start 4 8 0 0 8", "start 4 2 0 0 2")):
        old, new = canonical(old), canonical(new)
        lines = [canonical(line) for line in ALL]
        case("incorrect", name, changed(lines, old, new), 1)
    case("incorrect", "plain-growth", SEVEN + run("l7/4", rule="md", step=1) + forever("l7/4"), 1)
    case("incorrect", "long-steps", SEVEN + run("l7/4", step=10) + forever("l7/4"), 1)
    for name, old, new in (("rate", "rate 2", "rate 1"), ("growth", "growth 1/3", "growth 2/5"),
                           ("slope", "slope 3*2^-2", "slope 1/2"),
                           ("last-slope", "last-slope 3*2^-2", "last-slope 1/2"),
                           ("one-slope", "until 60 slope 3*2^-2", "until 60 slope 1/2"),
                           ("floors", "floors 3 8 8 8", "floors 3 8 18 8"),
                           ("unselected", "unselected 1/16", "unselected 1*2^-20"),
                           ("early", "start 4 16 0 0 16", "start 4 4 0 0 4"),
                           ("off-the-ray", "start 4 16 0 0 16", "start 4 16 0 0 17"),
                           ("long-steps", "step 1/10", "step 10")):
        old, new = canonical(old), canonical(new)
        case("incorrect", "l3-" + name, changed([canonical(line) for line in CUBIC], old, new), 1)
    # One piece for all heights: margins may fall in it.
    case("incorrect", "l3-wide", THREE + run("l3", "start 4 16 0 0 16") + forever(
        "l3", pieces=at("3*2^-2", 60), last="3*2^-2", floors="8 8 8"), 1)
    case("incorrect", "l3-worse-token", THREE + run("l3", "start 4 10 0 0 10") + forever(
        "l3", pieces=at("3*2^-2", 13, 14, 15, 16, 18, 20, *FAR), last="3*2^-2", floors="3 3 3"), 1,
         about(WORSE, "logistic"))
    case("incorrect", "without-a-loss", ALL, 1, DIAGONAL)
    case("incorrect", "of-another-problem", SEVEN + run("l7/4") + AGAIN + [
        line.replace("mirror-forever problem 1", "mirror-forever problem 2") for line in forever("l7/4")], 1)
    # The third group's other token is better, and its margin is in the way.
    case("incorrect", "worse-token", ALL, 1, about(WORSE, "logistic"))


def malformed(case):
    for name, old, new in (("floors", "floors 3 4 4 4", "floors 2 4 4"),
                           ("count-of-floors", "floors 3 4 4 4", "floors 2 4 4 4"),
                           ("floor", "floors 3 4 4 4", "floors 3 4 4"), ("pieces", "pieces 3", "pieces 4"),
                           ("until", "until 20 slope", "until slope"), ("growth", "growth 1/3", "growth"),
                           ("of-itself", "run 3", "run 4")):
        old, new = canonical(old), canonical(new)
        case("malformed", name, changed([canonical(line) for line in ALL], old, new), 2)


def write(corpus, recount):
    plain = writer(corpus, recount, "norm-mirror-forever", about(DIAGONAL, "logistic"))

    def case(folder, name, claims, codes, *where):
        plain(folder, name, [canonical(line) for line in claims], codes, *where)
    correct(case)
    incorrect(case)
    malformed(case)
