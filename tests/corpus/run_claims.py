"""Certificates of a short run with its path inequality: true in correct/, false in incorrect/, out of the grammar
in malformed/."""
import pathlib
import re

RUN = """claim {run} run problem 1 from {optimal} steps 4
optimizer ngd schedule constant step 1*2^-2 fraction-bits 64
start zero
checkpoints 1
at 4 norm 0 1 along 1*2^-2 1 one-minus-corr 0 1 loss-gap 0 64 gradient 0 64 unselected 0 1
loss-decreases-until 0
rates 0
claim {path} path-inequality problem 1 run {run} from 0 until 4 constant 1
"""


def write(corpus, edit, recount):
    instance, certificate = corpus.base("one-group-s")
    optimal = int(re.search("^claim (.*) optimal", certificate, re.M)[1])
    last = len(re.findall("^claim ", certificate, re.M))
    claims = RUN.format(run=last + 1, path=last + 2, optimal=optimal)
    good = recount(re.sub("^end", claims + "end", certificate, flags=re.M))
    corpus.case("correct", "path-inequality", instance, good, 0, "one-group-s.json")

    def case(folder, name, claim, codes):
        text = edit(good, "path-inequality problem 1 .*", f"path-inequality problem 1 {claim}")
        corpus.case(folder, f"path-{name}", instance, text, codes, "one-group-s.json")

    run = f"run {last + 1}"
    case("correct", "one-step", f"{run} from 3 until 4 constant 1", 0)
    case("incorrect", "constant", f"{run} from 0 until 4 constant -8", 1)
    case("incorrect", "beyond-the-run", f"{run} from 0 until 5 constant 1", 1)
    case("incorrect", "after-the-run", f"{run} from 4 until 5 constant 1", 1)
    case("incorrect", "far-beyond-the-run", f"{run} from 0 until 999999999999999999 constant 1", 1)
    case("incorrect", "of-no-run", f"run {optimal} from 0 until 4 constant 1", 1)
    case("malformed", "of-itself", f"run {last + 2} from 0 until 4 constant 1", 2)
    case("malformed", "of-claim-0", "run 0 from 0 until 4 constant 1", 2)
    case("malformed", "without-steps", f"{run} from 4 until 4 constant 1", 2)
    case("malformed", "backwards", f"{run} from 4 until 0 constant 1", 2)
    case("malformed", "without-constant", f"{run} from 0 until 4 constant", 2)
    case("malformed", "constant-in-decimals", f"{run} from 0 until 4 constant 0.5", 2)
    case("malformed", "from-a-solution", f"from {optimal} {run} from 0 until 4 constant 1", 2)

    long_runs(corpus, edit, recount)


def long_runs(corpus, edit, recount):
    """A run whose bands hold for the exponential loss alone, with a path inequality and a claim about later steps."""
    seeds = pathlib.Path(__file__).resolve().parent.parent / "fuzz" / "seeds"
    instance, good = (seeds / "pair.json").read_text(), (seeds / "pair-exp.attest").read_text()

    def case(folder, name, text, codes, message=""):
        corpus.case(folder, name, instance, text, codes, "run-exponential.json", message=message)

    case("correct", "run-exponential", good, 0)
    case("incorrect", "run-of-another-loss", edit(good, "^loss exponential", "loss logistic"), 1)
    case("incorrect", "run-without-a-loss", edit(good, "^loss exponential", "loss none"), 1)
    case("incorrect", "forever-no-checkpoint", edit(good, "run 6 at 1 ", "run 6 at 3 "), 1,
         "step 3 is not a checkpoint of the run")
    # The same problem again, with its solution, and a citation of the first one's run.
    beginning = good[good.index("problem 1"):good.index("claim 2 ")]  # the problem and its solution
    again = beginning.replace("claim 1 ", "claim 8 ").replace("problem 1", "problem 2")
    text = good.replace("claim 8 ", again + "claim 9 ").replace("forever-from-run problem 1 from 1 ",
                                                                "forever-from-run problem 2 from 8 ")
    case("incorrect", "forever-of-another-problem", recount(text), 1, "claim 6 is about another problem")
    case("malformed", "problem-number-two", edit(good, "^problem 1$", "problem 2"), 2)
    for name, step in (("zero", "0"), ("negative", "-1")):
        case("malformed", f"run-step-{name}", edit(good, "schedule invsqrt step 1 ", f"schedule invsqrt step {step} "),
             2)
    # Fewer bits from a step on: hints, however few they are.
    def widths(folder, name, words, codes, of=good):
        case(folder, f"run-{name}", edit(of, "fraction-bits 160", f"fraction-bits 160 {words}"), codes)

    widths("correct", "narrower", "then 2 120 then 7 40", 0)
    widths("correct", "far-too-narrow", "then 1 0", 0)
    widths("incorrect", "narrower", "then 2 120", 1, edit(good, "^at 12 norm [^ ]* [^ ]*", "at 12 norm 1 2"))
    for name, words in (("at-0", "then 0 120"), ("beyond", "then 13 120"), ("twice", "then 2 120 then 2 100"),
                        ("backwards", "then 7 120 then 2 100"), ("wider", "then 2 160"), ("without-bits", "then 2"),
                        ("without-then", "2 120")):
        widths("malformed", f"narrower-{name}", words, 2)
