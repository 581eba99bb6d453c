"""Instances whose every token is a query (key `setting`): what is read of them in correct/, another reading and false
claims in incorrect/, shapes and keys that do not fit in malformed/."""
import hashlib

CANONICAL = """attest-instance 1
setting cross-attention
groups {groups}
tokens {tokens}
dimension 1
factor-dimension 1
X
{X}
{head}
z
{z}
"""
# w = 1 wins query 1, whose key is 1, by exactly 1.
CERTIFICATE = """attest-certificate 1
producer hand 1
instance sha256 {digest}
problem 1
setting cross-attention
norm euclidean
loss none
selection {groups} {selection}
claim 1 optimal problem 1 norm-squared 1
vector multipliers 1 over 1
1 1 1
claim 2 globally-optimal problem 1
end problems 1 claims 2 lines 0
"""
TWO, ONE = "1*2^1", "1"
CAUSAL = dict(groups=2, tokens="1 2", X="\n".join((TWO, TWO, ONE)), z=f"{TWO}\n{ONE}", selection="0 0")
BOTH = dict(CAUSAL, tokens="2 2", X="\n".join((TWO, ONE, TWO, ONE)))
LONGER = dict(groups=3, tokens="1 2 1", X="\n".join((TWO, TWO, ONE, ONE)), z="\n".join((TWO, ONE, ONE)),
              selection="0 0 0")
DECODER = "Y\n{labels}\nv\n1"
KEYS = '"X": [[[2], [1]]]'
# The instance's keys, what is read of its sequences and of its head.
GOOD = (
    ("causal", f'{KEYS}, "Y": [[1, 1]], "v": [1], "setting": "causal"', CAUSAL, DECODER.format(labels="1 1")),
    ("seq2seq", f'{KEYS}, "Y": [[1, 1]], "v": [1], "setting": "seq2seq"', BOTH, DECODER.format(labels="1 1")),
    ("lists", '"X": [[[2], [1]], [[1]]], "Y": [[1, 1], [-1]], "v": [1], "setting": "causal"', LONGER,
     DECODER.format(labels="1 1 -1")),
    ("rows", '"X": [[2], [1], [1]], "lengths": [2, 1], "Y": [1, 1, -1], "v": [1], "setting": "causal"', LONGER,
     DECODER.format(labels="1 1 -1")),
    ("padded", '"X": [[[2], [1]], [[1], [7]]], "lengths": [2, 1], "Y": [[1, 1], [-1, 9]], "v": [1], '
               '"setting": "causal"', LONGER, DECODER.format(labels="1 1 -1")),
    ("places", f'{KEYS}, "Y": [[-1, 1]], "v": [[5], [3]], "setting": "causal"', CAUSAL,
     "scores\n-5*2^1\n3*2^1 3"),
    ("places-both", f'{KEYS}, "Y": [[1, 1]], "v": [[0.5], [3]], "setting": "seq2seq", "head": "linear"', BOTH,
     "scores\n1 1*2^-1\n3*2^1 3"),
    ("targets", f'{KEYS}, "y": [[0, 0]], "setting": "causal"', CAUSAL, "head cross-entropy\ny\n0 0"),
    ("offsets", f'{KEYS}, "Y": [[1, 1]], "v": [1], "offsets": [[0, 3]], "setting": "causal"',
     dict(CAUSAL, z=f"{TWO}\n{ONE}\noffsets\n0 0 3"), DECODER.format(labels="1 1")),
    ("classes", f'{KEYS}, "U": [[1], [0]], "y": [[1, 0]], "head": "classifier", "setting": "causal"', CAUSAL,
     "head classifier\ny\n1 0\nU\n1\n0"),
    ("counts", f'{KEYS}, "Y": [[1, 1]], "v": [1], "counts": [[3, 1]], "alpha": [[0, 0]], "W0": [[0]], '
               '"setting": "causal"', dict(CAUSAL, z=f"{TWO}\n{ONE}\ncounts\n3 3 1"), DECODER.format(labels="1 1")),
)
BAD = (
    ("word", f'{KEYS}, "Y": [[1, 1]], "v": [1], "setting": "self-attention"'),
    ("number", f'{KEYS}, "Y": [[1, 1]], "v": [1], "setting": 1'),
    ("z", f'{KEYS}, "Y": [[1, 1]], "v": [1], "setting": "causal", "z": [[1]]'),
    ("keys", f'{KEYS}, "Y": [[1, 1]], "v": [1], "setting": "causal", "K": [[[2], [1]]]'),
    ("query", f'{KEYS}, "Y": [[1, 1]], "v": [1], "setting": "causal", "query": 0'),
    ("scores", f'{KEYS}, "scores": [[1, 0]], "setting": "causal"'),
    ("class-a-sequence", f'{KEYS}, "U": [[1], [0]], "y": [0], "head": "classifier", "setting": "causal"'),
    ("label-a-sequence", f'{KEYS}, "Y": [1], "v": [1], "setting": "causal"'),
    ("label-missing", f'{KEYS}, "Y": [[1]], "v": [1], "setting": "causal"'),
    ("label-zero", f'{KEYS}, "Y": [[1, 0]], "v": [1], "setting": "causal"'),
    ("uneven-labels", '"X": [[[2], [1]], [[1]]], "Y": [[1], [1, 1]], "v": [1], "setting": "causal"'),
    ("places-missing", f'{KEYS}, "Y": [[1, 1]], "v": [[1]], "setting": "causal"'),
    ("places-wide", f'{KEYS}, "Y": [[1, 1]], "v": [[1, 1], [1, 1]], "setting": "causal"'),
    ("later-target", f'{KEYS}, "y": [[1, 0]], "setting": "causal"'),
    ("alpha-a-sequence", f'{KEYS}, "Y": [[1, 1]], "v": [1], "alpha": [0], "setting": "causal"'),
    ("flat-tokens", '"X": [[2, 1], [1]], "Y": [1, 1], "v": [1]'),
    ("uneven-labels-without", '"X": [[[2], [1]], [[1]]], "Y": [[1, 1], [1]], "v": [1]'),
)


def write(corpus, recount):
    def certificate(read, head):
        digest = hashlib.sha256(CANONICAL.format(**read, head=head).encode()).hexdigest()
        return recount(CERTIFICATE.format(digest=digest, **read))

    for what, keys, read, head in GOOD:
        corpus.case("correct", f"queries-{what}", f"{{{keys}}}\n", certificate(read, head), 0)
    good = certificate(*GOOD[0][2:])
    corpus.case("incorrect", "queries-later-tokens", f"{{{GOOD[1][1]}}}\n", good, 4)
    labels = GOOD[0][1].replace("[[1, 1]]", "[[1, -1]]")
    corpus.case("incorrect", "queries-label", f"{{{labels}}}\n", certificate(CAUSAL, DECODER.format(labels="1 -1")), 1)
    for what, keys in BAD:
        corpus.case("malformed", f"queries-{what}", f"{{{keys}}}\n", good, 2)
