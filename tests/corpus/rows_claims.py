"""Certificates about problems of other rows than those of a selection: the decoder's, relaxed groups, selected sets.
True in correct/, false in incorrect/, out of the grammar in malformed/. The instances are small enough to see by hand
what holds; tests/mutation/rows_mutations.py solves them by enumeration."""
import hashlib
import json

from separability_claims import Instance, row

# The decoder's rows Y x: (0,1), (1,1), (1,0): v = (1,1), which sequence 1 does not support. The attention's: (1,0),
# (-1,1), (1,1): W = (1,1) where sequence 1 is relaxed, (1,2) where it is not.
PLANE = Instance("rows-plane", "prompt", [0, 0, 1], [[[0, 1], [0, 0]], [[-1, -1], [1, 0]], [[0, 0], [1, 0]]], [1, 1],
                 labels=[1, -1, 1], K=[[[1, 0], [0, 0]], [[-1, 1], [0, 0]], [[0, 0], [1, 1]]])
# The attention's rows: (1,0), (-1,0), (1,0); the decoder's: 1, -1, 1.
LINE = Instance("rows-line", "prompt", [0, 0, 0], [[[1], [0]], [[-1], [0]], [[1], [0]]], [1],
                K=[[[1, 0], [0, 0]], [[-1, 0], [0, 0]], [[1, 0], [0, 0]]])
# (1,0), (0,1); both support the decoder.
CORNER = Instance("rows-corner", "prompt", [0, 0], [[[1], [0]], [[1], [0]]], [1],
                  K=[[[1, 0], [0, 0]], [[0, 1], [0, 0]]])
# (1,0), (1,1).
WEDGE = Instance("rows-wedge", "prompt", [0, 0], [[[1], [0]], [[1], [0]]], [1],
                 K=[[[1, 0], [0, 0]], [[1, 1], [0, 0]]])
# Rows of the sets {0,1} and {1}: (0,2) = 0, (1,1) >= 1, (4,0) >= 1: W = (1,0). Without the first: W = (1,1)/2.
SETS = Instance("rows-sets", "prompt", [0, 1], [[[2], [2], [0]], [[0], [1], [0]]], [1],
                K=[[[1, 2], [1, 0], [0, 1]], [[0, 0], [4, 0], [4, 0]]])
# Of the sets {0,2} and {1}: (0,2) >= 1, (1,1) = 0, (3,1) >= 1, of which no W satisfies all.
OTHER = Instance("rows-other-sets", "prompt", [0, 1], [[[2], [2], [0]], [[0], [1], [0]]], [1],
                 K=[[[1, 2], [1, 0], [0, 1]], [[-2, 0], [1, 1], [1, 1]]])
# Of the set {0,2}: x >= 1 and -x = 0.
SPLIT = Instance("rows-split-set", "prompt", [0], [[[2], [0], [2]]], [1], K=[[[0], [-1], [1]]])


def problem(number, *rows, loss="none"):
    return [f"problem {number}", "setting prompt", "norm euclidean", f"loss {loss}", *rows]


DECODER = problem(1, "decoder", "selection 3 0 0 1")
V = ["claim 1 optimal problem 1 norm-squared 2", "vector multipliers 2 over 1", "0 0 1", "2 1 1"]
V_SUPPORT = ["claim 2 support problem 1 from 1 size 2", "0 0", "2 1"]
RELAXED = problem(1, "relaxed 1 1", "selection 3 0 0 1")
W = ["claim 1 optimal problem 1 norm-squared 2", "vector multipliers 2 over 1", "0 1 2", "1 1 1"]
W_SUPPORT = ["claim 2 support problem 1 from 1 size 2", "0 1", "1 1"]
PLAIN = ["claim 1 optimal problem 1 norm-squared 5", "vector multipliers 2 over 1", "0 1 3", "1 1 2"]
STRICT = ["claim 3 strictly-complementary problem 1 from 2", "evidence cited"]
BALL = ["claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 2 2 radius 1*2^-10 multiplier-radius 1*2^-9",
        "lambda-min 1*2^-2 bits 29", "vector multipliers 2 over 2^20", "0 1 2097151", "1 1 1048577"]
BALL[0] = BALL[0].replace("squared 2 2", "squared 2097151*2^-20 2097153*2^-20")
GAP = ["claim 1 optimal-enclosure problem 1 form gap norm-squared 199/100 201/100 distance-squared 1/20",
       "vector primal 2 over 1000", "0 1 2004", "1 1 1002", "vector dual 2 over 1", "0 1 2", "1 1 1"]
OF_SETS = problem(1, "selected-sets 2 0,1 1")
E = ["claim 1 optimal problem 1 norm-squared 1", "vector multipliers 2 over 2", "0 1 -1", "0 2 2"]
# (0,2) + (3,1) - 23/8 (1,1) is (1,1)/8.
SPANNING = problem(1, "selected-sets 2 0,2 1") + ["claim 1 infeasible problem 1", "vector combination 3 over 8",
                                                  "0 1 8", "0 2 -23", "1 0 8"]
E_BALL = ["claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 1 1 radius 0 multiplier-radius 0",
          "lambda-min 1*2^-1 bits 29", "vector multipliers 2 over 2", "0 1 -1", "0 2 2"]
E_SUPPORT = ["claim 2 support problem 1 from 1 size 1", "0 2"]
CONFLICT = ["claim 1 infeasible problem 1", "vector farkas 2 over 1", "0 1 1", "1 1 1"]


def joint(relaxed=("relaxed 1 1",), selection="selection 3 0 0 1", attention=None, source=2, number=3):
    lines = problem(2, *relaxed, selection)
    return DECODER + V + V_SUPPORT + lines + (attention or [f"claim {number} joint-attention problem 2 from {source}"])


def changed(lines, old, new):
    assert any(old in line for line in lines), old
    return [line.replace(old, new) for line in lines]


def correct(case):
    case("decoder", DECODER + V + V_SUPPORT + STRICT + ["claim 4 rank problem 1 from 1 equals 1", "lower modulus 7",
                                                        "upper right-dimension"])
    case("decoder-feasible", DECODER + ["claim 1 feasible problem 1", "vector separator 2 over 1", "0 0 2", "2 1 1"])
    case("decoder-infeasible", problem(1, "decoder", "selection 3 0 0 0") + changed(
        changed(CONFLICT, "0 1 1", "0 0 1"), "1 1 1", "1 0 1"), LINE)
    case("decoder-spanning", problem(1, "decoder", "selection 3 0 0 0") + [
        "claim 1 infeasible problem 1", "vector combination 2 over 1", "0 0 1", "1 0 1", "spanning 1*2^-1 bits 29 1",
        "0 0"], LINE)
    case("relaxed", RELAXED + W + W_SUPPORT + STRICT + ["claim 4 rank problem 1 from 1 equals 1", "lower modulus 7",
                                                        "upper right-dimension"])
    case("relaxed-ball", RELAXED + BALL + W_SUPPORT + STRICT)
    case("relaxed-gap", RELAXED + GAP)
    case("relaxed-feasible", RELAXED + ["claim 1 feasible problem 1", "vector separator 2 over 1", "0 1 2", "1 1 1"])
    case("relaxed-margin", RELAXED + [
        "claim 1 margin-at-most problem 1 bound 1", "vector combination 1 over 1", "0 1 1"])
    case("relaxed-infeasible", problem(1, "relaxed 1 1", "selection 3 0 0 0") + CONFLICT, LINE)
    # Beside (0,1) alone, which spans all: 1 - 5/4 does not vanish, but 5/4 - 5/4 does.
    case("relaxed-spanning", problem(1, "relaxed 1 1", "selection 3 0 0 0") + [
        "claim 1 infeasible problem 1", "vector combination 2 over 4", "0 1 4", "1 1 5", "spanning 1*2^-1 bits 29 1",
        "0 1"], LINE)
    case("relaxed-spanning-relaxed", problem(1, "relaxed 1 1", "selection 3 0 0 0") + [
        "claim 1 infeasible problem 1", "vector combination 2 over 4", "0 1 4", "1 1 5", "spanning 1*2^-1 bits 29 1",
        "1 1"], LINE)
    case("sets-spanning", SPANNING + ["spanning 3 bits 29 2", "0 1", "1 0"], OTHER)
    case("sets-spanning-equality", SPANNING + ["spanning 1*2^-1 bits 29 2", "0 1", "0 2"], OTHER)
    case("sets-spanning-small", problem(1, "selected-sets 1 0,2") + [
        "claim 1 infeasible problem 1", "vector combination 2 over 2", "0 1 2", "0 2 1", "spanning 1*2^-1 bits 29 1",
        "0 1"], SPLIT)
    case("relaxed-all", problem(1, "relaxed 3 0 1 2", "selection 3 0 0 0") + [
        "claim 1 optimal problem 1 norm-squared 0", "vector multipliers 0 over 1"], LINE)
    case("relaxed-not-strict", problem(1, "relaxed 1 1", "selection 2 0 0") + [
        "claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1",
        "claim 2 support problem 1 from 1 size 2", "0 1", "1 1",
        "claim 3 not-strictly-complementary problem 1 from 2 at 1 1", "vector direction 1 over 1", "1 1 1"], CORNER)
    case("sets", OF_SETS + E + E_SUPPORT + STRICT, SETS)
    case("sets-ball", OF_SETS + E_BALL + E_SUPPORT + STRICT, SETS)
    case("sets-strict-vector", OF_SETS + E + E_SUPPORT + [
        "claim 3 strictly-complementary problem 1 from 2", "vector multipliers 2 over 2", "0 1 -1", "0 2 2"], SETS)
    case("sets-single", problem(1, "selected-sets 2 0 0") + [
        "claim 1 optimal problem 1 norm-squared 2", "vector multipliers 2 over 1", "0 1 1", "1 1 1"], CORNER)
    case("sets-infeasible", problem(1, "selected-sets 2 0,2 1") + [
        "claim 1 infeasible problem 1", "vector farkas 3 over 1", "0 1 1", "0 2 -3", "1 0 1"], OTHER)
    case("joint", joint(attention=[
        "claim 3 joint-attention problem 2 from 2", "claim 4 optimal problem 2 norm-squared 2", *W[1:]]))


def incorrect_spanning(case):
    case("relaxed-spanning", problem(1, "relaxed 2 1 2", "selection 3 0 0 0") + [
        "claim 1 infeasible problem 1", "vector combination 2 over 1", "1 1 1", "2 1 1", "spanning 1*2^-1 bits 29 1",
        "1 1"], LINE)
    case("relaxed-spanning-long", problem(1, "relaxed 1 1", "selection 3 0 0 0") + [
        "claim 1 infeasible problem 1", "vector combination 2 over 1", "0 1 1", "1 1 2", "spanning 1*2^-1 bits 29 1",
        "0 1"], LINE)
    # Short beside the equality's own number only.
    case("sets-spanning-long", changed(SPANNING, "0 2 -23", "0 2 -18") + ["spanning 1*2^-1 bits 29 2", "0 1", "0 2"],
         OTHER)
    case("sets-spanning-equality", SPANNING + ["spanning 1*2^-1 bits 29 1", "0 2"], OTHER)
    # Infeasible, but of an inequality that spans something is asked.
    case("sets-spanning-equalities-only", problem(1, "selected-sets 1 0,2") + [
        "claim 1 infeasible problem 1", "vector combination 2 over 1", "0 1 1", "0 2 1", "spanning 1*2^-1 bits 29 1",
        "0 2"], SPLIT)


def incorrect(case):
    case("decoder-norm", DECODER + changed(V, "squared 2", "squared 1"))
    case("decoder-multipliers", DECODER + changed(changed(V, "2 1 1", "2 1 2"), "squared 2", "squared 3"))
    case("decoder-label", DECODER + [
        "claim 1 feasible problem 1", "vector separator 3 over 1", "0 0 2", "1 0 -3", "2 1 1"])
    case("decoder-support", DECODER + V + changed(V_SUPPORT, "size 2", "size 3")[:2] + ["1 0", "2 1"])
    case("decoder-conflict", DECODER + ["claim 1 infeasible problem 1", "vector farkas 1 over 1", "1 0 1"])
    case("relaxed-plain", problem(1, "selection 3 0 0 1") + W)
    case("relaxed-other-group", changed(RELAXED, "relaxed 1 1", "relaxed 1 0") + W)
    case("relaxed-norm", RELAXED + changed(W, "squared 2", "squared 3"))  # with the relaxed row's multiplier
    case("relaxed-negative", problem(1, "relaxed 1 1", "selection 2 0 0") + [
        "claim 1 optimal problem 1 norm-squared 2", "vector multipliers 2 over 1", "0 1 2", "1 1 -1"], WEDGE)
    case("relaxed-slack", RELAXED + [W[0].replace("squared 2", "squared 1"), "vector multipliers 1 over 1", "2 0 1"])
    case("relaxed-below", RELAXED + ["claim 1 feasible problem 1", "vector separator 1 over 1", "0 1 1"])
    case("relaxed-support", RELAXED + W + changed(W_SUPPORT, "size 2", "size 1")[:2])
    case("relaxed-gap-dual", RELAXED + changed(GAP, "199/100", "2001/1000"))
    case("relaxed-gap-sum", RELAXED + changed(changed(GAP, "199/100 201/100", "3 4"), "1/20", "0"))
    case("relaxed-gap-negative", RELAXED + GAP[:5] + ["0 1 2", "1 1 -1"])
    case("relaxed-ball-low", RELAXED + changed(BALL, "2097151*2^-20 2097153", "2097155*2^-20 2097157"))
    case("relaxed-ball-negative", problem(1, "relaxed 1 1", "selection 2 0 0") + [
        BALL[0].replace("2097151*2^-20 2097153*2^-20", "2 3"), BALL[1],
        "vector multipliers 2 over 1", "0 1 2", "1 1 -1"], WEDGE)
    # Tight at 0 and not listed.
    case("relaxed-ball-open", problem(1, "relaxed 1 1", "selection 2 0 0") + [
        BALL[0].replace("2097151*2^-20 2097153*2^-20", "1 1"), BALL[1], "vector multipliers 1 over 1", "0 1 1"], CORNER)
    case("relaxed-margin-short", RELAXED + [
        "claim 1 margin-at-most problem 1 bound 1*2^-1", "vector combination 2 over 1", "0 1 2", "1 1 1"])
    case("relaxed-margin-none", RELAXED + [
        "claim 1 margin-at-most problem 1 bound 1*2^-3", "vector combination 1 over 2^10", "1 1 1"])
    case("vanishing-without-one", problem(1, "relaxed 2 1 2", "selection 3 0 0 0") + [
        "claim 1 infeasible problem 1", "vector farkas 2 over 1", "1 1 1", "2 1 1"], LINE)
    case("margin-without-one", problem(1, "relaxed 2 1 2", "selection 3 0 0 0") + [
        "claim 1 margin-at-most problem 1 bound 1", "vector combination 2 over 1", "1 1 1", "2 1 1"], LINE)
    case("relaxed-strict", problem(1, "relaxed 1 1", "selection 2 0 0") + [
        "claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1",
        "claim 2 support problem 1 from 1 size 2", "0 1", "1 1", STRICT[0], STRICT[1]], CORNER)
    case("sets-norm", OF_SETS + changed(E, "squared 1", "squared 1*2^-1"), SETS)  # with the equality's multiplier
    case("sets-sign", OF_SETS + changed(E, "0 1 -1", "0 1 1"), SETS)
    case("sets-other", problem(1, "selected-sets 2 0 1") + E, SETS)
    case("sets-negative", OF_SETS + [E[0].replace("squared 1", "squared -1"), E[1], "0 1 1", "0 2 -2"], SETS)
    case("sets-feasible", OF_SETS + ["claim 1 feasible problem 1", "vector separator 1 over 1", "0 2 1"], SETS)
    case("sets-support", OF_SETS + E + ["claim 2 support problem 1 from 1 size 2", "0 1", "0 2"], SETS)
    # (1,1) >= 1 alone has the solution (1,1)/2, off the equality.
    case("sets-ball-without", OF_SETS + [E_BALL[0].replace("squared 1 1", "squared 1*2^-1 1*2^-1"), E_BALL[1],
                                         "vector multipliers 1 over 2", "0 2 1"], SETS)
    case("sets-infeasible-negative", OF_SETS + [
        "claim 1 infeasible problem 1", "vector farkas 3 over 1", "0 1 2", "0 2 -4", "1 0 1"], SETS)
    # A direction off the equality; the multiplier is positive.
    case("sets-not-strict", OF_SETS + E + E_SUPPORT + [
        "claim 3 not-strictly-complementary problem 1 from 2 at 0 2", "vector direction 1 over 2", "0 1 1"], SETS)
    case("joint-none-relaxed", joint(relaxed=()))
    case("joint-other-relaxed", joint(relaxed=("relaxed 1 0",)))
    case("joint-more-relaxed", joint(relaxed=("relaxed 2 0 1",)))
    case("joint-other-selection", joint(selection="selection 3 0 1 1"))
    case("joint-cites-solution", joint(source=1))
    case("joint-of-attention", problem(1, "selection 3 0 0 1") + PLAIN + W_SUPPORT + problem(
        2, "relaxed 3 0 1 2", "selection 3 0 0 1") + ["claim 3 joint-attention problem 2 from 2"])
    all_support = problem(1, "decoder", "selection 2 0 0") + [
        "claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 0 1",
        "claim 2 support problem 1 from 1 size 2", "0 0", "1 0"]
    case("joint-of-decoder", all_support + ["claim 3 joint-attention problem 1 from 2"], CORNER)
    case("joint-of-sets", all_support + problem(2, "selected-sets 2 0 0") + [
        "claim 3 joint-attention problem 2 from 2"], CORNER)
    case("decoder-without-labels", problem(1, "decoder", "selection 3 0 0 1") + V, SCORED)
    case("relaxed-no-group", changed(RELAXED, "relaxed 1 1", "relaxed 1 3") + PLAIN)
    case("sets-no-token", changed(OF_SETS, "0,1 1", "0,3 1") + [
        "claim 1 optimal problem 1 norm-squared 1*2^-1", "vector multipliers 1 over 2", "0 2 1"], SETS)
    case("sets-equal-token", changed(OF_SETS, "0,1 1", "0,1 1,2") + E, SETS)
    case("sets-fewer-groups", changed(OF_SETS, "2 0,1 1", "1 0,1") + E, SETS)
    case("decoder-fewer-groups", changed(DECODER, "3 0 0 1", "2 0 0") + V)


# As PLANE with the scores of its v.
SCORED = Instance("rows-scored", "prompt", [0, 0, 1], [[[0, 1], [0, 0]], [[-1, -1], [1, 0]], [[0, 0], [1, 0]]], [1, 1],
                  labels=[1, -1, 1], K=[[[1, 0], [0, 0]], [[-1, 1], [0, 0]], [[0, 0], [1, 1]]])


def malformed(case):
    case("decoder-and-relaxed", problem(1, "decoder", "relaxed 1 1", "selection 3 0 0 1") + W)
    case("relaxed-and-sets", problem(1, "relaxed 1 1", "selected-sets 3 0 0 1") + W)
    case("decoder-and-sets", problem(1, "decoder", "selected-sets 3 0 0 1") + V)
    case("decoder-word", problem(1, "decoder 1", "selection 3 0 0 1") + V)
    case("relaxed-twice", changed(RELAXED, "relaxed 1 1", "relaxed 2 1 1") + W)
    case("relaxed-order", changed(RELAXED, "relaxed 1 1", "relaxed 2 1 0") + W)
    case("relaxed-none", changed(RELAXED, "relaxed 1 1", "relaxed 0") + W)
    case("relaxed-count", changed(RELAXED, "relaxed 1 1", "relaxed 2 1") + W)
    case("relaxed-loss", problem(1, "relaxed 1 1", "selection 3 0 0 1", loss="logistic") + W)
    case("sets-order", changed(OF_SETS, "0,1 1", "1,0 1") + E, SETS)
    case("sets-twice", changed(OF_SETS, "0,1 1", "0,0 1") + E, SETS)
    case("sets-comma", changed(OF_SETS, "0,1 1", "0,1, 1") + E, SETS)
    case("sets-empty", changed(OF_SETS, "0,1 1", ", 1") + E, SETS)
    case("sets-zeros", changed(OF_SETS, "0,1 1", "00,1 1") + E, SETS)
    case("sets-count", changed(OF_SETS, "sets 2", "sets 3") + E, SETS)
    case("sets-count-less", changed(OF_SETS, "sets 2", "sets 1") + E, SETS)
    case("sets-none", problem(1, "selected-sets 0") + E, SETS)
    case("decoder-other-token", DECODER + changed(V, "2 1 1", "2 0 1"))
    case("relaxed-selected-token", RELAXED + changed(W, "1 1 1", "1 0 1"))
    for kind in ("globally-optimal problem 1", "locally-optimal problem 1 from 2", "smoothness problem 1 beta 1000",
                 "robust-radius problem 1 from 1 radius 1*2^-20", "regularisation-path problem 1 from 1 from-radius "
                 "1000 rate-constant 1000", "norm-path problem 1 norm l1 from 1 from-radius 1000 rate-constant 1000",
                 "score-tie problem 1 group 0 tokens 0 1"):
        case("relaxed-" + kind.split(" ")[0], RELAXED + W + W_SUPPORT + [f"claim 3 {kind}"])
    one = ["matrix right 1 1 over 1", "1", "matrix inverse 1 1 over 1", "1"]
    case("relaxed-norm-near-rank", RELAXED + W + W_SUPPORT + [
        "claim 3 norm-near-rank problem 1 norm nuclear from 1 rank 1 distance 1", "matrix left 1 1 over 1", "1",
        *one[:2],
        "dual-norm 1 bits 40 slope 1*2^-1 step 1*2^-5"])
    case("relaxed-norm-face", RELAXED + W + W_SUPPORT + [
        "claim 3 norm-face problem 1 norm l1 from 1 dimension 0 0 size 0", "modulus 3"])
    case("relaxed-norm-solution", RELAXED + W + W_SUPPORT + [
        "claim 3 norm-solution problem 1 norm nuclear rank 1 distance 1", "matrix left 2 1 over 1", "1", "1", *one,
        "vector multipliers 2 over 1", "0 1 2", "1 1 1", "radius 1*2^-15 factors 2 rows 2 residual 1 inverse 1",
        "lambda-min 1 columns 1 dual-norm 4 slope 1*2^-1 bits 40"])
    case("relaxed-separable-without", RELAXED + [
        "claim 1 separable-without problem 1 groups 0", "vector separator 2 over 1", "0 1 2", "1 1 1"])
    case("relaxed-conflicts", problem(1, "relaxed 1 1", "selection 3 0 0 0") + changed(
        CONFLICT, "infeasible problem 1", "conflicts problem 1 at-least 1"), LINE)
    case("joint-later", joint(source=3))


def writer(corpus, recount, folder, code):
    def case(name, lines, about=PLANE):
        header = about.header.split("problem 1\n")[0]
        instance = about.text
        if about is SCORED:
            header, instance = scored()
        text = recount(header + "\n".join(lines) + "\nend\n")
        corpus.case(folder, f"rows-{name}", instance, text, code, about.name)
    return case


def write(corpus, recount):
    correct(writer(corpus, recount, "correct", 0))
    incorrect(writer(corpus, recount, "incorrect", 1))
    incorrect_spanning(writer(corpus, recount, "incorrect", 1))
    malformed(writer(corpus, recount, "malformed", 2))


def scored():
    """The instance that gives the scores of SCORED instead of Y and v, and the head of a certificate of it."""
    values = json.loads(SCORED.text)
    given = [[y * sum(a * b for a, b in zip(token, values["v"])) for token in group]
             for y, group in zip(values["Y"], values["X"])]
    text = "attest-instance 1\nsetting prompt\ngroups 3\ntokens 2 2 2\ndimension 2\nfactor-dimension 2\nX\n"
    text += "".join(row(token) for group in values["X"] for token in group)
    text += "scores\n" + "".join(row(group) for group in given)
    text += "K\n" + "".join(row(key) for group in values["K"] for key in group)
    digest = hashlib.sha256(text.encode()).hexdigest()
    instance = json.dumps({"X": values["X"], "scores": given, "K": values["K"]}) + "\n"
    return f"attest-certificate 1\nproducer hand 1\ninstance sha256 {digest}\n", instance
