"""Certificates about instances with offsets: what depends on margins and scores is as without; equal tokens with
different offsets are one where their scores are equal, and exit 5 where they differ. Runs see them: one number added
to all logits of a group changes nothing, 50 added to one logit changes the attention at the start."""
import hashlib
import re

import run_claims

X = [[[1, 0], [1, 0], [0, 1]]]
HEAD = ["attest-instance 1", "setting cross-attention", "groups 1", "tokens 3", "dimension 2", "factor-dimension 1",
        "X", "1 0", "1 0", "0 1"]


def hash_of(scores, offsets):
    lines = [*HEAD, "scores", scores, "z", "1", *(["offsets", offsets] if offsets else []), ""]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def instance(scores, offsets):
    return f'{{"X": {X}, "scores": [{scores}], "z": [[1]], "offsets": {offsets}}}\n'


def certificate(digest, claims, loss="none"):
    lines = ["attest-certificate 1", "producer corpus 1", "instance sha256 " + digest, "problem 1",
             "setting cross-attention", "norm euclidean", "loss " + loss, "selection 1 0", *claims]
    count = sum(line.startswith("claim ") for line in claims)
    return "\n".join([*lines, f"end problems 1 claims {count} lines {len(lines) + 1}", ""])


# W* = (1/2, -1/2)': the margin of token 2 is 1, ||W*||^2 = 1/2.
MARGINS = ["claim 1 optimal problem 1 norm-squared 1*2^-1", "vector multipliers 1 over 2", "0 2 1",
           "claim 2 support problem 1 from 1 size 1", "0 2",
           "claim 3 locally-optimal problem 1 from 2", "claim 4 globally-optimal problem 1"]


def with_offsets(certificate, instance, offsets):
    """The plane of two tokens, the first twice, with these offsets of its three rows."""
    canonical = ["attest-instance 1", "setting cross-attention", "groups 1", "tokens 3", "dimension 2",
                 "factor-dimension 1", "X", "1 0", "0 1", "1 0", "Y", "1", "v", "1 0", "z", "1", "counts",
                 "1*2^1 1 3"]
    plain = hashlib.sha256("\n".join([*canonical, ""]).encode()).hexdigest()
    if plain != re.search("sha256 (.*)", certificate)[1]:
        raise SystemExit("counted-plane is another instance than offset_claims.py has")
    digest = hashlib.sha256("\n".join([*canonical, "offsets", offsets, ""]).encode()).hexdigest()
    listed = ", ".join(f'"{number}"' for number in offsets.split())
    return certificate.replace(plain, digest), instance.replace('"counts"', f'"offsets": [[{listed}]],\n"counts"')


def runs(corpus, recount):
    instance, certificate = corpus.base("counted-plane")
    optimal = int(re.search("^claim (.*) optimal", certificate, re.M)[1])
    last = len(re.findall("^claim ", certificate, re.M))
    claims = run_claims.RUN.format(run=last + 1, path=last + 2, optimal=optimal)
    claims = claims.replace("norm 0 1 along 1*2^-2 1", "norm 0 2 along 1*2^-2 2")
    start = "at 0 norm 0 1 along -1 1 one-minus-corr none loss-gap 0 64 gradient 0 64 unselected 1*2^-4 3*2^-4"
    good = recount(re.sub("^end", claims.replace("checkpoints 1", "checkpoints 2\n" + start) + "end", certificate,
                          flags=re.M))
    for folder, name, offsets, code in (("correct", "shift", "1/3 1/3 1/3", 0),
                                        ("incorrect", "attention", "0 25*2^1 0", 1)):
        changed, shifted = with_offsets(good, instance, offsets)
        corpus.case(folder, "offsets-" + name, shifted, changed, code)


def write(corpus, recount):
    runs(corpus, recount)
    good, text = hash_of("5 5 1", "1*2^-1 -3 7"), "[[0.5, -3, 7]]"
    file = "offsets.json"
    corpus.case("correct", "offsets-margins", instance([5, 5, 1], text), certificate(good, MARGINS), 0, file)
    for name, offsets in (("column", "[[[0.5], [-3], [7]]]"), ("fraction", '[["1/2", "-3", "0x7p0"]]')):
        corpus.case("correct", "offsets-" + name, instance([5, 5, 1], offsets), certificate(good, MARGINS), 0)
    zero = hash_of("5 5 1", "")
    for name, offsets in (("zero", "[[0, 0.0, 0e5]]"), ("minus-zero", "[[-0.0, 0, 0]]")):
        corpus.case("correct", "offsets-" + name, instance([5, 5, 1], offsets), certificate(zero, MARGINS), 0)
    # Scores of equal tokens may differ where their offsets do not: the mean is 3.
    mean = hash_of("5 1 1*2^1", "1*2^1 1*2^1 7")
    corpus.case("correct", "offsets-equal", instance([5, 1, 2], "[[2, 2, 7]]"), certificate(mean, MARGINS), 0)
    corpus.case("incorrect", "offsets-left-out", instance([5, 5, 1], text), certificate(zero, MARGINS), 4, file)
    corpus.case("incorrect", "offsets-given", instance([5, 5, 1], text).replace(', "offsets": ' + text, ""),
                certificate(good, MARGINS), 4)
    corpus.case("incorrect", "offsets-scores", instance([1, 1, 5], text),
                certificate(hash_of("1 1 5", "1*2^-1 -3 7"), MARGINS), 1)
    apart = hash_of("5 1 1*2^1", "1*2^1 3 7")
    corpus.case("malformed", "offsets-mean-score", instance([5, 1, 2], "[[2, 3, 7]]"), certificate(apart, MARGINS), 5)
    for name, offsets in (("short", "[[1, 2]]"), ("long", "[[1, 2, 3, 4]]"), ("list", "[1, 2, 3]"), ("pairs",
                          "[[[1, 1], [2, 2], [3, 3]]]"), ("text", '"1"'), ("nan", "[[1, NaN, 3]]"), ("number", "1"),
                          ("word", '[["a", 2, 3]]'), ("groups", "[[1, 2, 3], [1, 2, 3]]"), ("empty", "[[]]")):
        corpus.case("malformed", "offsets-" + name, instance([5, 5, 1], offsets), certificate(good, MARGINS), 2)
