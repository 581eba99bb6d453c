"""Certificates about the regularisation path in other norms: true in correct/, false in incorrect/, out of the grammar
in malformed/. The rows are those of norm_claims.py; here every selected token has the best score. Radii are about
twice the matrix's norm, constants the theorem's there, rounded up to two decimals."""
from norm_claims import BOTH, CUBIC, HALVES, NUCLEAR, ONE_COLUMN, SEVEN, UNIT, changed, local, optimum, within
from separability_claims import Instance, writer

BEST = Instance("best-unit-matrix-c", "cross-attention", [0, 0, 0],
                [[[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [-2, 3]]], [2, 1], z=[[1, 0], [0, 1], [1, 0]])
ONE = optimum("l1 value 2 2")
MAXIMUM = optimum("linf value 1 1", multipliers=HALVES)
RANK_ONE = changed(NUCLEAR[:1], "most 2", "most 1") + ONE_COLUMN + NUCLEAR[7:]


def path(norm, radius, constant, source=1, number=2):
    words = f"norm {norm} from {source} from-radius {radius} rate-constant {constant}"
    return [f"claim {number} norm-path problem 1 {words}"]


L1 = path("l1", 4, "487/100")


def correct(case):
    case("correct", "l1", ONE + L1, 0)
    case("correct", "linf", MAXIMUM + path("linf", 2, "61/25"), 0)
    case("correct", "l3", CUBIC + within("l3", *BOTH) + path("l3", "63/25", "307/100", number=3), 0)
    case("correct", "l7-4", SEVEN + path("l7/4", "223/50", "62/25"), 0)
    case("correct", "nuclear", NUCLEAR + path("nuclear", 4, "487/100"), 0)
    case("correct", "nuclear-rank-one", RANK_ONE + path("nuclear", 4, "487/100"), 0)
    case("correct", "far", ONE + path("l1", "1*2^4000", "277/100"), 0)
    # The bound of the dual norm is twice what it need be, and so is the least norm's: n is half as long.
    case("correct", "loose", optimum("l1 value 1*2^-1 2", dual="2") + path("l1", 4, "61/25"), 0)


def incorrect(case):
    case("incorrect", "l1-constant", ONE + path("l1", 4, "243/50"), 1)
    case("incorrect", "linf-constant", MAXIMUM + path("linf", 2, "243/100"), 1)
    case("incorrect", "l3-constant", CUBIC + path("l3", "63/25", "153/50"), 1)
    case("incorrect", "l7-4-constant", SEVEN + path("l7/4", "223/50", "61/25"), 1)
    case("incorrect", "nuclear-constant", NUCLEAR + path("nuclear", 4, "243/50"), 1)
    case("incorrect", "constant-negative", ONE + path("l1", 4, "-487/100"), 1)
    case("incorrect", "radius", ONE + path("l1", 3, 100), 1)
    case("incorrect", "radius-0", ONE + path("l1", 0, 100), 1)
    case("incorrect", "radius-negative", ONE + path("l1", -4, 100), 1)
    # The ray goes through a matrix of norm 4: e^-(R/4) is larger.
    case("incorrect", "long-ray", optimum("l1 value 2 4") + L1, 1)
    case("incorrect", "other-norm", CUBIC + path("l4", 4, 100), 1)
    case("incorrect", "of-a-support", CUBIC + within("l3", *BOTH) + path("l3", 4, 100, 2, 3), 1)
    case("incorrect", "of-a-path", ONE + L1 + path("l1", 4, "487/100", 2, 3), 1)
    case("incorrect", "no-direction", optimum("l1 value 0 2") + L1, 1)
    case("incorrect", "false-optimum", optimum("l1 value 2 1999/1000") + L1, 1)
    case("incorrect", "beside-local", CUBIC + local("l3") + path("l3", "63/25", 3, number=3), 1)


def malformed(case):
    case("malformed", "norm", ONE + path("euclidean", 4, 5), 2)
    case("malformed", "without-norm", ONE + [L1[0].replace("norm l1 ", "")], 2)
    case("malformed", "of-itself", ONE + path("l1", 4, 5, 2), 2)
    case("malformed", "of-claim-0", ONE + path("l1", 4, 5, 0), 2)
    case("malformed", "without-constant", ONE + [L1[0].replace(" 487/100", "")], 2)
    case("malformed", "without-radius", ONE + [L1[0].replace("from-radius 4 ", "")], 2)
    case("malformed", "decimals", ONE + path("l1", "4.5", 5), 2)
    case("malformed", "more-words", ONE + [L1[0] + " 1"], 2)


def write(corpus, recount):
    def about(instance, loss):
        named = Instance.__new__(Instance)
        named.name, named.text = instance.name, instance.text
        named.header = instance.header.replace("loss none", f"loss {loss}")
        return named

    case = writer(corpus, recount, "norm-path", about(BEST, "logistic"))
    correct(case)
    incorrect(case)
    malformed(case)
    case("incorrect", "without-a-loss", ONE + L1, 1, BEST)
    # The third group's selected token has the worse score.
    case("incorrect", "worse-token", ONE + path("l1", "1*2^40", "1*2^40"), 1, about(UNIT, "logistic"))
