#!/usr/bin/env python3
"""next_token_mutations.py CHECKER CHECK_MANY CORPUS [VERIFIED MANY_VERIFIED]: changes every number of the next-token
certificates of the corpus, and every id of their sentences (with the hash made right again), one at a time.
attest-check must accept exactly what holds of the sentences by the judge below, which works on dense matrices of
fractions; of every fourth change VERIFIED, attest-check-verified, must end alike."""
import json
import pathlib
import re
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "corpus"))
from next_token_claims import Text, number  # noqa: E402
from checked import checkers  # noqa: E402


class False_(Exception):
    """The certificate, or the instance, is not true or not well-formed."""


def demand(holds):
    if not holds:
        raise False_


def rational(word):
    odd, _, twos = word.partition("*2^")
    return Fraction(odd) * Fraction(2) ** int(twos or 0)


def check_sentences(text):
    demand(all(len(s) > 1 for s in text.sentences))
    pairs = [s for s in text.sentences if len(s) == 2]
    demand(all((a[0] == b[0]) == (a[1] == b[1]) for a in pairs for b in pairs))
    for *context, last in text.sentences:
        demand(len(context) == 1 or any(text.next.get(x) == last for x in context))


class Judge:
    def __init__(self, text, certificate):
        self.text, self.lines = text, certificate.rstrip("\n").split("\n")
        self.at = 3
        self.problems, self.facts = [], []

    def next(self):
        self.at += 1
        return self.lines[self.at - 1].split(" ")

    def judge(self):
        check_sentences(self.text)
        while True:
            words = self.next()
            if words[0] == "end":
                return
            self.problem() if words[0] == "problem" else self.claim(words)

    def problem(self):
        stage = self.next()[2]
        self.next(), self.next()
        picks = [int(word) for word in self.next()[2:]]
        groups = self.text.groups(stage)
        demand(len(picks) == len(groups) and all(0 <= t < len(tokens) for t, (tokens, _, _) in zip(picks, groups)))
        rows = {}
        for i, (tokens, query, _) in enumerate(groups):
            best = self.text.feature(stage, tokens[picks[i]], query)
            for t, token in enumerate(tokens):
                if t != picks[i]:
                    rows[i, t] = [a - b for a, b in zip(best, self.text.feature(stage, token, query))]
        right = [selected == pick for (_, _, selected), pick in zip(groups, picks)]
        self.problems.append((rows, right, groups, picks))

    def vector(self, rows):
        words = self.next()
        over = int(words[4])
        demand(over > 0)
        values = {}
        for _ in range(int(words[2])):
            i, t, k = map(int, self.next())
            demand((i, t) in rows and k != 0 and all(c < (i, t) for c in values))
            values[i, t] = Fraction(k, over)
        return values

    def combination(self, rows, values):
        return [sum(value * rows[c][j] for c, value in values.items()) for j in range(len(next(iter(rows.values()))))]

    def claim(self, words):
        rows, right, groups, picks = self.problems[int(words[4]) - 1]
        kind = words[2]
        if kind == "optimal":
            values = self.vector(rows)
            demand(all(value > 0 for value in values.values()))
            w = self.combination(rows, values)
            margins = {c: sum(a * b for a, b in zip(row, w)) for c, row in rows.items()}
            demand(all(m >= 1 for m in margins.values()) and all(margins[c] == 1 for c in values))
            demand(rational(words[6]) == sum(a * a for a in w))
            self.facts.append((values, {c for c, m in margins.items() if m == 1}))
        elif kind == "support":
            listed = [tuple(map(int, self.next())) for _ in range(int(words[8]))]
            demand(listed == sorted(self.facts[int(words[6]) - 1][1]))
            self.facts.append(self.facts[int(words[6]) - 1])
        elif kind == "strictly-complementary":
            values, support = self.facts[int(words[6]) - 1]
            self.next()
            demand(set(values) == support)
            self.facts.append(None)
        elif kind == "locally-optimal":
            for i, t in self.facts[int(words[6]) - 1][1]:
                demand(right[i])  # no other token has score 1
            self.facts.append(None)
        elif kind == "globally-optimal":
            demand(all(ok or len(groups[i][0]) == 1 for i, ok in enumerate(right)))
            self.facts.append(None)
        elif kind == "infeasible":
            values = self.vector(rows)
            demand(values and all(value > 0 for value in values.values()))
            demand(not any(self.combination(rows, values)))
            self.facts.append("infeasible")
        else:
            demand(kind == "not-locally-optimal" and self.facts[int(words[6]) - 1] == "infeasible")
            self.facts.append(None)


def holds(text, certificate):
    try:
        Judge(text, certificate).judge()
        return True
    except (False_, IndexError, ValueError, KeyError, StopIteration):
        return False


def changed_numbers(certificate):
    """Every number of the certificate but those of its frame, one more and one less."""
    for match in re.finditer(r"(?<=[ \n])-?[0-9]+(?=[ \n])", certificate):
        line = certificate[certificate.rfind("\n", 0, match.start()) + 1:certificate.find("\n", match.start())]
        if line.startswith(("problem", "claim", "attest", "producer", "instance", "end")) and (
                "norm-squared" not in line):
            continue
        if line.startswith("claim") and not certificate[:match.start()].endswith("norm-squared "):
            continue
        count_at = {"vector": 2, "selection": 1}.get(line.split(" ")[0])
        if count_at is not None and line.split(" ").index(match[0]) == count_at:
            continue
        for change in (1, -1):
            yield certificate[:match.start()] + str(int(match[0]) + change) + certificate[match.end():]
    for match in re.finditer("(?<=norm-squared )[^ \n]+", certificate):
        for change in (Fraction(1, 3), Fraction(-1, 3), -2 * rational(match[0])):
            yield certificate[:match.start()] + number(rational(match[0]) + change) + certificate[match.end():]
    swapped = certificate.replace("next-token attention", "next-token #").replace("feed-forward", "attention")
    yield swapped.replace("next-token #", "next-token feed-forward")


def changed_sentences(sentences, vocabulary):
    for k, sentence in enumerate(sentences):
        for t in range(len(sentence)):
            for token in range(vocabulary):
                if token != sentence[t]:
                    yield [*sentences[:k], [*sentence[:t], token, *sentence[t + 1:]], *sentences[k + 1:]]
            yield [*sentences[:k], [*sentence[:t], *sentence[t + 1:]], *sentences[k + 1:]]
        yield [*sentences[:k], *sentences[k + 1:]]


def main():
    corpus = pathlib.Path(sys.argv[3]) / "correct"
    accepted = rejected = failures = 0
    with checkers(sys.argv) as (checker, verified), tempfile.TemporaryDirectory() as folder:
        instance, proof = pathlib.Path(folder) / "i.json", pathlib.Path(folder) / "c.attest"

        def compare(text, certificate):
            nonlocal accepted, rejected, failures
            instance.write_text(text.instance())
            proof.write_text(certificate)
            code = checker.status(instance, proof)
            expected = holds(text, certificate)
            if (code in (0, 3)) != expected or code not in (0, 1, 2, 3):
                failures += 1
                print(f"exit {code}, {'true' if expected else 'false'}: {text.instance()}{certificate}")
            if verified and (accepted + rejected) % 4 == 0:
                theirs = verified.status(instance, proof)
                if theirs != code:
                    failures += 1
                    print(f"exit {code}, verified {theirs}: {text.instance()}{certificate}")
            accepted += expected
            rejected += not expected

        for case in sorted(corpus.glob("next-token-*.case")):
            fields = dict(line.split(" ", 1) for line in case.read_text().splitlines())
            keys = json.loads((corpus / fields["instance"]).read_text())
            if "sentences" not in keys:
                continue
            certificate = (corpus / fields["certificate"]).read_text()
            text = Text(keys["sentences"], keys.get("embeddings"))
            compare(text, certificate)
            for other in changed_numbers(certificate):
                compare(text, other)
            for sentences in changed_sentences(text.sentences, text.vocabulary):
                if not sentences or not all(sentences):
                    continue
                other = Text(sentences, text.embeddings)
                compare(other, certificate.replace(text.sha256(), other.sha256()))
    print(f"{accepted} true ones, {rejected} false ones, {failures} disagreements")
    return 0 if failures == 0 and accepted > 20 and rejected > 500 else 1


if __name__ == "__main__":
    sys.exit(main())
