"""Certificates about training of the factors of W = K Q', of the instance whose solution in every norm is the unit
matrix; tests/mutation/factored_truth.py says what holds."""
from mirror_claims import about, canonical
from mirror_forever_claims import WORSE
from mirror_forever_claims import about as about_other
from norm_claims import NUCLEAR, ONES, changed
from norm_path_claims import BEST
from separability_claims import writer

EUCLIDEAN = ["claim 1 optimal problem 1 norm-squared 2", *ONES]
BEFORE = EUCLIDEAN + changed(NUCLEAR, "claim 1 ", "claim 2 ")
# Ten normalised steps from factors that are not balanced.
RUN = ["claim 3 factored-run problem 1 rank 2 from 1 nuclear 2 steps 12", "optimizer ngd schedule constant step 1/10",
       "matrix left 2 2 over 2^1", "2 0", "1 2", "matrix right 2 2 over 2^2", "4 -1", "0 4", "checkpoints 2 bits 128",
       "checkpoint 0 left-norm 3/2 3/2 right-norm 1436/1000 1437/1000 norm 1436/1000 1437/1000 balance 1091/1000 "
       "1092/1000 loss-gap 929/10000 93/1000 unselected 268/1000 269/1000 one-minus-corr 152/10000 153/10000",
       "checkpoint 10 left-norm 2321/1000 2322/1000 right-norm 2344/1000 2345/1000 norm 3856/1000 3857/1000 balance "
       "1189/1000 119/100 loss-gap 1153/100000 1154/100000 unselected 73/1000 731/10000 one-minus-corr 186/10000 "
       "187/10000 nuclear-one-minus-corr 186/10000 187/10000"]
# One column, with another loss and schedule; nothing is said of a solution.
COLUMN = ["claim 1 factored-run problem 1 rank 1 steps 6", "optimizer gd schedule invsqrt step 1/2",
          "matrix left 2 1 over 2^1", "2", "1", "matrix right 2 1 over 2^2", "4", "-1", "checkpoints 2 bits 64",
          "checkpoint 0 left-norm 111803/100000 111804/100000 right-norm 103/100 104/100 norm 1152/1000 1153/1000 "
          "balance 187/1000 188/1000 loss-gap 27/100 271/1000 unselected 531/1000 532/1000",
          "checkpoint 6 left-norm 1294/1000 1295/1000 right-norm 1195/1000 1196/1000 norm 1548/1000 1549/1000 balance "
          "2468/10000 2469/10000 loss-gap 1237/10000 1238/10000 unselected 506/1000 507/1000"]
# Far enough for T22.
FAR = ["claim 3 factored-run problem 1 rank 2 from 1 nuclear 2 steps 4", "optimizer gd schedule constant step 1",
       "matrix left 2 2 over 2^1", "5 0", "0 6", "matrix right 2 2 over 2^1", "5 0", "0 6", "checkpoints 2 bits 128",
       "checkpoint 0 left-norm 39/10 391/100 right-norm 39/10 391/100 norm 1095/100 1096/100 balance -1 1 loss-gap "
       "16/100000 17/100000 unselected 19/10000 2/1000 one-minus-corr 1/100 2/100",
       "checkpoint 4 left-norm 39/10 391/100 right-norm 39/10 391/100 norm 1096/100 1097/100 balance 0 1/1000 loss-gap "
       "16/100000 17/100000 unselected 19/10000 2/1000 nuclear-one-minus-corr 1/100 2/100"]
LATER = ["claim 4 factored-forever problem 1 run 3 at 4 nuclear 2 share 4/5 margin 401/1000 growth 47/10 attention "
         "99/100 drift 1/2000"]
AT_0 = changed(changed(LATER, "at 4", "at 0"), " nuclear 2 share 4/5", "")


def correct(case):
    case("correct", "run", BEFORE + RUN, 0)
    case("correct", "alone", COLUMN, 0, about("exponential"))
    case("correct", "no-checkpoint", COLUMN[:-3] + ["checkpoints 0 bits 64"], 0)
    case("correct", "forever", BEFORE + FAR + LATER, 0)
    case("correct", "forever-at-0", BEFORE + FAR + AT_0, 0)


def incorrect(case):
    for name, old, new in (("left-low", "left-norm 2321/1000", "left-norm 2322/1000"),
                           ("left-high", "2321/1000 2322/1000", "2320/1000 2321/1000"),
                           ("right", "right-norm 2344/1000", "right-norm 2345/1000"),
                           ("norm", "norm 3856/1000 3857/1000", "norm 3857/1000 3858/1000"),
                           ("balance", "1189/1000 119/100", "119/100 12/10"),
                           ("loss-gap", "1153/100000 1154/100000", "1154/100000 1155/100000"),
                           ("unselected", "73/1000 731/10000", "731/10000 74/1000"),
                           ("corr", "one-minus-corr 152/10000 153/10000", "one-minus-corr 153/10000 16/1000"),
                           ("nuclear-corr", "nuclear-one-minus-corr 186/10000", "nuclear-one-minus-corr 187/10000"),
                           ("rule", "optimizer ngd", "optimizer gd"), ("schedule", "constant", "inverse"),
                           ("step", "step 1/10", "step 1/9"), ("start", "1 2", "1 3"), ("right-start", "4 -1", "4 1"),
                           ("uncited", " from 1", ""), ("nuclear-uncited", " nuclear 2", ""),
                           ("from-nuclear", "from 1", "from 2"), ("nuclear-euclidean", "nuclear 2 ", "nuclear 1 ")):
        case("incorrect", name, BEFORE + changed(RUN, old, new), 1)
    case("incorrect", "not-nuclear", EUCLIDEAN + ["claim 2 norm-optimum problem 1 norm l1 value 2 2",
                                                  "matrix primal 2 2 over 1", "1 0", "0 1", *ONES, "dual-norm 1"]
         + RUN, 1)
    case("incorrect", "of-a-run", COLUMN + changed(changed(RUN, "claim 3", "claim 2"), "nuclear 2 ", "nuclear 1 "), 1)
    case("incorrect", "without-a-loss", BEFORE + RUN, 1, BEST)
    case("incorrect", "other-loss", COLUMN, 1)
    # Both gradients are 0 at the saddle, and a normalised step is not defined.
    still = ["0 0" if line[0] in "0124" else line for line in RUN]
    case("incorrect", "saddle", BEFORE + changed(still[:-2], "checkpoints 2", "checkpoints 1")
         + ["checkpoint 1 left-norm 0 9 right-norm 0 9 norm 0 9 balance 0 9 loss-gap 0 1 unselected 0 1"], 1)
    for name, old, new in (("margin", "margin 401/1000", "margin 402/1000"), ("growth", "growth 47/10", "growth 48/10"),
                           ("attention", "attention 99/100", "attention 999/1000"), ("drift", "1/2000", "1/100000"),
                           ("share", "share 4/5", "share 81/100"), ("step", "at 4", "at 3"), ("run", "run 3", "run 2"),
                           ("nuclear", "nuclear 2", "nuclear 1")):
        case("incorrect", f"forever-{name}", BEFORE + FAR + changed(LATER, old, new), 1)
    start = changed(changed(FAR[:-1], "checkpoints 2", "checkpoints 1"), "steps 4", "steps 0")
    case("incorrect", "forever-normalised", BEFORE + changed(start, "optimizer gd", "optimizer ngd") + AT_0, 1)
    case("incorrect", "forever-long-steps", BEFORE + changed(start, "step 1", "step 100") + AT_0, 1)
    case("incorrect", "forever-schedule", BEFORE + changed(start, "constant", "inverse") + AT_0, 1)
    early = changed(changed(RUN, "optimizer ngd", "optimizer gd")[:-1], "checkpoints 2", "checkpoints 1")
    case("incorrect", "forever-early", BEFORE + early + changed(AT_0, "margin 401/1000", "margin 1/1000"), 1)
    # The third group's other token is better.
    worse = ["claim 1 factored-run problem 1 rank 2 steps 0", *start[1:9],
             "checkpoint 0 left-norm 3 4 right-norm 3 4 norm 10 11 balance 0 0 loss-gap 0 1 unselected 0 1"]
    case("incorrect", "forever-worse-token", worse + changed(changed(AT_0, "claim 4", "claim 2"), "run 3", "run 1"), 1,
         about_other(WORSE, "logistic"))


def malformed(case):
    for name, old, new in (("few-bits", "bits 128", "bits 63"), ("many-bits", "bits 128", "bits 65537"),
                           ("after-the-end", "steps 12", "steps 9"), ("order", "checkpoint 10", "checkpoint 0"),
                           ("optimizer", "ngd", "nmd"), ("step", "step 1/10", "step 0"), ("rank", "rank 2", "rank 0"),
                           ("many-columns", "rank 2", "rank 4097"), ("columns", "rank 2", "rank 1"),
                           ("shape", "left 2 2", "left 2 1"), ("over", "over 2^2", "over 0"),
                           ("of-itself", "from 1", "from 3"),
                           ("more-words", "nuclear-one-minus-corr 186/10000", "nuclear-one-minus-corr 0 186/10000"),
                           ("fewer", "checkpoints 2", "checkpoints 3")):
        case("malformed", name, BEFORE + changed(RUN, old, new), 2)
    for name, old, new in (("growth", "growth 47/10", "growth 0"), ("margin", "margin 401/1000", "margin -1"),
                           ("of-itself", "run 3", "run 4"), ("share", " share 4/5", "")):
        case("malformed", f"forever-{name}", BEFORE + FAR + changed(LATER, old, new), 2)


def write(corpus, recount):
    plain = writer(corpus, recount, "norm-factored", about("logistic"))

    def case(folder, name, claims, codes, *where):
        plain(folder, name, [canonical(line) for line in claims], codes, *where)
    correct(case)
    incorrect(case)
    malformed(case)
