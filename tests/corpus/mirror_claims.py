"""Certificates about runs of mirror descent, of the instance whose solution in every norm is the unit matrix;
tests/mutation/mirror_truth.py says what holds."""
from fractions import Fraction

from norm_claims import CUBIC, SEVEN, changed, optimum
from norm_path_claims import BEST
from separability_claims import Instance, writer

# Ten steps from 0, normalised, with P = 7/4.
RUN = ["claim 2 mirror-run problem 1 norm l7/4 from 1 steps 12", "optimizer nmd schedule constant step 1/10",
       "start zero", "checkpoints 2 bits 128",
       "checkpoint 0 norm 0 0 dual-norm 0 0 loss-gap 209/1000 21/100 unselected 499/1000 501/1000",
       "checkpoint 10 norm 982/1000 983/1000 dual-norm 987/1000 988/1000 loss-gap 906/10000 907/10000 unselected "
       "4577/10000 4578/10000 along 64/100 3*2^-2 bregman 6/25 9/25 one-minus-corr 6/25 11/25"]
# Six steps from another point with P = 3, nothing said of the solution.
START = "start 4 1*2^-1 -1*2^-2 0 1"
PLAIN = ["claim 1 mirror-run problem 1 norm l3 steps 6", "optimizer md schedule invsqrt step 1*2^-1", START,
         "checkpoints 2 bits 64",
         "checkpoint 0 norm 1044/1000 1045/1000 dual-norm 1091/1000 1092/1000 loss-gap 191/1000 192/1000 unselected "
         "377/1000 378/1000",
         "checkpoint 6 norm 1155/1000 1156/1000 dual-norm 1334/1000 1335/1000 loss-gap 99/1000 100/1000 unselected "
         "333/1000 334/1000"]


# T13's inequality at all steps from the first on.
COMPARED = [RUN[0] + " inequality 5/4 since 1", *RUN[1:]]


def about(loss):
    named = Instance.__new__(Instance)
    named.name, named.text = BEST.name, BEST.text
    named.header = BEST.header.replace("loss none", f"loss {loss}")
    return named


def canonical(line):
    """Fractions in lowest terms, those whose denominators are powers of two as m*2^e."""
    def word(text):
        if "/" not in text or "^" in text or not text.replace("/", "").lstrip("-").isdigit():
            return text
        x = Fraction(text)
        low = x.denominator
        if low & (low - 1) == 0 and low > 1:
            return f"{x.numerator}*2^-{low.bit_length() - 1}"
        return str(x)
    return " ".join(word(text) for text in line.split(" "))


def correct(case):
    case("correct", "l7-4", SEVEN + RUN, 0)
    case("correct", "inequality", SEVEN + COMPARED, 0)
    case("correct", "alone", PLAIN, 0, about("exponential"))
    case("correct", "no-checkpoint", PLAIN[:3] + ["checkpoints 0 bits 64"], 0)


def incorrect(case):
    for name, old, new in (("norm-low", "norm 982/1000", "norm 983/1000"), ("norm-high", " 983/1000", " 982/1000"),
                           ("dual-norm", "dual-norm 987/1000", "dual-norm 988/1000"),
                           ("loss-gap", "906/10000 907/10000", "907/10000 908/10000"),
                           ("unselected", "4577/10000", "4578/10000"), ("along", "64/100 3*2^-2", "69/100 3*2^-2"),
                           ("bregman", "6/25 9/25", "6/25 3/10"), ("corr", "6/25 11/25", "33/100 11/25"),
                           ("rule", "nmd", "md"), ("schedule", "constant", "inverse"),
                           ("root", "constant", "invsqrt"), ("step", "1/10", "1/9"),
                           ("start", "start zero", "start 4 1 0 0 1"), ("uncited", " from 1", ""),
                           ("norm-cited", "norm l7/4", "norm l3"),
                           ("at-zero", "499/1000 501/1000", "499/1000 501/1000 bregman 0 2")):
        case("incorrect", name, SEVEN + changed(RUN, old, new), 1)
    for name, old, new in (("constant", "inequality 5/4", "inequality 1*2^-10"),
                           ("negative", "inequality 5/4", "inequality -1"),
                           ("from-zero", "since 1", "since 0"), ("nothing-compared", "since 1", "since 10"),
                           ("inequality-uncited", " from 1 steps", " steps")):
        case("incorrect", name, SEVEN + changed(COMPARED, old, new), 1)
    case("incorrect", "without-distance", changed(SEVEN, " distance 1/25", "") + RUN, 1)
    case("incorrect", "of-a-run", PLAIN + RUN, 1, about("exponential"))
    case("incorrect", "cubic", CUBIC + changed(RUN, "norm l7/4", "norm l3"), 1)
    # What the solution may be is near 0, and so is no direction.
    case("incorrect", "far", optimum("l7/4 value 0 743/500 distance 4", dual="26919/20000 bits 64") + RUN, 1)
    case("incorrect", "without-a-loss", SEVEN + RUN, 1, BEST)
    case("incorrect", "other-loss", PLAIN, 1)


def malformed(case):
    for name, old, new in (("inequality", "inequality 5/4", "inequality"), ("since", " since 1", ""),
                           ("since-what", "since 1", "since -1")):
        case("malformed", name, SEVEN + changed(COMPARED, old, new), 2)
    for name, old, new in (("l1", "norm l7/4", "norm l1"), ("nuclear", "norm l7/4", "norm nuclear"),
                           ("few-bits", "bits 128", "bits 63"), ("many-bits", "bits 128", "bits 65537"),
                           ("after-the-end", "steps 12", "steps 9"), ("order", "checkpoint 10", "checkpoint 0"),
                           ("optimizer", "nmd", "ngd"), ("step", "step 1/10", "step 0"),
                           ("start", "start zero", "start 3 1 0 1"), ("of-itself", "from 1", "from 2"),
                           ("more-words", "11/25", "11/25 1"), ("fewer", "checkpoints 2", "checkpoints 3")):
        case("malformed", name, SEVEN + changed(RUN, old, new), 2)


def write(corpus, recount):
    plain = writer(corpus, recount, "norm-mirror", about("logistic"))

    def case(folder, name, claims, codes, *where):
        plain(folder, name, [canonical(line) for line in claims], codes, *where)
    correct(case)
    incorrect(case)
    malformed(case)
