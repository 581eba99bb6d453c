"""Certificates about all solutions in l1 and linf (norm-face): true in correct/, false in incorrect/, out of the
grammar in malformed/. What the solutions are is said beside each problem."""
from norm_claims import FIRST, HALVES, NUCLEAR, ONES, UNIT, changed, optimum
from separability_claims import Instance, writer

# W_11 - W_12 >= 1 and 2 W_11 - 3 W_21 >= 1; l1: W_11 = s, W_12 = s - 1 for 1/2 <= s <= 1.
ROW = Instance("first-row-c", "cross-attention", [0, 0], [[[1, 0], [0, 0]], [[0, 0], [-2, 3]]], [1, 1],
               z=[[1, -1], [1, 0]])
# 3 W_11 + 3 W_12 >= 1, 6 W_11 >= 1 and 6 W_12 >= 1; l1: all three are 1.
CORNER = Instance("corner-c", "cross-attention", [0, 0, 0], [[[3, 0], [0, 0]], [[6, 0], [0, 0]], [[6, 0], [0, 0]]],
                  [1, 1], z=[[1, 1], [1, 0], [0, 1]])
MODULUS = 2147483647


def matrix(name, *rows, over="1"):
    return [f"matrix {name} 2 2 over {over}", *rows]


def face(norm, dimension, tight, entries=(), others=(), modulus=MODULUS, cited=1, number=2, size=None):
    """Others are pairs of rows, or these and a denominator."""
    return [f"claim {number} norm-face problem 1 norm {norm} from {cited} dimension {dimension} "
            f"size {len(tight) if size is None else size}", *tight, f"modulus {modulus}", *entries,
            *[line for other in others for line in matrix("other", *other[:2], over=(*other, "1")[2])]]


def least(norm, value, primal, multipliers, dual, over="1"):
    return optimum(f"{norm} value {value} {value}", primal, [f"vector multipliers {len(multipliers)} over {over}",
                                                            *multipliers], dual)


BOTH = ["0 1", "1 1"]
SUM = optimum("l1 value 2 2")
LARGEST = optimum("linf value 1 1", multipliers=HALVES)
SEGMENT = least("l1", 1, matrix("primal", "1 0", "0 0"), ["0 1 1"], 1)
# The second and the third margin, or the first alone.
STEEP = least("l1", "1/3", matrix("primal", "1 1", "0 0", over="6"), ["1 1 1", "2 1 1"], 6)
FLAT = least("l1", "1/3", matrix("primal", "1 1", "0 0", over="6"), ["0 1 1"], 3)
ENTRY = least("l1", 1, matrix("primal", "1 0", "0 0"), ["0 1 1"], 1)
WIDE = least("linf", 1, matrix("primal", "1 0", "0 0"), ["0 1 1"], 1)
HALF = ("1 -1", "0 0", "2^1")
SQUARE = (("1 1", "0 1"), ("3 0", "1 3", "3"))


def correct(case):
    def true(name, about, solved, *claim, **changes):
        case("correct", f"face-{name}", solved + face(*claim, **changes), 0, about)

    true("one", UNIT, SUM, "l1", "0 0", BOTH)
    true("one-tight", UNIT, SUM, "l1", "0 0", ["1 1"])
    true("one-none-tight", UNIT, SUM, "l1", "0 0", [])
    true("one-or-more", UNIT, SUM, "l1", "0 1", BOTH, ["0 0"])
    true("one-of-rank-one", FIRST, ENTRY, "l1", "0 0", ["0 1"])
    twice = least("l1", 2, matrix("primal", "1 0", "0 1"), ["0 1 3", "1 1 3"], "3*2^-1", over="2^1")
    true("multiplied", UNIT, twice, "l1", "0 0", BOTH)
    true("segment", ROW, SEGMENT, "l1", "1 1", ["0 1"], ["0 0"], [HALF])
    true("segment-by-the-other-entry", ROW, SEGMENT, "l1", "1 1", ["0 1"], ["0 1"], [("3 -1", "0 0", "2^2")])
    true("segment-at-most", ROW, SEGMENT, "l1", "0 1", ["0 1"], ["0 0"])
    true("segment-little", ROW, SEGMENT, "l1", "1 3", ["0 1"], ["0 0", "1 0", "1 1"], [HALF])
    true("corner", CORNER, STEEP, "l1", "0 0", ["0 1", *BOTH[1:], "2 1"])
    true("corner-of-one-multiplier", CORNER, FLAT, "l1", "0 1", ["0 1"], ["0 1"])
    true("corner-modulus", CORNER, STEEP, "l1", "0 0", ["0 1"], modulus=5)
    true("square", UNIT, LARGEST, "linf", "2 2", BOTH, ["0 1", "1 0"], SQUARE)
    true("square-turned", UNIT, LARGEST, "linf", "2 2", BOTH, ["0 1", "1 0"], SQUARE[::-1])
    true("square-one-other", UNIT, LARGEST, "linf", "1 2", BOTH, ["0 1", "1 0"], SQUARE[:1])
    true("cube", FIRST, WIDE, "linf", "3 3", ["0 1"], ["0 1", "1 0", "1 1"],
         [("1 -1", "0 0"), ("1 0", "-1 0"), ("2 0", "0 -1", "2^1")])
    true("largest-modulus", UNIT, SUM, "l1", "0 0", BOTH, modulus=3)


def incorrect(case):
    def false(name, about, solved, *claim, **changes):
        case("incorrect", f"face-{name}", solved + face(*claim, **changes), 1, about)

    false("not-one", ROW, SEGMENT, "l1", "0 0", ["0 1"])
    false("entry-of-no-use", ROW, SEGMENT, "l1", "0 1", ["0 1"], ["1 0"])
    false("square-not-line", UNIT, LARGEST, "linf", "0 1", BOTH, ["0 1"])
    false("square-entries", UNIT, LARGEST, "linf", "0 2", BOTH, ["0 0", "1 1"])
    false("corner-of-one-multiplier", CORNER, FLAT, "l1", "0 0", ["0 1"])
    false("modulus-divides", CORNER, STEEP, "l1", "0 0", ["0 1"], modulus=3)
    for modulus in (0, 1, 2, 4, 9, 2147483649, 2147483659):
        false(f"modulus-{modulus}", UNIT, SUM, "l1", "0 0", BOTH, modulus=modulus)
    false("tight", UNIT, SUM, "l1", "0 0", [*BOTH, "2 1"])
    false("tight-somewhere", ROW, least("l1", 1, matrix("primal", "1 -1", "0 0", over="2^1"), ["0 1 1"], 1), "l1",
          "1 1", ["0 1", "1 1"], ["0 0"], [("1 0", "0 0")])
    false("margin", ROW, SEGMENT, "l1", "1 1", ["0 1"], ["0 0"], [("1 -2", "0 0", "3")])
    false("first-margin", ROW, SEGMENT, "l1", "1 1", ["0 1"], ["0 0"], [("1 0", "0 0", "2^1")])
    false("norm", ROW, SEGMENT, "l1", "1 1", ["0 1"], ["0 0"], [("1 -1", "0 0")])
    false("largest", UNIT, LARGEST, "linf", "1 2", BOTH, ["0 1", "1 0"], [("1 2", "0 1")])
    false("same", ROW, SEGMENT, "l1", "1 1", ["0 1"], ["0 0"], [("2 0", "0 0", "2^1")])
    false("same-twice", UNIT, LARGEST, "linf", "2 2", BOTH, ["0 1", "1 0"], [SQUARE[0], ("2 1", "0 2", "2^1")])
    false("one-for-two", UNIT, LARGEST, "linf", "2 2", BOTH, ["0 1", "1 0"], [SQUARE[0], ("2 2", "-2 2", "2^1")])
    halves = least("l1", 1, matrix("primal", "1 -1", "0 0", over="2^1"), ["0 1 1"], 1)
    false("same-over-another-denominator", ROW, halves, "l1", "1 1", ["0 1"], ["0 0"], [("2 -2", "0 0", "2^2")])
    longer = least("l1", 1, matrix("primal", "1 0", "0 0"), ["0 1 3"], "3*2^-1", over="2^1")
    false("not-one-multiplied", ROW, longer, "l1", "0 0", ["0 1"])
    false("interval", UNIT, optimum("l1 value 1999/1000 2"), "l1", "0 0", BOTH)
    false("other-norm", UNIT, LARGEST, "l1", "0 0", BOTH)
    false("of-the-nuclear-norm", UNIT, NUCLEAR, "l1", "0 0", BOTH)
    twice = face("l1", "0 0", BOTH) + face("l1", "0 0", BOTH, cited=2, number=3)
    case("incorrect", "face-of-itself", SUM + twice, 1, UNIT)


def malformed(case):
    def bad(name, lines, about=UNIT, solved=LARGEST):
        case("malformed", f"face-{name}", solved + lines, 2, about)

    square = face("linf", "2 2", BOTH, ["0 1", "1 0"], SQUARE)
    for norm in ("nuclear", "l2", "l7/4"):
        bad("norm-" + norm.replace("/", "-over-"), changed(square, "norm linf", f"norm {norm}"))
    bad("dimensions", changed(square, "dimension 2 2", "dimension 2 1"))
    bad("more-than-at-most", face("linf", "2 1", BOTH, ["0 1"], SQUARE))
    bad("one-dimension", changed(square, "dimension 2 2", "dimension 2"))
    bad("dimension-negative", changed(square, "dimension 2 2", "dimension -1 2"))
    bad("size", changed(square, "size 2", "size 3"))
    bad("order", face("linf", "2 2", BOTH[::-1], ["0 1", "1 0"], SQUARE))
    bad("no-constraint", face("linf", "2 2", ["0 0", "1 1"], ["0 1", "1 0"], SQUARE))
    bad("no-modulus", [line for line in square if not line.startswith("modulus")])
    bad("modulus-negative", changed(square, "modulus 2", "modulus -2"))
    bad("modulus-long", changed(square, f"modulus {MODULUS}", f"modulus {2 ** 64 + 3}"))
    for name, entries in (("row", ["0 1", "2 0"]), ("column", ["0 1", "1 2"]), ("entries-turned", ["1 0", "0 1"]),
                          ("entry-twice", ["0 1", "0 1"]), ("entry-missing", ["0 1"]),
                          ("entry-too-many", ["0 0", "0 1", "1 0"]), ("entry-words", ["0 1 1", "1 0"])):
        bad(name, face("linf", "2 2", BOTH, entries, SQUARE))
    bad("other-missing", face("linf", "2 2", BOTH, ["0 1", "1 0"], SQUARE[:1]))
    bad("other-too-many", face("linf", "1 2", BOTH, ["0 1", "1 0"], SQUARE))
    bad("other-name", changed(square, "matrix other", "matrix primal"))
    bad("other-shape", changed(square, "other 2 2", "other 2 3"))
    bad("other-turned-shape", changed(square, "other 2 2", "other 4 1"))
    bad("other-denominator", changed(square, "2 2 over 3", "2 2 over 0"))
    bad("from-itself", changed(square, "from 1", "from 2"))
    bad("more-words", changed(square, "size 2", "size 2 2"))
    bad("many-dimensions", changed(square, "dimension 2 2", f"dimension {2 ** 62} {2 ** 62}"))


def write(corpus, recount):
    case = writer(corpus, recount, "norm", UNIT)
    correct(case)
    incorrect(case)
    malformed(case)
