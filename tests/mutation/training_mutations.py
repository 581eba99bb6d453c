#!/usr/bin/env python3
"""training_mutations.py CHECKER CHECK_MANY CORPUS [VERIFIED MANY_VERIFIED]: changes every number of the corpus's
certificates about training on sentences, one at a time. What attest-check accepts must hold by training_truth.py, which
works in doubles from the sentences and never looks at how something is proved. The verified checker, where it is given,
must end alike where it is asked."""
import json
import pathlib
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "corpus"))
from next_token_claims import Text  # noqa: E402
from checked import checkers  # noqa: E402
from norm_mutations import bounded, changes, rational  # noqa: E402
from training_truth import Run, false_later, false_ray, false_run, false_shift  # noqa: E402

WORDS = ("unselected", "decrease", "loss-gap", "loss-ratio", "height", "growth", "lag", "residual", "path")


def checkpoints(lines, at):
    """Those of the claim whose line of counts this is."""
    return {int(line[1]): {line[j]: (bounded(line[j + 1]), bounded(line[j + 2])) for j in range(2, len(line), 3)}
            for line in lines[at + 1:at + 1 + int(lines[at][1])]}


class Judge:
    def __init__(self, text, certificate):
        self.text = text
        self.lines = [line.split(" ") for line in certificate.split("\n")]
        self.solution = self.limit()

    def limit(self):
        """W* of the attention stage by (token, query), from the first claim's multipliers."""
        groups = self.text.groups("attention")
        vector = next((k for k, line in enumerate(self.lines) if line[0] == "vector"), None)
        if vector is None:
            return {}
        entries = {}
        for i, t, k in self.lines[vector + 1:vector + 1 + int(self.lines[vector][2])]:
            tokens, query, selected = groups[int(i)]
            for token, sign in ((tokens[selected], 1), (tokens[int(t)], -1)):
                value = sign * int(k) / rational(self.lines[vector][4].replace("2^", "1*2^"))
                entries[token, query] = entries.get((token, query), 0) + value
        return {at: float(x) for at, x in entries.items()}

    def after(self, k, word):
        return self.lines[k][self.lines[k].index(word) + 1]

    def claim(self, number):
        return next(k for k, line in enumerate(self.lines) if line[:2] == ["claim", number])

    def run(self, k):
        return Run(self.text, self.solution, bounded(self.after(k, "feed-forward-step")),
                   int(self.after(k, "feed-forward-steps")), bounded(self.after(k, "step")))

    def sentences(self, k):
        for line in self.lines[k + 1:k + 1 + int(self.after(k, "sentences"))]:
            size = int(line[1])
            yield ([int(word) for word in line[2:2 + size]], int(line[3 + size]),
                   int(line[5 + size]) if len(line) > 4 + size else None)

    def objection(self):
        for k, words in enumerate(self.lines):
            if words[0] != "claim":
                continue
            why = ""
            if words[2] == "optimal":
                square = sum(x * x for x in self.solution.values())
                why = "" if abs(float(rational(words[-1])) - square) < 1e-9 else f"||W*||^2 is {square}"
            elif words[2] == "token-ray":
                why = false_ray(self.text, bounded(self.after(k, "step")), checkpoints(self.lines, k + 1))
            elif words[2] == "token-run":
                why = false_run(self.run(k), checkpoints(self.lines, k + 1))
            elif words[2] == "token-forever":
                said = {word: bounded(self.after(k, word)) for word in WORDS}
                why = false_later(self.run(self.claim(self.after(k, "run"))), int(self.after(k, "at")), said)
            elif words[2] == "token-shift":
                later = self.claim(self.after(k, "forever")) if "forever" in words else None
                run = None if later is None else self.run(self.claim(self.after(later, "run")))
                why = false_shift(self.text, self.solution, run, list(self.sentences(k)))
            if why:
                return f"claim {words[1]}: {why}"
        return ""


def main():
    corpus = pathlib.Path(sys.argv[3]) / "correct"
    tried = rejected = accepted = 0
    with checkers(sys.argv) as (checker, verified), tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "changed.attest"
        for original in sorted(corpus.glob("training-*.attest")):
            certificate = original.read_text()
            instance = corpus / original.with_suffix(".case").read_text().split()[1]
            text = Text(json.loads(instance.read_text())["sentences"])
            found = Judge(text, certificate).objection()
            assert found == "", (original, found)
            for what, changed in changes(certificate):
                path.write_text(changed)
                code = checker.status(instance, path)
                tried += 1
                other = verified.status_beside(code, instance, path) if verified else code
                if code not in (0, 1, 2) or other != code:
                    sys.exit(f"{original.name}, {what}: exit {code}, of the verified checker {other}")
                rejected += code == 1
                accepted += code == 0
                if code == 0 and (found := Judge(text, changed).objection()):
                    sys.exit(f"{original.name}, {what}: accepted, but {found}")
    print(f"{tried} changes: {rejected} rejected, {accepted} accepted and true")
    if rejected < 300 or accepted < 100:
        sys.exit("too few changes of either kind")


if __name__ == "__main__":
    main()
