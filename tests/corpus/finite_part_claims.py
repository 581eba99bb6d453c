"""Certificates about the finite part of selected sets: true in correct/, false in incorrect/, out of the grammar in
malformed/. tests/mutation/rows_mutations.py finds the finite part of each from the instance."""
from rows_claims import OF_SETS, OTHER, PLANE, RELAXED, SETS, changed, problem
from separability_claims import Instance

# m_(0,1)(W) = 2 W_2 = log 3: W_fin = (0, log(3)/2), of squared norm 0.30174.
RATIO = ["ratios 1 bits 64", "0 1 3"]
SPANNING = ["spanning 2 bits 29 1", "0 1"]
VALUES = ["vector coefficients 1 over 1000", "0 1 275"]
ONE = ["claim 1 finite-part problem 1 norm-squared 3/10 31/100 radius 1/100", *RATIO, *SPANNING, *VALUES, "bases 0"]
# m_(0,1)(W) = -W, m_(0,2)(W) = -3 W: the second ratio is the cube of the first.
CHAIN = Instance("rows-chain", "prompt", [0], [[[2], [2], [1], [0]]], [1], K=[[[0], [1], [3], [-1]]])
OF_CHAIN = problem(1, "selected-sets 1 0,1,2")
CUBE = ["vector combination 2 over 1", "0 1 -3", "0 2 1"]
TWO = ["claim 1 finite-part problem 1 norm-squared 2/5 1/2 radius 1/100", "ratios 2 bits 64", "0 1 2", "0 2 8",
       "spanning 1*2^-1 bits 29 1", "0 1", "vector coefficients 1 over 1000", "0 1 693", "bases 1 2", *CUBE]
EQUAL = [TWO[0].replace("2/5 1/2", "0 1*2^-10"), TWO[1], "0 1 1", "0 2 1", *TWO[4:6], "vector coefficients 0 over 1",
         "bases 0", *CUBE]
NONE = ["claim 1 no-finite-part problem 1", "ratios 2 bits 64", "0 1 2", "0 2 9", *CUBE]
# m_(0,1), m_(0,2) and m_(1,1) are <(1,0), W>, <(0,1), W> and <(1,1), W>.
CROSS = Instance("rows-cross", "prompt", [0, 0], [[[2], [2], [2]], [[1], [1]]], [1],
                 K=[[[0, 0], [-1, 0], [0, -1]], [[1, 1], [0, 0]]])
OF_CROSS = problem(1, "selected-sets 2 0,1,2 0,1")
SUM = ["vector combination 3 over 1", "0 1 1", "0 2 1", "1 1 -1"]
THREE = ["claim 1 finite-part problem 1 norm-squared 12/5 5/2 radius 1/100", "ratios 3 bits 128", "0 1 9/2", "0 2 2/3",
         "1 1 3", "spanning 1*2^-1 bits 64 2", "0 1", "0 2", "vector coefficients 2 over 1000", "0 1 1504", "0 2 -405",
         "bases 2 2 3", *SUM]


def correct(case):
    case("one", OF_SETS + ONE, SETS)
    case("one-beside-solution", OF_SETS + [
        "claim 1 optimal problem 1 norm-squared 1", "vector multipliers 2 over 2", "0 1 -1", "0 2 2",
        ONE[0].replace("claim 1", "claim 2"), *ONE[1:]], SETS)
    case("equal-shares", OF_SETS + [
        "claim 1 finite-part problem 1 norm-squared 0 0 radius 0", "ratios 1 bits 64", "0 1 1", *SPANNING,
        "vector coefficients 0 over 1", "bases 0"], SETS)
    case("of-infeasible-sets", problem(1, "selected-sets 2 0,2 1") + [
        "claim 1 finite-part problem 1 norm-squared 6/25 13/50 radius 1/100", "ratios 1 bits 4096", "0 2 1*2^-1",
        "spanning 3/2 bits 4096 1", "0 2", "vector coefficients 1 over 1000", "0 2 -347", "bases 0"], OTHER)
    case("dependent", OF_CHAIN + TWO, CHAIN)
    case("other-bases", OF_CHAIN + changed(TWO, "bases 1 2", "bases 3 3 2 5"), CHAIN)
    case("powers-of-one", OF_CHAIN + EQUAL, CHAIN)
    case("dependent-groups", OF_CROSS + THREE, CROSS)
    case("none", OF_CHAIN + NONE, CHAIN)
    case("none-other-scale", OF_CHAIN + NONE[:4] + ["vector combination 2 over 5", "0 1 6", "0 2 -2"], CHAIN)
    case("none-of-groups", OF_CROSS + ["claim 1 no-finite-part problem 1", "ratios 3 bits 64", "0 1 9/2", "0 2 2/3",
                                       "1 1 5/2", *SUM], CROSS)


def incorrect(case):
    case("low", OF_SETS + changed(ONE, "3/10", "303/1000"), SETS)
    case("high", OF_SETS + changed(ONE, "31/100", "1509/5000"), SETS)
    case("radius", OF_SETS + changed(ONE, "radius 1/100", "radius 1/2000"), SETS)
    case("radius-negative", OF_SETS + changed(ONE, "radius 1/100", "radius -1/100"), SETS)
    case("ratio", OF_SETS + changed(ONE, "0 1 3", "0 1 4"), SETS)
    case("ratio-zero", OF_SETS + changed(ONE, "0 1 3", "0 1 0"), SETS)
    case("ratio-negative", OF_SETS + changed(ONE, "0 1 3", "0 1 -3"), SETS)
    case("ratio-missing", OF_CHAIN + [TWO[0], "ratios 1 bits 64", "0 1 2", *TWO[4:8], "bases 0"], CHAIN)
    case("ratio-outside", OF_SETS + [ONE[0], "ratios 2 bits 64", "0 1 3", "0 2 1", *SPANNING, *VALUES, "bases 0",
                                     "vector combination 1 over 1", "0 2 1"], SETS)
    case("no-ratios", RELAXED + ["claim 1 finite-part problem 1 norm-squared 0 0 radius 0", "ratios 0 bits 64",
                                 "spanning 1 bits 29 0", "vector coefficients 0 over 1", "bases 0"], PLANE)
    case("spanning-outside", OF_SETS + [ONE[0], *RATIO, "spanning 1 bits 29 1", "0 2", *VALUES, "bases 0"], SETS)
    case("eigenvalue", OF_SETS + changed(ONE, "spanning 2", "spanning 5"), SETS)
    case("eigenvalue-zero", OF_SETS + changed(ONE, "spanning 2", "spanning 0"), SETS)
    case("coefficient-outside", OF_SETS + changed(ONE, "0 1 275", "0 2 275"), SETS)
    case("coefficient-dependent", OF_CHAIN + changed(TWO, "0 1 693", "0 2 231"), CHAIN)
    case("combination-open", OF_CHAIN + changed(TWO, "0 1 -3", "0 1 -2"), CHAIN)
    case("combination-not-vanishing", OF_CHAIN + changed(EQUAL, "0 1 -3", "0 1 -2"), CHAIN)
    case("combination-other", OF_CHAIN + TWO[:-3] + ["vector combination 3 over 1", *CUBE[1:], "0 3 1"], CHAIN)
    case("combination-of-another", OF_CROSS + THREE[:-4] + ["vector combination 2 over 1", "0 1 1", "0 2 1"], CROSS)
    case("combination-empty", OF_CHAIN + TWO[:-3] + ["vector combination 0 over 1"], CHAIN)
    case("inconsistent", OF_CHAIN + changed(changed(TWO, "0 2 8", "0 2 9"), "bases 1 2", "bases 2 2 3"), CHAIN)
    case("inconsistent-one-base", OF_CHAIN + changed(TWO, "0 2 8", "0 2 9"), CHAIN)
    case("base-one", OF_CHAIN + changed(TWO, "bases 1 2", "bases 2 1 2"), CHAIN)
    case("base-negative", OF_CHAIN + changed(TWO, "bases 1 2", "bases 1 -2"), CHAIN)
    case("bases-apart", OF_CHAIN + changed(TWO, "bases 1 2", "bases 2 8 2"), CHAIN)
    case("bases-none", OF_CHAIN + changed(TWO, "bases 1 2", "bases 0"), CHAIN)
    case("none-consistent", OF_CHAIN + changed(NONE, "0 2 9", "0 2 8"), CHAIN)
    case("none-open", OF_CHAIN + changed(NONE, "0 1 -3", "0 1 -2"), CHAIN)
    case("none-empty", OF_CHAIN + NONE[:4] + ["vector combination 0 over 1"], CHAIN)
    case("none-ratio-zero", OF_CHAIN + changed(NONE, "0 2 9", "0 2 0"), CHAIN)
    case("none-ratio-missing", OF_CHAIN + [NONE[0], "ratios 1 bits 64", "0 1 2", *CUBE], CHAIN)
    # (0,3) is asked to be 1 or more: 3 (0,3) + (0,2) vanishes as well.
    case("none-outside", OF_CHAIN + NONE[:4] + ["vector combination 2 over 1", "0 2 1", "0 3 3"], CHAIN)


def malformed(case):
    case("bits", OF_SETS + changed(ONE, "bits 64", "bits 63"), SETS)
    case("bits-many", OF_SETS + changed(ONE, "bits 64", "bits 4097"), SETS)
    case("spanning-bits", OF_SETS + changed(ONE, "bits 29", "bits 28"), SETS)
    case("ratios-order", OF_CHAIN + NONE[:2] + [NONE[3], NONE[2], *CUBE], CHAIN)
    case("ratios-twice", OF_CHAIN + NONE[:3] + [NONE[2], *CUBE], CHAIN)
    case("ratios-count", OF_CHAIN + changed(NONE, "ratios 2", "ratios 1"), CHAIN)
    case("ratio-place", OF_SETS + changed(ONE, "0 1 3", "0 0 3"), SETS)
    case("more-spanning", OF_CHAIN + [TWO[0], "ratios 1 bits 64", "0 1 2", "spanning 1 bits 29 2", "0 1", "0 2",
                                      *TWO[6:8], "bases 0"], CHAIN)
    case("combination-missing", OF_CHAIN + TWO[:-3], CHAIN)
    case("combination-more", OF_SETS + ONE + ["vector combination 1 over 1", "0 1 1"], SETS)
    case("bases-fewer", OF_CHAIN + changed(TWO, "bases 1 2", "bases 2 2"), CHAIN)
    case("bases-more", OF_CHAIN + changed(TWO, "bases 1 2", "bases 1 2 3"), CHAIN)
    case("base-fraction", OF_CHAIN + changed(TWO, "bases 1 2", "bases 1 3/2"), CHAIN)
    case("words", OF_SETS + changed(ONE, "radius 1/100", "radius 1/100 1"), SETS)


# A query of zeros: m_(0,1) vanishes. No eigenvalue is stated of no constraints.
ZERO = Instance("finite-zero-query", "cross-attention", [0], [[[1], [0]]], [1], z=[[0]])
OF_ZERO = ["problem 1", "setting cross-attention", "norm euclidean", "loss none", "selected-sets 1 0,1",
           "claim 1 finite-part problem 1 norm-squared 0 0 radius 0", "ratios 1 bits 64", "0 1 1",
           "spanning 1 bits 29 0", "vector coefficients 0 over 1", "bases 0", "vector combination 1 over 1", "0 1 1"]


def write(corpus, recount):
    def writer(folder, code):
        def case(name, lines, about):
            header = about.header.split("problem 1\n")[0]
            corpus.case(folder, f"rows-finite-{name}", about.text, recount(header + "\n".join(lines) + "\nend\n"), code,
                        about.name)
        return case
    correct(writer("correct", 0))
    incorrect(writer("incorrect", 1))
    malformed(writer("malformed", 2))
    header = ZERO.header.split("problem 1\n")[0]
    corpus.case("incorrect", "finite-without-spanning", ZERO.text, recount(header + "\n".join(OF_ZERO) + "\nend\n"), 1,
                ZERO.name)
