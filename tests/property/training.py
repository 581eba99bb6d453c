#!/usr/bin/env python3
"""training.py ATTEST CHECKER: random texts whose orders are strict, trained by attest ntp with one-hot embeddings.
attest-check accepts every certificate of the training, and what it says, of later steps and other sentences, too, holds
in doubles (tests/mutation/training_truth.py)."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "corpus"), str(TESTS / "mutation")]
from next_token_claims import Text  # noqa: E402
from training_mutations import Judge  # noqa: E402

TEXTS = 60


def random_text(chance):
    """Sentences in which the word that comes first in a hidden order is selected; others of the same words."""
    size = chance.randint(4, 9)
    words = chance.sample(range(size), size)
    ends = range(size, size + chance.randint(2, size - 2))
    following = dict(zip(words, ends))
    order = chance.sample(words, size)
    sentences = [list(pair) for pair in following.items()]
    for _ in range(chance.randint(2, 10)):
        context = [chance.choice(words) for _ in range(chance.randint(2, 6))]
        best = min(context, key=order.index)
        if best in following:
            sentences.append([*context, following[best]])
    # One word that no sentence has.
    others = [[chance.choice([*words, 2 * size]) for _ in range(chance.randint(1, 5))] + [chance.choice(ends)]
              for _ in range(8)]
    return sentences, others


def lines(sentences):
    return "".join(" ".join(map(str, sentence)) + "\n" for sentence in sentences)


def main():
    attest, checker = sys.argv[1:]
    kinds = {}
    with tempfile.TemporaryDirectory() as folder:
        text, shift, prefix = (pathlib.Path(folder) / name for name in ("text", "shift", "out"))
        for seed in range(TEXTS):
            chance = random.Random(seed)
            sentences, others = random_text(chance)
            text.write_text(lines(sentences))
            shift.write_text(lines(others))
            steps = ["--steps", str(chance.choice((1, 3, 20, 60, 150))), "--step",
                     chance.choice(("1/20", "1/10", "1/2")), "--attention-step",
                     chance.choice(("1/20", "1/10", "3/10", "1"))]
            said = subprocess.run([attest, "ntp", "--json", "--force", "--tokens", "ids", text, "--shift", shift, "-o",
                                   prefix, *steps], capture_output=True, text=True, check=True)
            certificate = pathlib.Path(f"{prefix}-training.cert")
            found = subprocess.run([checker, f"{prefix}.npz", certificate], capture_output=True, text=True, check=False)
            if found.returncode != 0:
                sys.exit(f"seed {seed}, {steps}: {found.stderr}")
            if why := Judge(Text(sentences), certificate.read_text()).objection():
                sys.exit(f"seed {seed}, {steps}: {why}")
            for claim in json.loads(said.stdout)["claims"]:
                kinds[claim["kind"]] = kinds.get(claim["kind"], 0) + 1
    print(f"{TEXTS} texts: {kinds}")
    if kinds.get("token-forever", 0) < 10 or kinds.get("token-shift", 0) < 20:
        sys.exit("too few claims of a kind")


if __name__ == "__main__":
    main()
