"""incorrect/: well-formed certificates whose evidence or claim is false (exit 1), and mix-ups (exit 4); beside them, in
malformed/, what has no meaning in this instance or problem (exit 2).
"""
import re

HEADER = "attest-certificate 1\nproducer hand 1\ninstance sha256 {hash}\nproblem 1\nsetting prompt\n" \
         "norm euclidean\nloss none\nselection {selection}\n"
FOLDERS = {"1": "incorrect", "2": "malformed"}


def infeasible(edited, claimed):
    edited("farkas-negative", "opposed", "^0 1 1$", "0 1 -1")
    edited("farkas-unbalanced", "opposed", "^0 1 1$", "0 1 2")
    edited("farkas-empty", "opposed", r"^vector farkas 2 over (.*)\n0 1 1\n1 1 1$", r"vector farkas 0 over \1")
    edited("farkas-all-negative", "opposed", r"^0 1 1\n1 1 1$", "0 1 -1\n1 1 -1")
    claimed("farkas-of-near-infeasible", "near-infeasible60", "2 0 0",
            "claim 1 infeasible problem 1\nvector farkas 2 over 1\n0 1 1\n1 1 1\n")
    claimed("farkas-of-extremely-near-infeasible", "near-infeasible200", "2 0 0",
            "claim 1 infeasible problem 1\nvector farkas 2 over 1\n0 1 1\n1 1 1\n")
    claimed("farkas-by-cancellation", "huge-integers", "2 0 0",
            "claim 1 infeasible problem 1\nvector farkas 2 over 1\n0 1 1\n1 1 1\n")


def optimal(edited, claimed):
    claimed("separator-too-short", "near-infeasible60", "2 0 0",
            "claim 1 feasible problem 1\nvector separator 2 over 1\n0 1 664613997892457936451903530140172287\n"
            "1 1 664613997892457936451903530140172287\n")
    claimed("separator-empty", "opposed", "2 0 0", "claim 1 feasible problem 1\nvector separator 0 over 1\n")
    claimed("separator-of-infeasible", "opposed", "2 0 0",
            "claim 1 feasible problem 1\nvector separator 1 over 1\n0 1 1\n")
    edited("optimal-norm", "zero-multiplier", "norm-squared 1$", "norm-squared 1/2")
    edited("optimal-norm-last-bit", "near-infeasible60", r"norm-squared 1\*2\^120",
           "norm-squared 1329227995784915872903807060280344577")
    claimed("optimal-scaled-up", "zero-multiplier", "1 0",
            "claim 1 optimal problem 1 norm-squared 4\nvector multipliers 1 over 1\n0 1 2\n")
    claimed("optimal-violated", "zero-multiplier", "1 0",
            "claim 1 optimal problem 1 norm-squared 1/2\nvector multipliers 1 over 2\n0 2 1\n")
    claimed("optimal-slack-multiplier", "slack-52", "1 0",
            "claim 1 optimal problem 1 norm-squared 1\nvector multipliers 1 over 1\n0 2 1\n")
    claimed("optimal-negative-multipliers", "dependent-positive", "1 0",
            "claim 1 optimal problem 1 norm-squared 1\nvector multipliers 3 over 1\n0 1 -1\n0 2 3\n0 3 -1\n")
    claimed("optimal-empty", "zero-multiplier", "1 0",
            "claim 1 optimal problem 1 norm-squared 0\nvector multipliers 0 over 1\n")


def support(edited):
    edited("support-missing", "zero-multiplier", r"size 2\n0 1\n0 2$", r"size 1\n0 1")
    edited("support-extra", "slack-52", r"size 1\n0 1$", r"size 2\n0 1\n0 2")
    edited("support-empty", "slack-52", r"size 1\n0 1$", r"size 0")
    edited("support-other", "slack-52", r"size 1\n0 1$", r"size 1\n0 2")


def strict(edited):
    claim = "claim 4 not-strictly-complementary problem 1 from 3 at 0 2\nvector direction 2 over 2\\^0\n0 1 -1\n0 2 1"
    edited("strict-by-citation", "zero-multiplier", claim,
           "claim 4 strictly-complementary problem 1 from 3\nevidence cited")
    edited("strict-incomplete-vector", "zero-multiplier", claim,
           "claim 4 strictly-complementary problem 1 from 3\nvector multipliers 1 over 1\n0 1 1")
    edited("strict-other-solution", "zero-multiplier", claim,
           "claim 4 strictly-complementary problem 1 from 3\nvector multipliers 2 over 2\n0 1 1\n0 2 1")
    edited("strict-zero-sum", "zero-multiplier", claim,
           "claim 4 strictly-complementary problem 1 from 3\nvector multipliers 2 over 1\n0 1 2\n0 2 -1")
    edited("not-strict-elsewhere", "zero-multiplier", "at 0 2$", "at 0 1")
    edited("not-strict-opposite-direction", "zero-multiplier", r"^0 1 -1\n0 2 1$", "0 1 1\n0 2 -1")
    edited("not-strict-along-solution", "zero-multiplier", r"^vector direction 2 over 2\^0\n0 1 -1\n0 2 1$",
           "vector direction 1 over 1\n0 1 1")
    edited("not-strict-outside-support", "slack-52",
           "^claim 4 strictly-complementary problem 1 from 3\nevidence cited$",
           "claim 4 not-strictly-complementary problem 1 from 3 at 0 2\nvector direction 2 over 1\n0 1 -1\n0 2 1")


def local(edited, claimed):
    edited("local-but-tied", "tie-c", "^claim (.) not-locally-optimal problem 1 from (.*) at .*$",
           r"claim \1 locally-optimal problem 1 from \2")
    edited("not-local-but-local", "slack-52", "^claim 5 locally-optimal problem 1 from 3$",
           "claim 5 not-locally-optimal problem 1 from 3 at 0 1")
    edited("not-local-outside-support", "slack-52", "^claim 5 locally-optimal problem 1 from 3$",
           "claim 5 not-locally-optimal problem 1 from 3 at 0 2")
    edited("local-by-exact-solution", "slack-52", "^claim 5 locally-optimal problem 1 from 3$",
           "claim 5 locally-optimal problem 1 from 2")
    edited("not-local-by-feasible", "slack-52", "^claim 5 locally-optimal problem 1 from 3$",
           "claim 5 not-locally-optimal problem 1 from 3")
    edited("global-but-tied", "tie-c", "^claim (.*) not-globally-optimal problem 1 at .*$",
           r"claim \1 globally-optimal problem 1")
    edited("not-global-by-lesser", "slack-52", "globally-optimal problem 1$", "not-globally-optimal problem 1 at 0 1")
    edited("not-global-by-itself", "slack-52", "globally-optimal problem 1$", "not-globally-optimal problem 1 at 0 0",
           codes="2")
    edited("not-global-by-none", "slack-52", "globally-optimal problem 1$", "not-globally-optimal problem 1 at 0 9",
           codes="2")
    edited("global-by-a-near-tie", "near-tie-other-c", "^claim (.*) not-globally-optimal problem 1 at .*$",
           r"claim \1 globally-optimal problem 1")
    claimed("tie-of-lesser-tokens", "zero-multiplier", "1 0", "claim 1 score-tie problem 1 group 0 tokens 1 2\n")
    claimed("tie-of-different-scores", "zero-multiplier", "1 0", "claim 1 score-tie problem 1 group 0 tokens 0 1\n")
    claimed("tie-with-itself", "zero-multiplier", "1 0", "claim 1 score-tie problem 1 group 0 tokens 0 0\n", "2")
    claimed("tie-beyond-group", "zero-multiplier", "1 0", "claim 1 score-tie problem 1 group 0 tokens 0 3\n", "2")
    claimed("tie-beyond-groups", "zero-multiplier", "1 0", "claim 1 score-tie problem 1 group 1 tokens 0 1\n", "2")


def rank(edited):
    edited("rank-too-large", "ragged-c", "equals 4$", "equals 5")
    edited("rank-too-small", "ragged-c", "equals 4$", "equals 3")
    edited("rank-no-lower", "zero-multiplier", "^lower .*$", "lower none")
    edited("rank-zero", "zero-multiplier", "equals 1$", "equals 0")
    edited("rank-composite-modulus", "zero-multiplier", "^lower modulus .*$", "lower modulus 2147483633")
    edited("rank-modulus-two", "zero-multiplier", "^lower modulus .*$", "lower modulus 2")
    edited("rank-modulus-one", "zero-multiplier", "^lower modulus .*$", "lower modulus 1")
    edited("rank-modulus-zero", "zero-multiplier", "^lower modulus .*$", "lower modulus 0")
    edited("rank-modulus-too-large", "zero-multiplier", "^lower modulus .*$", "lower modulus 999999999999999989")
    edited("rank-modulus-of-denominator", "rational70-c", "^lower modulus .*$", "lower modulus 3")
    edited("rank-repeated-column", "near-tie-c", r"columns 2 0 1$", "columns 2 0 0", form="lambda-min", codes="2")
    edited("rank-column-beyond", "near-tie-c", r"columns 2 0 1$", "columns 2 0 8", form="lambda-min", codes="2")
    edited("rank-fewer-columns", "near-tie-c", r"columns 2 0 1$", "columns 1 0", form="lambda-min")
    edited("rank-more-columns", "near-tie-c", r"columns 2 0 1$", "columns 1 0 1", form="lambda-min", codes="2")
    edited("rank-column-missing", "near-tie-c", r"columns 2 0 1$", "columns 3 0 1", form="lambda-min", codes="2")
    edited("rank-columns-swapped", "near-tie-c", r"columns 2 0 1$", "columns 2 1 0", form="lambda-min", codes="2")
    edited("rank-eigenvalue", "near-tie-c", r"^lower lambda-min \S+ ", "lower lambda-min 1*2^20 ", form="lambda-min")
    edited("rank-eigenvalue-negative", "near-tie-c", r"^lower lambda-min \S+ ", "lower lambda-min -1 ",
           form="lambda-min")
    edited("rank-eigenvalue-below-radius", "near-tie-c", r"^lower lambda-min \S+ ", "lower lambda-min 1*2^-400 ",
           form="lambda-min")
    edited("rank-upper-dimension", "standard-c", "^upper .*$", "upper left-dimension", form="lambda-min")


def smoothness(edited):
    edited("smoothness-negative", "zero-multiplier", "beta .*$", "beta -1")
    edited("smoothness-zero", "zero-multiplier", "beta .*$", "beta 0")
    edited("smoothness-just-below", "zero-multiplier", "beta .*$", "beta 4177*2^-15")
    edited("smoothness-exponential-below", "zero-multiplier", "beta .*$", "beta 1*2^-6", loss="exponential")
    edited("smoothness-without-loss", "zero-multiplier", "^loss logistic$", "loss none")


def gap_enclosures(edited):
    edited("gap-lower-too-high", "near-infeasible60", r"norm-squared 1\*2\^120 ",
           "norm-squared 1329227995784915872903807060280344577 ", form="gap")
    edited("gap-upper-too-low", "near-infeasible60", r" 1\*2\^120 distance", " 1*2^119 distance", form="gap")
    edited("gap-distance-negative", "near-infeasible60", "distance-squared 0$", "distance-squared -1", form="gap")
    edited("gap-distance-too-small", "ragged-c", "distance-squared .*$", "distance-squared 0", form="gap")
    edited("gap-primal-infeasible", "near-infeasible60", "^0 1 664613997892457936451903530140172288$",
           "0 1 664613997892457936451903530140172287", form="gap")
    edited("gap-dual-negative", "near-infeasible60", r"^(vector dual .*\n)0 1 ", r"\g<1>0 1 -", form="gap")
    edited("gap-local-undecided", "tie-c", "^claim 2 .*$", "claim 2 locally-optimal problem 1 from 1", form="gap")


def eigenvalue_enclosures(edited, claimed):
    edited("enclosure-radius-negative", "ragged-c", r"radius (\S+) multiplier", "radius -1 multiplier",
           form="lambda-min")
    edited("enclosure-radius-zero", "ragged-c", r"radius (\S+) multiplier", "radius 0 multiplier", form="lambda-min")
    edited("enclosure-multiplier-radius-negative", "ragged-c", r"multiplier-radius \S+", "multiplier-radius -1",
           form="lambda-min")
    edited("enclosure-multiplier-radius-zero", "ragged-c", r"multiplier-radius \S+", "multiplier-radius 0",
           form="lambda-min")
    edited("enclosure-multiplier-radius-huge", "ragged-c", r"multiplier-radius \S+", "multiplier-radius 1*2^20",
           form="lambda-min")
    edited("enclosure-eigenvalue-too-large", "ragged-c", r"^lambda-min \S+", "lambda-min 1*2^20", form="lambda-min")
    edited("enclosure-eigenvalue-zero", "ragged-c", r"^lambda-min \S+", "lambda-min 0", form="lambda-min")
    edited("enclosure-eigenvalue-negative", "ragged-c", r"^lambda-min \S+", "lambda-min -1", form="lambda-min")
    edited("enclosure-lower-too-high", "ragged-c", r"norm-squared \S+ ", "norm-squared 1*2^20 ", form="lambda-min")
    edited("enclosure-upper-too-low", "ragged-c", r"(norm-squared \S+) \S+ ", r"\1 1 ", form="lambda-min")
    edited("enclosure-support-missing", "near-infeasible60", r"multipliers 2 over 2\^0\n0 1 \d+\n",
           "multipliers 1 over 2^0\n", form="lambda-min")
    claimed("enclosure-of-nothing", "single-tokens-p", "3 0 0 0",
            "claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 0 0 radius 0 multiplier-radius 0\n"
            "lambda-min 1 bits 29\nvector multipliers 0 over 2^0\n")
    # A slack constraint listed, radii negative: every listed check of the evidence passes with careless signs.
    claimed("enclosure-negative-multiplier-behind-negative-radius", "slack-52", "1 0",
            "claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 0 1*2^60 radius 1*2^20 "
            "multiplier-radius -1*2^40\nlambda-min 1*2^-4 bits 29\nvector multipliers 1 over 1\n0 3 -1\n")


def problems(edited):
    edited("setting-of-another-kind", "ragged-c", "^setting cross-attention$", "setting self-attention")
    edited("selection-too-short", "opposed", "^selection 2 0 0$", "selection 1 0")
    edited("selection-too-long", "opposed", "^selection 2 0 0$", "selection 3 0 0 0")
    edited("selection-beyond-group", "opposed", "^selection 2 0 0$", "selection 2 0 2")
    edited("selection-of-another-problem", "zero-multiplier", "^selection 1 0$", "selection 1 1", codes="2")
    edited("support-from-feasible", "zero-multiplier", "support problem 1 from 2", "support problem 1 from 1")
    edited("rank-from-support", "zero-multiplier", "rank problem 1 from 2", "rank problem 1 from 3")
    edited("constraint-of-selected-token", "opposed", "^1 1 1$", "1 0 1", codes="2")
    edited("constraint-beyond-group", "opposed", "^1 1 1$", "1 2 1", codes="2")
    edited("constraint-beyond-groups", "opposed", "^1 1 1$", "2 1 1", codes="2")


def mixed_up(corpus, recount):
    """Claims of two problems, and certificates of other instances."""
    instance, certificate = corpus.base("zero-multiplier")
    second = re.search(r"^setting(.*\n)+?selection.*\n", certificate, re.M)[0]
    text = certificate.replace("claim 1 ", f"problem 2\n{second}claim 1 ", 1)
    text = text.replace("locally-optimal problem 1 from 3", "locally-optimal problem 2 from 3")
    corpus.case("incorrect", "citation-across-problems", instance, recount(text), "1", "zero-multiplier.json")
    other, _ = corpus.base("slack-52")
    corpus.case("incorrect", "another-instance", other, certificate, "4", "slack-52.json")
    relabelled = certificate.replace(re.search("sha256 (.*)", certificate)[1], "0" * 64)
    corpus.case("incorrect", "another-hash", instance, relabelled, "4", "zero-multiplier.json")


def write(corpus, edit, recount):
    def edited(name, family, pattern, replacement, form="exact", loss="logistic", codes="1", count=1):
        instance, certificate = corpus.base(family, form, loss)
        corpus.case(FOLDERS[codes], name, instance, edit(certificate, pattern, replacement, count), codes,
                    f"{family}.json")

    def claimed(name, family, selection, claims, codes="1"):
        """Claims of our own about a prompt family."""
        instance, certificate = corpus.base(family)
        digest = re.search("sha256 (.*)", certificate)[1]
        text = HEADER.format(hash=digest, selection=selection) + claims + "end\n"
        corpus.case(FOLDERS[codes], name, instance, recount(text), codes, f"{family}.json")

    infeasible(edited, claimed)
    optimal(edited, claimed)
    support(edited)
    strict(edited)
    local(edited, claimed)
    rank(edited)
    smoothness(edited)
    gap_enclosures(edited)
    eigenvalue_enclosures(edited, claimed)
    problems(edited)
    mixed_up(corpus, recount)
