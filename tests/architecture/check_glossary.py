#!/usr/bin/env python3
"""check_glossary.py ROOT: the glossary of symbols is the one list that code follows.

Headers about all later steps whose comments use symbols with an index cite proofs/statements/GLOSSARY.md; every such
symbol in the comments of a file that cites it is there; and every word of the glossary's third column is one of code.
"""
import os
import re
import sys

root = sys.argv[1]
CITED = "proofs/statements/GLOSSARY.md"
GREEK = dict(zip("αβγδεηθκλΛμνπρσΣτφωΔΓξ",
                 "alpha beta gamma delta eps eta theta kappa lambda Lambda mu nu pi rho sigma Sigma tau phi omega "
                 "Delta Gamma xi".split()))
# Of a constraint, a group, a token of a group, its part of an output. Functions (max_i) and sums are no symbols.
SYMBOL = re.compile(r"(?<!\w)(?!(?:max|min|sum|sup)_)[A-Za-z]+(?:_inf)?_(?:c|i|it|tu)(?!\w|,\w)")


def latin(text):
    return "".join(GREEK.get(letter, letter) for letter in text)


def words(code):
    return set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", code).lower()))


with open(os.path.join(root, CITED), encoding="utf-8") as glossary:
    rows = [latin(line).replace(r"\|", "").split("|") for line in glossary if line.startswith("| ")]
entries = set().union(*(SYMBOL.findall(row[1] + row[2]) for row in rows))
failures = cited = 0
spelled = set()
for part in ("numerics", "proofs/checker"):
    for folder, _, files in os.walk(os.path.join(root, part)):
        for name in sorted(files):
            path = os.path.join(folder, name)
            shown = os.path.relpath(path, root)
            if not name.endswith((".hpp", ".cpp")):
                continue
            with open(path, encoding="utf-8") as source:
                text = source.read()
            used = set(SYMBOL.findall("\n".join(re.findall(r"//.*", text))))
            spelled |= words(re.sub(r"//.*", "", text))
            if CITED in text:
                cited += 1
                for symbol in sorted(used - entries):
                    print(f"{shown}: {symbol} is no entry of {CITED}")
                    failures += 1
            elif name.endswith(".hpp") and os.path.basename(folder) == "forever" and used & entries:
                print(f"{shown}: uses {', '.join(sorted(used & entries))} and does not cite {CITED}")
                failures += 1
for row in rows:
    for name in words(re.sub(r"\(.*?\)", "", row[3])):
        if row[1].strip() != "symbol" and name not in spelled:
            print(f"{CITED}: {name} of {row[1].strip()} is no word of code")
            failures += 1
sys.exit(0 if cited and not failures else 1)
