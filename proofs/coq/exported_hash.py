#!/usr/bin/env python3
"""The SHA-256 of the instance that a file of `attest export --coq` spells out, from the numbers it gives Coq.

exported_hash.py FILE.v prints it, and fails when it is not the file's instance_sha256 or when the file's
instance is not written as the exporter writes it. The hash is that of the canonical text (proofs/statements/GRAMMAR.md
section 5), the one that `attest info` prints for a dataset file.
"""
import hashlib
import re
import sys
from fractions import Fraction

DIGITS = r"\[::[ \n]?(?:-?\d+(?:;\s+-?\d+)*)?\]"
NUMBER = rf"\(number_of {DIGITS}\)"
ROWS = rf"\[::\s+row_of \d+ {DIGITS}(?:;\s+row_of \d+ {DIGITS})*\]"
FACTOR = rf"\((?:refine_number|refine_blocks) {DIGITS} "


def fail(message):
    sys.exit(f"exported_hash.py: {sys.argv[1]}: {message}")


class Reader:
    """Takes the instance's part of the file from front to back, one definition after the other."""

    def __init__(self, text):
        self.text = text

    def take(self, pattern, what):
        match = re.match(pattern, self.text)
        if not match:
            fail(f"{what} expected at: {self.text[:60]!r}")
        self.text = self.text[match.end():]
        return match

    def accept(self, pattern):
        match = re.match(pattern, self.text)
        if match:
            self.text = self.text[match.end():]
        return match


def digits(text):
    return [int(digit) for digit in re.findall(r"-?\d+", text)]


def number(all_digits):
    return sum(digit << (63 * k) for k, digit in enumerate(all_digits))


def rows(text):
    """The rows of `row_of WIDTH [:: ...]`: lists of integers."""
    result = []
    for width, listed in re.findall(rf"row_of (\d+) ({DIGITS})", text):
        width, listed = int(width), digits(listed)
        result.append([number(listed[k:k + width]) for k in range(0, len(listed), width)])
    return result


def take_blocks(reader, name):
    """A definition a sequence, their list, the denominator: for each sequence its rows of fractions."""
    blocks = []
    while reader.accept(rf"Definition {name}_{len(blocks)} : seq \(seq big_integers\) := "):
        blocks.append(rows(reader.take(ROWS, "rows").group()))
        reader.take(r"\.\n", "the end of a definition")
    listed = r";\s+".join(f"{name}_{i}" for i in range(len(blocks)))
    list_pattern = rf"({FACTOR})?\[::\s*{listed}\](\))?"
    reader.take(rf"Definition {name} : seq \(seq \(seq big_integers\)\) :=\n  ", f"the list {name}")
    factor = reader.take(list_pattern, f"the list {name}").group(1)
    reader.take(rf"\.\nDefinition {name}_denominator : big_integers := ", "a denominator")
    over = reader.take(rf"({FACTOR})?({NUMBER})(\))?\.\n\n", "a denominator")
    if (factor and digits(factor)) != (over.group(1) and digits(over.group(1))):
        fail(f"{name} is refined by another factor than its denominator")
    denominator = number(digits(over.group(2)))
    return [[[Fraction(a, denominator) for a in row] for row in block] for block in blocks]


def take_scores(reader, lengths):
    """The numerators of the scores of each sequence, where the file gives scores."""
    if not reader.accept(r"Definition scores : seq \(seq big_integers\) := map flatten\n  \[::\s*"):
        return None
    scores = []
    for length in lengths:
        if scores:
            reader.take(r";\s+", "the scores of another sequence")
        scores.append([a for (a,) in rows(reader.take(ROWS, "scores").group())])
        if len(scores[-1]) != length:
            fail("the scores of a sequence are not one a token")
    reader.take(r"\]\.\n\n", "the end of a definition")
    return scores


def take_table(reader, name, shape):
    """The numbers of a table, or of a list, over the denominator that follows."""
    kind = r"seq \(seq big_integers\)" if shape == "rows" else "seq big_integers"
    reader.take(rf"Definition {name} : {kind} := ", name)
    listed = rows(reader.take(ROWS if shape == "rows" else rf"row_of \d+ {DIGITS}", name).group())
    over = reader.take(rf"\.\nDefinition {name}_denominator : big_integers := ({NUMBER})\.\n\n", "a denominator")
    over = number(digits(over.group(1)))
    return [[Fraction(a, over) for a in row] for row in listed]


LABELS = r"Definition Y := \[::\s*(?:true|false)(?:;\s+(?:true|false))*\]\.\n\n"


def take_labels(reader):
    words = reader.take(LABELS, "Y").group()
    return " ".join("1" if word == "true" else "-1" for word in re.findall("true|false", words))


def take_head(reader):
    """The canonical lines of another head than the scalar one and how the instance names it; nothing of that one."""
    indices = reader.accept(r"Definition y : seq nat := \[::([^%]*)\]%nat\.\n\n")
    if indices:
        y = " ".join(re.findall(r"\d+", indices.group(1)))
        reader.take(COMMENT, "a comment")
        if not reader.text.startswith("Definition U "):
            return ["head cross-entropy", "y", y], r"TargetTokens big_integers y"
        U = take_table(reader, "U", "rows")
        return (["head classifier", "y", y, "U", *map(line, U)], r"SeveralOutputs \(ClassLayer y U U_denominator\)")
    if not re.match(LABELS + COMMENT + "Definition A ", reader.text):
        return None
    labels = take_labels(reader)
    reader.take(COMMENT, "a comment")
    A = take_table(reader, "A", "rows")
    (bias,), (r,) = take_table(reader, "bias", "list"), take_table(reader, "r", "list")
    return (["head relu", "Y", labels, "A", *map(line, A), "bias", line(bias), "r", line(r)],
            r"SeveralOutputs \(UnitLayer Y A A_denominator bias bias_denominator r r_denominator\)")


def take_counts(reader, lengths):
    """How often each token stands in its sequence, where the file says so."""
    if not reader.accept(r"Definition counts : seq \(seq big_integers\) :=\n  \[::\s*"):
        return None
    counts = []
    for length in lengths:
        if counts:
            reader.take(r";\s+", "the counts of another sequence")
        row = reader.take(rf"\[::\s+{NUMBER}(?:;\s+{NUMBER})*\]", "counts").group()
        counts.append([number(digits(count)) for count in re.findall(NUMBER, row)])
        if len(counts[-1]) != length:
            fail("the counts of a sequence are not one a token")
    reader.take(r"\]\.\n\n", "the end of a definition")
    return counts


def canonical(x):
    """A number as GRAMMAR.md section 5 writes it."""
    p, q = x.numerator, x.denominator
    if q & (q - 1):
        return f"{p}/{q}"
    exponent = (p & -p).bit_length() - 1 if p else 0
    if q > 1:
        return f"{p}*2^{1 - q.bit_length()}"
    return f"{p >> exponent}*2^{exponent}" if exponent else str(p)


def line(numbers):
    return " ".join(canonical(x) for x in numbers)


COMMENT = r"(?:\(\* [^*]* \*\)\n)?"


def text_lines(reader):
    """The canonical text of sentences."""
    listed = reader.take(r"Definition sentences : seq \(seq nat\) :=\n  \[::([^%]*)\]%nat\.\n\n", "sentences").group(1)
    sentences = [[int(word) for word in re.findall(r"\d+", ids)] for ids in re.findall(r"\[::([^]]*)\]", listed)]
    reader.take(COMMENT, "a comment")
    given = None
    if reader.accept(r"Definition embeddings : seq \(seq big_integers\) := "):
        given = rows(reader.take(ROWS, "rows").group())
        reader.take(r"\.\n\n", "the end of a definition")
    table = "None" if given is None else rf"\(Some \(embeddings, ({NUMBER})\)\)"
    text = reader.take(rf"Definition text : text big_integers := Text sentences {table}\.\n", "the text")
    reader.take(COMMENT, "a comment")
    reader.take(r"Definition pairs : seq \(nat \* nat\) := said_pairs text\.\n\n", "the pairs")
    if re.search(r"Definition (sentences|embeddings|text|pairs)\b", reader.text):
        fail("the instance is defined twice")
    stages = re.findall(r"^Definition instance\b[^.]*\.", reader.text, re.M)
    for stage in stages:
        made = re.fullmatch(rf"Definition instance : instance big_integers :=\n  stage_instance ({NUMBER}) text "
                            rf"(?:Attention|FeedForward)Stage\.", stage)
        if not made or number(digits(made.group(1))) <= 0:
            fail("an instance is no stage of the sentences")
    if not 1 <= len(stages) <= 2:
        fail("one instance a stage expected")
    vocabulary = len(given) if given else 1 + max(map(max, sentences))
    lines = ["attest-instance 1", "setting next-token", f"vocabulary {vocabulary}", f"sentences {len(sentences)}",
             *(" ".join(map(str, ids)) for ids in sentences)]
    if given:
        over = number(digits(text.group(1)))
        lines += [f"dimension {len(given[0])}", "embeddings", *(line(Fraction(a, over) for a in row) for row in given)]
    return lines


def finish(lines, stated):
    found = hashlib.sha256("".join(words + "\n" for words in lines).encode()).hexdigest()
    print(found)
    if found != stated:
        fail(f"the file says {stated}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: exported_hash.py FILE.v")
    with open(sys.argv[1], encoding="ascii") as file:
        text = file.read()
    stated = re.findall(r'^Definition instance_sha256 : string := "([0-9a-f]{64})"%string\.$', text, re.M)
    begin, end = "(* ---- the instance ---- *)\n\n", "(* ---- the certificate ---- *)\n"
    sentences = "\nDefinition sentences " in text
    if len(stated) != 1 or text.count(begin) != 1 or not (sentences or text.count(end) == 1):
        fail("not a file that attest export --coq wrote")
    reader = Reader(text[text.index(begin) + len(begin):None if sentences else text.index(end)])

    reader.take(COMMENT, "a comment")
    if sentences:
        finish(text_lines(reader), stated[0])
        return
    X = take_blocks(reader, "X")
    reader.take(COMMENT, "a comment")
    K = take_blocks(reader, "K") if reader.text.startswith("Definition K_") else None
    reader.take(COMMENT, "a comment")
    z = None
    if reader.accept(r"Definition z : seq \(seq big_integers\) := "):
        z = rows(reader.take(ROWS, "rows").group())
        reader.take(r"\.\n\n", "the end of a definition")
    reader.take(COMMENT, "a comment")
    head = take_head(reader)
    scores = take_scores(reader, [len(block) for block in X]) if head is None else None
    if head is None and scores is None:
        Y = take_labels(reader)
        (v,) = rows(reader.take(rf"Definition v : seq big_integers := row_of \d+ {DIGITS}\.\n\n", "v").group())
    reader.take(COMMENT, "a comment")
    counts = take_counts(reader, [len(block) for block in X])
    reader.take(r"Definition instance : instance big_integers :=\n  Instance X X_denominator ", "the instance")
    if head is not None:
        scoring, named = head
        reader.take(rf"\({named}\)\n    ", "the head")
    else:
        over = reader.take(rf"\({'Decoder Y v' if scores is None else 'GivenScores scores'} ({NUMBER})\)\n    ",
                           "the denominator of the scores").group(1)
        over = number(digits(over))
    if head is None and scores is None:
        scoring = ["Y", Y, "v", line(Fraction(a, over) for a in v)]
    elif head is None:
        scoring = ["scores", *(line(Fraction(a, over) for a in group) for group in scores)]
    query = []
    if K is not None:
        reader.take(r"\(Prompt K K_denominator\)", "the setting")
        setting = "prompt"
    elif z is not None:
        over = reader.take(rf"\(CrossAttention z ({NUMBER})\)", "the setting").group(1)
        z = [[Fraction(a, number(digits(over))) for a in row] for row in z]
        setting = "cross-attention"
    else:
        at = reader.take(r"\(SelfAttention big_integers \(From(Start|End) (\d+)%nat\)\)", "the setting")
        query = {"Start": at.group(2), "End": "last" if at.group(2) == "1" else "-" + at.group(2)}
        query = ["query " + query[at.group(1)]]
        setting = "self-attention"
    reader.take(r" counts\.\n\n" if counts else r" \[::\]\.\n\n", "the end of the instance")
    if re.search(r"Definition (instance|X|K|z|Y|v|y|U|A|bias|r|scores|counts)\b", reader.text):
        fail("the instance is defined twice")

    other = z or [row for block in K or [] for row in block]
    lines = ["attest-instance 1", f"setting {setting}", *query, f"groups {len(X)}",
             "tokens " + " ".join(str(len(block)) for block in X), f"dimension {len(X[0][0])}",
             *([f"factor-dimension {len(other[0])}"] if other else []),
             "X", *(line(row) for block in X for row in block), *scoring]
    if other:
        lines += ["z" if z else "K", *(line(row) for row in other)]
    if counts:
        lines += ["counts", line(Fraction(count) for row in counts for count in row)]
    finish(lines, stated[0])


main()
