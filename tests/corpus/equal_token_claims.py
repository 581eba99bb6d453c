"""Certificates about instances with equal tokens: true ones with runs in correct/; in incorrect/ and malformed/ those
that speak of tokens another one stands for, or forget how often tokens stand there."""
import hashlib
import re

import run_claims


def write(corpus, edit, recount):
    # Two tokens, the first twice, counts 2, 1 and 3: the run goes along the direction.
    instance, certificate = corpus.base("counted-plane")
    optimal = int(re.search("^claim (.*) optimal", certificate, re.M)[1])
    last = len(re.findall("^claim ", certificate, re.M))
    claims = run_claims.RUN.format(run=last + 1, path=last + 2, optimal=optimal)
    claims = claims.replace("norm 0 1 along 1*2^-2 1", "norm 0 2 along 1*2^-2 2")  # W_4 = u
    good = recount(re.sub("^end", claims + "end", certificate, flags=re.M))
    corpus.case("correct", "equal-tokens-run", instance, good, 0, "counted-plane.json")

    def case(folder, name, pattern, replacement, codes, count=1):
        corpus.case(folder, f"equal-tokens-{name}", instance, edit(good, pattern, replacement, count), codes,
                    "counted-plane.json")

    case("incorrect", "selected-other", "^selection 1 0", "selection 1 2", "1")
    case("malformed", "constraint", r"^0 1 (.*)$", r"0 2 \1", "2")

    # What of a run the counts change: the loss gap at its start, half the distance with one as often as the other.
    start = "at 0 norm 0 1 along -1 1 one-minus-corr none loss-gap {} gradient 0 64 unselected {}"
    with_start = recount(re.sub("^checkpoints 1", "checkpoints 2\n" + start.format("{0}", "{1}"), good, flags=re.M))
    for folder, name, gap, rest, codes in (
            ("correct", "attention", "0 64", "1*2^-4 3*2^-4", 0),      # 1/6 of the attention is on the other token
            ("incorrect", "attention-uncounted", "0 64", "1*2^-2 1", 1)):  # 1/3, were every token there once
        corpus.case(folder, f"equal-tokens-{name}", instance, with_start.format(gap, rest), codes, "counted-plane.json")
    # Without what speaks of attention, and with one coordinate changed, so that no tokens are equal: a row more.
    margins = recount(re.sub("^claim 8 smoothness(.|\n)*^end", "end", good, flags=re.M))
    corpus.case("correct", "equal-tokens-margins", instance, margins, 0, "counted-plane.json")
    changed = margins.replace(re.search("sha256 (.*)", margins)[1],
                              "00d00b6c53e4262d8353a4ca6513d27538957307e4482ad288500b63828d80e5")
    corpus.case("incorrect", "equal-tokens-changed", instance.replace("[0,1],[1,0]", "[0,1],[1,1]"), changed, 1)

    # The same tokens without their counts are another instance.
    corpus.case("incorrect", "equal-tokens-without-counts", edit_counts(instance), good, 4)
    given_scores(corpus)


def given_scores(corpus):
    """Two equal tokens with scores 5 and -5: the class scores 0, less than the third token."""
    instance = '{"X": [[[1, 0], [1, 0], [0, 1]]], "scores": [[5, -5, 1]], "z": [[1]]}\n'
    canonical = ["attest-instance 1", "setting cross-attention", "groups 1", "tokens 3", "dimension 2",
                 "factor-dimension 1", "X", "1 0", "1 0", "0 1", "scores", "5 -5 1", "z", "1", ""]
    for folder, name, claim, code in (("correct", "mean-score", "not-globally-optimal problem 1 at 0 2", 0),
                                      ("incorrect", "first-score", "globally-optimal problem 1", 1)):
        lines = ["attest-certificate 1", "producer corpus 1",
                 "instance sha256 " + hashlib.sha256("\n".join(canonical).encode()).hexdigest(),
                 "problem 1", "setting cross-attention", "norm euclidean", "loss none", "selection 1 0",
                 f"claim 1 {claim}", "end problems 1 claims 1 lines 10", ""]
        corpus.case(folder, f"equal-tokens-{name}", instance, "\n".join(lines), code, "equal-tokens-given-scores.json")


def edit_counts(instance):
    return re.sub(r',\n"counts": \[[0-9,]*\]', "", instance)
