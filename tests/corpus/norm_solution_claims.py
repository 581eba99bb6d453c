"""Certificates about the only solution in the nuclear norm: true in correct/, false or not shown in incorrect/, out of
the grammar in malformed/. Of first-entry-c, W_11 >= 1 and 2 W_11 - 3 W_21 >= 1, it is the matrix with the one entry 1;
the derivative L of its equations has the least eigenvalues +-1 at the numbers that solve them exactly."""
from norm_claims import FIRST, UNIT
from separability_claims import Instance, writer

# Margins v'W v for v = (3, 4), (-3, 4), (5, 0), and 30 W_11: W* is a 25th of the unit matrix, M the unit matrix. The
# least eigenvalues of L are +-2/5.
SQUARE = Instance("square-c", "cross-attention", [0, 0, 0],
                  [[[3, 4], [0, 0]], [[-3, 4], [0, 0]], [[5, 0], [0, 0], [-1, 0]]], [1, 1], z=[[3, 4], [-3, 4], [5, 0]])
# W_11 >= 1 asked twice: the multiplier 1 may be shared out between them.
TWICE = Instance("first-entry-twice-c", "cross-attention", [0, 0], [[[1, 0], [0, 0]], [[1, 0], [0, 0]]], [1, 1],
                 z=[[1, 0], [1, 0]])
# The second margin is 1 at the solution of the first, with the multiplier 0.
TOUCHED = Instance("first-entry-touched-c", "cross-attention", [0, 0], [[[1, 5], [0, 0]], [[1, 0], [0, 0]]], [1, 1],
                   z=[[1, 0], [1, 0]])
# The second margin is 0 at the solution of the first.
MISSED = Instance("first-entry-missed-c", "cross-attention", [0, 0], [[[0, 3], [0, 0]], [[1, 0], [0, 0]]], [1, 1],
                  z=[[1, 0], [1, 0]])
# 5 W_11 = 1 and 20 W_11 - 20 W_21 = 1 at (1/5, 3/20), with the multipliers 7/25 and -3/100: W_21 = 0 is shorter.
STEEP = Instance("steep-c", "cross-attention", [0, 0], [[[5, 0], [0, 0]], [[20, -20], [0, 0]]], [1, 1],
                 z=[[1, 0], [1, 0]])


def solution(rank=1, distance="1*2^-14", left=("1", "0"), right=("1", "0"), inverse=("1", "0"), over=(1, 1, 1),
             multipliers=("over 1", "0 1 1"), radius="1*2^-15", factors="3*2^-1", rows="1", residual="1*2^-20",
             length="1", least="1*2^-1", columns="1", dual="1048577*2^-20", slope="1*2^-1", bits=40, norm="nuclear",
             shape=(2, 2)):
    lines = [f"claim 1 norm-solution problem 1 norm {norm} rank {rank} distance {distance}"]
    for name, size, entries, unit in (("left", shape[0], left, over[0]), ("right", shape[1], right, over[1]),
                                      ("inverse", shape[1], inverse, over[2])):
        lines += [f"matrix {name} {size} {rank} over {unit}", *entries]
    lines += [f"vector multipliers {len(multipliers) - 1} {multipliers[0]}", *multipliers[1:]]
    return lines + [f"radius {radius} factors {factors} rows {rows} residual {residual} inverse {length}",
                    f"lambda-min {least} columns {columns} dual-norm {dual} slope {slope} bits {bits}"]


WHOLE = ("1 0", "0 1")


def square(**changes):
    said = {"rank": 2, "distance": "1*2^-17", "left": WHOLE, "right": WHOLE, "inverse": ("5 0", "0 5"),
            "over": (5, 5, 1), "multipliers": ("over 800", "0 1 25", "1 1 25", "2 1 14"), "radius": "1*2^-16",
            "factors": "2/5", "rows": "44", "residual": "1*2^-25", "length": "15*2^-1",
            "least": "1/10", "columns": "1/20"}
    return solution(**{**said, **changes})


def correct(case):
    case("correct", "entry", solution(), 0, FIRST)
    case("correct", "entry-near", solution(left=("1048575", "1"), over=(2 ** 20, 1, 1), residual="1*2^-18",
                                           radius="1*2^-13", distance="1*2^-12"), 0, FIRST)
    case("correct", "entry-far", solution(distance="1*2^-2"), 0, FIRST)
    case("correct", "entry-turned", solution(left=("-1", "0"), right=("-1", "0"), inverse=("-1", "0")), 0, FIRST)
    case("correct", "square", square(), 0, SQUARE)
    case("correct", "square-turned", square(left=("3 4", "-4 3"), right=("3 4", "-4 3"), over=(25, 25, 1),
                                            inverse=("3 4", "-4 3")), 0, SQUARE)


def incorrect(case):
    def false(name, about=FIRST, **changes):
        case("incorrect", name, solution(**changes), 1, about)

    false("distance", distance="3*2^-16")
    false("distance-far", distance="1/3")
    for name, change in (("left", {"left": ("1", "1")}), ("left-scaled", {"left": ("2", "0")}),
                         ("right", {"right": ("1", "1")})):
        false(name, factors="5*2^-1", distance="1*2^-13", residual="1*2^-19", **change)
    false("inverse-entry", inverse=("0", "1"))
    false("inverse-long", inverse=("1", "1"))
    false("multiplier", multipliers=("over 2^1", "0 1 1"))
    false("multiplier-negative", about=FIRST, multipliers=("over 1", "0 1 -1"))
    false("constraint", multipliers=("over 1", "1 1 1"))
    false("more-constraints", multipliers=("over 2^20", "0 1 1048575", "1 1 1"))
    false("radius-small", radius="1*2^-20")
    false("radius-large", radius="1*2^-1", distance="1", residual="1*2^-40")
    false("residual-large", residual="1*2^-15")
    false("rows-large", rows="16384", slope="1048575*2^-20")
    for word, low in (("factors", "5*2^-2"), ("rows", "1023*2^-10"), ("length", "1023*2^-10")):
        false(f"{word}-small", **{word: low})
    false("residual-small", left=("1048577", "1"), over=(2 ** 20, 1, 1), residual="1*2^-21", radius="1*2^-13",
          distance="1*2^-12")
    for word in ("radius", "factors", "rows", "residual", "length", "least", "columns", "dual", "slope"):
        false(f"{word}-zero", **{word: "0"})
    for word, value in (("factors", "-3*2^-1"), ("rows", "-1"), ("residual", "-1*2^-20"),
                        ("length", "-1"), ("dual", "-1048577*2^-20"), ("slope", "-1*2^-1"), ("radius", "-1*2^-15")):
        false(f"{word}-negative", **{word: value})
    false("length-large", length="65536")
    false("margin-four", left=("2", "0"), right=("2", "0"), over=(1, 1, 2), factors="3", distance="1*2^-13")
    false("least-large", least="1025*2^-10")
    false("columns-large", columns="2049*2^-10")
    false("columns-small", columns="1*2^-30")
    false("dual-small", dual="1048575*2^-20")
    false("dual-large", dual="5*2^-2")
    false("dual-bits", dual="268435457*2^-28", bits=29)
    false("slope-small", slope="1*2^-12")
    false("slope-large", slope="17*2^-4")
    false("missed", about=MISSED, multipliers=("over 1", "1 1 1"))
    for name, about in (("twice", TWICE), ("touched", TOUCHED)):
        false(f"{name}-one-listed", about=about, multipliers=("over 1", "1 1 1"))
    false("twice-both-listed", about=TWICE, rows="3*2^-1", multipliers=("over 2^1", "0 1 1", "1 1 1"))
    false("touched-both-listed", about=TOUCHED, multipliers=("over 2^40", "0 1 1", "1 1 1099511627775"))
    false("steep", about=STEEP, left=("4", "3"), right=("1", "0"), inverse=("2", "0"), over=(10, 2, 1),
          multipliers=("over 100", "0 1 28", "1 1 -3"), rows="29", radius="1*2^-20",
          residual="1*2^-40", distance="1*2^-19", least="1*2^-8", length="2", columns="1*2^-2", factors="3*2^-2")
    # The matrices with 1 on the diagonal and t beside it, |t| <= 1.
    whole = {"left": WHOLE, "right": WHOLE, "inverse": WHOLE, "rank": 2, "multipliers": ("over 1", "0 1 1", "1 1 1")}
    false("several", about=UNIT, **whole, factors="2", rows="2", length="2", distance="1*2^-13")
    one = {name: ("1", "-1") for name in ("left", "right")}
    false("several-rank-one", about=UNIT, **one, inverse=("1", "-1"), over=(1, 1, 2), factors="2", rows="2",
          multipliers=("over 1", "0 1 1", "1 1 1"), least="1*2^-2",
          distance="1*2^-13", length="3*2^-2")
    case("incorrect", "square-rank-one", square(rank=1, left=("1", "0"), right=("1", "0"), inverse=("5", "0")), 1,
         SQUARE)
    case("incorrect", "square-sheared", square(left=("1 1", "0 1"), factors="1*2^-1", distance="1*2^-16"), 1, SQUARE)
    case("incorrect", "square-least", square(least="17/100"), 1, SQUARE)
    case("incorrect", "square-columns", square(columns="81/1000"), 1, SQUARE)
    case("incorrect", "square-multipliers", square(multipliers=("over 800", "0 1 25", "1 1 25", "2 1 15")), 1, SQUARE)
    case("incorrect", "square-unlisted", square(multipliers=("over 800", "0 1 25", "1 1 25")), 1, SQUARE)


def malformed(case):
    def bad(name, lines):
        case("malformed", name, lines, 2, FIRST)

    entry = solution()
    bad("l1", solution(norm="l1"))
    bad("rank-zero", solution(rank=0, left=("", ""), right=("", ""), inverse=("", "")))
    bad("rank-three", solution(rank=3, left=("1 0 0",) * 2, right=("1 0 0",) * 2, inverse=("1 0 0",) * 2))
    bad("rank-and-columns", [entry[0].replace("rank 1", "rank 2"), *entry[1:]])
    bad("few-bits", solution(bits=28))
    bad("many-bits", solution(bits=4097))
    bad("no-bits", [*entry[:-1], entry[-1].replace(" bits 40", "")])
    bad("no-distance", [entry[0].replace(" distance 1*2^-14", ""), *entry[1:]])
    bad("rows", solution(shape=(1, 2), left=("1",)))
    bad("no-inverse", entry[:7] + entry[10:])
    bad("turned-round", entry[:1] + entry[4:7] + entry[1:4] + entry[7:])
    bad("entry-missing", entry[:3] + entry[4:])
    bad("no-multipliers", entry[:10] + entry[12:])
    bad("multiplier-zero", solution(multipliers=("over 1", "0 1 0")))
    bad("no-constraint", solution(multipliers=("over 1", "0 0 1")))
    bad("one-line", [*entry[:-2], entry[-2] + " " + entry[-1]])
    bad("words-turned", [*entry[:-1], entry[-1].replace("lambda-min 1*2^-1 columns 1", "columns 1 lambda-min 1*2^-1")])
    bad("more-words", [*entry[:-1], entry[-1] + " 1"])
    bad("from", [entry[0].replace("nuclear rank", "nuclear from 1 rank"), *entry[1:]])


def write(corpus, recount):
    case = writer(corpus, recount, "norm-solution", FIRST)
    correct(case)
    incorrect(case)
    malformed(case)
