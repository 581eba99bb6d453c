#!/usr/bin/env python3
"""check_prose.py ROOT: no line beyond 120 bytes in the project's Markdown, in its Python, OCaml and Coq and in the
comments of its scripts, a README is a screen long, and every file that is named, in prose or in code, is there.

Rows of tables have no other line to go to; lines inside of a text that a program of Python writes are as that text has
them.
"""
import os
import re
import sys
import tokenize

SCREEN = 80  # lines
root = sys.argv[1]
failures = 0


def sources(*endings):
    for folder, folders, files in os.walk(root):
        folders[:] = [one for one in folders if one != "build" and not one.startswith(".")]
        for name in files:
            if name.endswith(endings):
                yield os.path.join(folder, name)


def outside_tables(lines):
    for number, line in enumerate(lines, 1):
        if not re.match(r" *\|[^|]", line):
            yield number, line


def length(line):
    """In bytes: what is one column of a formula here is two or three of them."""
    return len(line.rstrip("\n").encode("utf-8"))


def lines_of_texts(path):
    """The numbers of the lines that begin inside of a text which is no docstring."""
    inside = set()
    with open(path, "rb") as source:
        before = None
        for token in tokenize.tokenize(source.readline):
            docstring = before in (tokenize.INDENT, tokenize.NEWLINE, tokenize.NL, tokenize.ENCODING, None)
            if token.type == tokenize.STRING and not docstring:
                inside.update(range(token.start[0] + 1, token.end[0] + 1))
            before = token.type
    return inside


def long_lines(path, shape=""):
    """(number, bytes) of those that begin like this."""
    with open(path, encoding="utf-8") as text:
        return [(number, length(line)) for number, line in enumerate(text, 1)
                if length(line) > 120 and re.match(shape, line)]


COMMENT = " *# "
for endings, shape in (((".ml", ".v"), ""), ((".sh", "CMakeLists.txt", ".cmake"), COMMENT)):
    for path in sources(*endings):
        for number, size in long_lines(path, shape):
            print(f"{os.path.relpath(path, root)}:{number}: {size} bytes")
            failures += 1
for path in sources(".py"):
    long = long_lines(path)
    texts = lines_of_texts(path) if long else ()
    for number, size in long:
        if number not in texts:
            print(f"{os.path.relpath(path, root)}:{number}: {size} bytes")
            failures += 1
for path in sources(".md"):
    shown = os.path.relpath(path, root)
    with open(path, encoding="utf-8") as text:
        lines = text.readlines()
    if os.path.basename(path) == "README.md" and len(lines) > SCREEN:
        print(f"{shown}: {len(lines)} lines")
        failures += 1
    for number, line in outside_tables(lines):
        if length(line) > 120:
            print(f"{shown}:{number}: {length(line)} bytes")
            failures += 1
    for number in range(1, len(lines)):
        if lines[number].startswith(">") and lines[number - 1].strip() and lines[number - 1][0] != ">":
            print(f"{shown}:{number + 1}: a formula that begins with > is shown as a quotation")
            failures += 1
    for number, line in enumerate(lines, 1):
        for target in re.findall(r"\]\(([^)#:]+)\)", line):
            if not os.path.exists(os.path.join(os.path.dirname(path), target)):
                print(f"{shown}:{number}: no file {target}")
                failures += 1
        # Files named in code style from the root of the project: `proofs/statements/GRAMMAR.md`.
        for target in re.findall(r"`((?:certify|numerics|proofs|tests)/[\w/.-]+\.(?:md|py|sh|list))`", line):
            if not os.path.exists(os.path.join(root, target)):
                print(f"{shown}:{number}: no file {target}")
                failures += 1
# Files that code and its comments name from the root of the project.
for path in sources(".cpp", ".hpp", ".v", ".ml", ".py", ".sh", ".inc", "CMakeLists.txt"):
    with open(path, encoding="utf-8") as text:
        named = set(re.findall(r"\b((?:certify|numerics|proofs|tests)/[\w/]+\.(?:md|hpp|cpp|py|sh|v))\b", text.read()))
    for target in sorted(named):
        if not os.path.exists(os.path.join(root, target)):
            print(f"{os.path.relpath(path, root)}: no file {target}")
            failures += 1
sys.exit(1 if failures else 0)
