"""Certificates about the least norm in other norms than the Euclidean one: true in correct/, false in incorrect/, out
of the grammar in malformed/. The rows ask W_11 >= 1, W_22 >= 1 and 2 W_11 - 3 W_21 >= 1, so that the unit matrix is
optimal in every norm here, and the only solution in the entrywise ones with p > 1."""
from separability_claims import Instance, writer

UNIT = Instance("unit-matrix-c", "cross-attention", [0, 0, 0], [[[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [-2, 3]]],
                [1, 1], z=[[1, 0], [0, 1], [1, 0]])
# With a query of length 4, which the margins of the third group have as a factor.
LONG = Instance("long-query-c", "cross-attention", [0, 0, 0], [[[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [-2, 3]]],
                [1, 1], z=[[1, 0], [0, 1], [4, 0]])
# Only W_11 >= 1 and 2 W_11 - 3 W_21 >= 1: of rank 1, but for what a larger norm leaves room for.
FIRST = Instance("first-entry-c", "cross-attention", [0, 0], [[[1, 0], [0, 0]], [[0, 0], [-2, 3]]], [1, 1],
                 z=[[1, 0], [1, 0]])
ONES = ["vector multipliers 2 over 1", "0 1 1", "1 1 1"]
HALVES = ["vector multipliers 2 over 2^1"] + ONES[1:]
PRIMAL = ["matrix primal 2 2 over 1", "1 0", "0 1"]
FACTORS = ["matrix left 2 2 over 1", "1 0", "0 1", "matrix right 2 2 over 1", "1 0", "0 1"]
ONE_COLUMN = ["matrix left 2 1 over 1", "1", "-1", "matrix right 2 1 over 1", "1", "-1"]


def optimum(words, matrix=PRIMAL, multipliers=ONES, dual="1"):
    return [f"claim 1 norm-optimum problem 1 norm {words}", *matrix, *multipliers, f"dual-norm {dual}"]


# 2^(1/3) = 1.25992.., 2^(2/3) = 1.58740..; 2^(4/7) = 1.48599.., 2^(3/7) = 1.34590..
CUBIC = optimum("l3 value 6299/5000 63/50 distance 4/25", dual="127/80 bits 29")
SEVEN = optimum("l7/4 value 14859/10000 743/500 distance 1/25", dual="26919/20000 bits 64")
NUCLEAR = optimum("nuclear value 1048575*2^-19 2 rank-at-most 2", FACTORS, dual="1048577*2^-20 bits 40")


# Of all W of norm at most 1001/1000, by |x_1 / B|^2 + |x_2|^2/4 <= |x|^2: .0948 is proved, .001 is true.
ENTRY = optimum("nuclear value 1048575*2^-20 1001/1000 rank-at-most 1",
                ["matrix left 2 1 over 1", "1", "0", "matrix right 2 1 over 1", "1", "0"],
                ["vector multipliers 1 over 1", "0 1 1"], "1048577*2^-20 bits 40")
# With the multiplier and the bound of its dual norm doubled.
TWICE = [*ENTRY[:7], "vector multipliers 1 over 1", "0 1 2", "dual-norm 1048577*2^-19 bits 40"]
FAR, NEAR = "19/200", "47/500"


def near(distance=FAR, rank=1, left=("1", "0"), right=("1", "0"), dual="1048577*2^-20", bits=40, slope="1*2^-1",
         step="1*2^-5", cited=1, number=2, norm="nuclear"):
    return [f"claim {number} norm-near-rank problem 1 norm {norm} from {cited} rank {rank} distance {distance}",
            f"matrix left 2 {rank} over 1", *left, f"matrix right 2 {rank} over 1", *right,
            f"dual-norm {dual} bits {bits} slope {slope} step {step}"]


def within(norm, *places, number=2, size=None):
    return [f"claim {number} norm-support-within problem 1 norm {norm} from 1 size {size or len(places)}", *places]


def local(norm, number=2):
    return [f"claim {number} norm-locally-optimal problem 1 norm {norm} from 1"]


BOTH = ["0 1", "1 1"]


def changed(lines, old, new):
    assert any(old in line for line in lines), old
    return [line.replace(old, new) for line in lines]


def correct(case):
    case("correct", "nuclear", NUCLEAR, 0)
    case("correct", "nuclear-rank-one", changed(NUCLEAR[:1], "most 2", "most 1") + ONE_COLUMN + NUCLEAR[7:], 0)
    case("correct", "l1", optimum("l1 value 2 2"), 0)
    case("correct", "linf", optimum("linf value 1 1", multipliers=HALVES), 0)
    case("correct", "l3", CUBIC + within("l3", *BOTH) + local("l3", 3), 0)
    case("correct", "l7-4", SEVEN + local("l7/4") + within("l7/4", *BOTH, number=3), 0)
    case("correct", "l7-4-without-distance", changed(SEVEN, " distance 1/25", ""), 0)
    case("correct", "within-long-query", CUBIC + within("l3", *BOTH), 0, LONG)
    case("correct", "all-listed", CUBIC + within("l3", *BOTH, "2 1"), 0)
    case("correct", "near-rank", ENTRY + near(), 0, FIRST)
    thirds = changed(near(left=("3", "0")), "right 2 1 over 1", "right 2 1 over 3")
    case("correct", "near-rank-longer-vectors", ENTRY + thirds, 0, FIRST)
    case("correct", "near-rank-turned", ENTRY + near(right=("1", "1")), 0, FIRST)
    case("correct", "near-rank-twice", TWICE + near(dual="1048577*2^-19"), 0, FIRST)
    whole = ("1 0", "0 1")
    case("correct", "near-rank-full", NUCLEAR + near(rank=2, left=whole, right=whole, distance="1"), 0)
    case("correct", "l2", optimum("l2 value 141421/100000 70711/50000 distance 1/100", dual="282843/200000 bits 64"), 0)


def incorrect(case):
    for name, lines in (("nuclear", NUCLEAR), ("l1", optimum("l1 value 2 2")), ("l3", CUBIC), ("l7-4", SEVEN),
                        ("linf", optimum("linf value 1 1", multipliers=HALVES))):
        kind = "left 2 2" if name == "nuclear" else "primal 2 2"
        case("incorrect", f"{name}-margin", changed(lines, f"{kind} over 1", f"{kind} over 1001"), 1)
        sheared = ["1 1" if lines[k - 1] == "1 0" else line for k, line in enumerate(lines)]
        case("incorrect", f"{name}-third-margin", sheared, 1)
        case("incorrect", f"{name}-negative", changed(lines, "1 1 1", "1 1 -1"), 1)
    case("incorrect", "nuclear-upper", changed(NUCLEAR, "2^-19 2 rank", "2^-19 1999999/1000000 rank"), 1)
    case("incorrect", "nuclear-lower", changed(NUCLEAR, "1048575*2^-19", "2"), 1)
    case("incorrect", "nuclear-dual", changed(NUCLEAR, "1048577*2^-20", "1048575*2^-20"), 1)
    case("incorrect", "nuclear-bits", changed(NUCLEAR, "1048577*2^-20 bits 40", "268435457*2^-28 bits 29"), 1)
    case("incorrect", "nuclear-unbalanced",
         NUCLEAR[:1] + ["matrix left 2 2 over 2", *FACTORS[1:4], "2 0", "0 2"] + NUCLEAR[7:], 1)
    case("incorrect", "l1-upper", optimum("l1 value 1 1999/1000"), 1)
    case("incorrect", "l1-lower", optimum("l1 value 2001/1000 3"), 1)
    case("incorrect", "l1-dual", optimum("l1 value 2 2", dual="999/1000"), 1)
    case("incorrect", "linf-upper", optimum("linf value 1*2^-1 999/1000", multipliers=HALVES), 1)
    case("incorrect", "linf-dual", optimum("linf value 1 1", multipliers=ONES), 1)
    case("incorrect", "l3-upper", changed(CUBIC, "63/50", "12599/10000"), 1)
    case("incorrect", "l3-lower", changed(CUBIC, "value 6299/5000", "value 63/50"), 1)
    case("incorrect", "l3-dual", changed(CUBIC, "127/80", "15873/10000"), 1)
    case("incorrect", "l3-distance", changed(CUBIC, "distance 4/25", "distance 3/20"), 1)
    case("incorrect", "l7-4-upper", changed(SEVEN, "743/500", "14859/10000"), 1)
    case("incorrect", "l7-4-lower", changed(SEVEN, "value 14859/10000", "value 743/500"), 1)
    case("incorrect", "l7-4-distance", changed(SEVEN, "distance 1/25", "distance 1/50"), 1)
    case("incorrect", "distance-negative", changed(SEVEN, "distance 1/25", "distance -1/25"), 1)
    # 2 (HI^2 - LO^2) = 0 for LO = -HI: a lower bound below 0 would prove any distance.
    case("incorrect", "lower-negative", changed(SEVEN, "value 14859/10000", "value -743/500"), 1)
    case("incorrect", "dual-zero", optimum("l1 value 0 2", dual="0"), 1)
    case("incorrect", "upper-zero", optimum("l1 value 0 0"), 1)
    case("incorrect", "power-upper-negative",
         changed(changed(CUBIC, "6299/5000 63/50", "0 -1"), " distance 4/25", ""), 1)
    case("incorrect", "power-upper-zero", changed(CUBIC, "6299/5000 63/50", "0 0"), 1)
    case("incorrect", "power-dual-zero", changed(CUBIC, "127/80", "0"), 1)
    case("incorrect", "power-dual-negative",
         changed(changed(CUBIC, "6299/5000", "0"), "127/80", "-127/80"), 1)
    case("incorrect", "nuclear-dual-zero", changed(NUCLEAR, "1048577*2^-20", "0"), 1)
    # Margins do not see the entry, the norm does.
    case("incorrect", "l3-negative-entry", changed(CUBIC, "1 0", "1 -5"), 1)
    # The multipliers 5/3, 1, -1/3 would prove 7/3, where 2 is the least norm.
    case("incorrect", "l1-multiplier-negative",
         optimum("l1 value 7/3 3", multipliers=["vector multipliers 3 over 3", "0 1 5", "1 1 3", "2 1 -1"]), 1)
    # 2 (HI^2 - LO^2) is between (p - 1) times the square of this distance and the square.
    case("incorrect", "l7-4-distance-without-convexity", changed(SEVEN, "distance 1/25", "distance 27/1000"), 1)
    case("incorrect", "within-first", CUBIC + within("l3", "0 1"), 1)
    case("incorrect", "within-second", CUBIC + within("l3", "1 1", "2 1"), 1)
    far = changed(CUBIC, "distance 4/25", "distance 1/5")
    case("incorrect", "within-far", far + within("l3", *BOTH), 1)
    # 8 - 20 R, not 8 - 5 R.
    longer = changed(CUBIC, "distance 4/25", "distance 2/5")
    case("incorrect", "within-long-query-far", longer + within("l3", *BOTH), 1, LONG)
    case("incorrect", "local-far", far + local("l3"), 1)
    case("incorrect", "local-other-norm", CUBIC + local("l4"), 1)
    case("incorrect", "within-other-norm", SEVEN + within("l3", *BOTH), 1)
    case("incorrect", "local-without-distance", changed(SEVEN, " distance 1/25", "") + local("l7/4"), 1)
    case("incorrect", "local-nuclear", NUCLEAR + local("nuclear"), 1)
    case("incorrect", "local-cites-local",
         CUBIC + local("l3") + ["claim 3 norm-locally-optimal problem 1 norm l3 from 2"], 1)
    near_rank_incorrect(case)


def near_rank_incorrect(case):
    def false(name, about=FIRST, optimum=ENTRY, **changes):
        case("incorrect", f"near-rank-{name}", optimum + near(**changes), 1, about)

    false("distance", distance=NEAR)
    false("left", left=("1", "1"))
    false("right", right=("2", "0"))
    false("other-direction", left=("0", "1"), right=("0", "1"))
    false("longer", left=("2", "0"))
    false("dual-small", dual="1048575*2^-20")
    false("dual-large", dual="1025*2^-10")
    false("dual-zero", dual="0")
    false("dual-negative", dual="-1048577*2^-20")
    false("bits", dual="268435457*2^-28", bits=29)
    false("slope", slope="17/16")
    false("twice-slope", optimum=TWICE, dual="1048577*2^-19", slope="17/16")
    false("slope-negative", slope="-1*2^-1")
    false("step-zero", step="0")
    false("step-negative", step="-1*2^-5")
    false("step-long", step="1*2^-1", distance="1000")
    false("step-large", step="3*2^-3", distance="1")
    false("step-longer", step="1", distance="1000")
    # The face of the unit matrix's problem has matrices of rank 1 and 2.
    false("of-rank-two", UNIT, NUCLEAR)
    false("of-an-entrywise-norm", UNIT, optimum("l1 value 2 2"))
    case("incorrect", "near-rank-of-itself", ENTRY + near() + near(number=3, cited=2), 1, FIRST)


def malformed(case):
    for word in ("l", "l0", "l1/2", "l6/4", "l65", "l7/65", "l3*2^1", "3*2^-1", "l1.75", "nuc", "euclidean", "l-3",
                 "linfty", "l07"):
        case("malformed", "norm-" + word.replace("/", "-over-").replace("*", "-times-").replace("^", ""),
             changed(CUBIC, "norm l3", f"norm {word}"), 2)
    case("malformed", "distance-of-l1", optimum("l1 value 2 2 distance 1"), 2)
    case("malformed", "bits-of-l1", optimum("l1 value 2 2", dual="1 bits 64"), 2)
    case("malformed", "no-bits", changed(SEVEN, " bits 64", ""), 2)
    case("malformed", "few-bits", changed(SEVEN, "bits 64", "bits 28"), 2)
    case("malformed", "many-bits", changed(SEVEN, "bits 64", "bits 4097"), 2)
    case("malformed", "no-rank", changed(NUCLEAR, " rank-at-most 2", ""), 2)
    case("malformed", "rank-zero", changed(NUCLEAR, "most 2", "most 0"), 2)
    case("malformed", "rank-three", changed(NUCLEAR, "most 2", "most 3"), 2)
    case("malformed", "rank-and-columns", changed(NUCLEAR, "most 2", "most 1"), 2)
    case("malformed", "shape", changed(CUBIC, "primal 2 2", "primal 4 1"), 2)
    case("malformed", "columns", changed(CUBIC, "primal 2 2", "primal 2 3"), 2)
    case("malformed", "name", changed(CUBIC, "matrix primal", "matrix left"), 2)
    case("malformed", "entry-missing", [line if line != "1 0" else "1" for line in CUBIC], 2)
    case("malformed", "entry-too-many", [line if line != "1 0" else "1 0 0" for line in CUBIC], 2)
    case("malformed", "row-missing", [line for line in CUBIC if line != "1 0"], 2)
    case("malformed", "denominator", changed(CUBIC, "2 2 over 1", "2 2 over 0"), 2)
    near_rank_malformed(case)
    case("malformed", "size", CUBIC + within("l3", *BOTH, size=3), 2)
    case("malformed", "order", CUBIC + within("l3", *BOTH[::-1]), 2)
    case("malformed", "no-constraint", CUBIC + within("l3", "0 0"), 2)
    case("malformed", "from-itself", CUBIC + ["claim 2 norm-locally-optimal problem 1 norm l3 from 2"], 2)


def near_rank_malformed(case):
    def bad(name, lines):
        case("malformed", f"near-rank-{name}", ENTRY + lines, 2, FIRST)

    bad("l1", near(norm="l1"))
    bad("rank-zero", near(rank=0))
    bad("rank-three", near(rank=3, left=("1 0 0",) * 2, right=("1 0 0",) * 2))
    bad("few-bits", near(bits=28))
    bad("many-bits", near(bits=4097))
    bad("no-bits", changed(near(), " bits 40", ""))
    bad("no-step", changed(near(), " step 1*2^-5", ""))
    bad("no-distance", changed(near(), f" distance {FAR}", ""))
    bad("columns", changed(near(), "left 2 1", "left 2 2"))
    bad("rows", changed(near(), "right 2 1", "right 1 1"))
    bad("turned-round", near()[:1] + near()[4:7] + near()[1:4] + near()[7:])
    bad("entry-missing", near()[:-2] + near()[-1:])
    bad("more-words", changed(near(), "step 1*2^-5", "step 1*2^-5 1"))
    bad("from-itself", near(cited=2))


def write(corpus, recount):
    case = writer(corpus, recount, "norm", UNIT)
    correct(case)
    incorrect(case)
    malformed(case)
