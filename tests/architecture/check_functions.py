#!/usr/bin/env python3
"""check_functions.py FOLDER: in the sources of the folder no function is longer than 80 lines, and half are below 10.

A function's lines are those from its name to its closing brace, without lines that hold nothing but a comment. What is
a function is told by its shape: a parenthesis, qualifiers or initialisers, and a brace outside of any other function.
"""
import os
import re
import statistics
import sys

MOST, MEDIAN = 80, 10
HEAD = re.compile(r"\)\s*(?:const|noexcept|override|final|mutable|->[^;{}]*|\s)*(?::[^;{}]*)?$", re.S)


def code(text):
    """The text without comments, and with nothing in its string and character literals."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"'(?:\\.|[^'\\\n])'", "' '", text)


def functions(text):
    """(lines, name) of every function."""
    text = code(text)
    open_braces, begin = [], 0  # (head, where it begins, whether it opens a function)
    for at, letter in enumerate(text):
        if letter == "{":
            head = text[begin:at]
            inside = any(opens for _, _, opens in open_braces)
            opens = not inside and HEAD.search(head.rstrip()) is not None
            open_braces.append((head, begin, opens))
        elif letter == "}" and open_braces:
            head, first, opens = open_braces.pop()
            if opens:
                lines = [line for line in text[first:at + 1].strip().split("\n") if line.strip()]
                yield len(lines), head.strip().split("(")[0].split()[-1]
        if letter in "{};":
            begin = at + 1


def main():
    found = []
    for folder, _, files in os.walk(sys.argv[1]):
        for name in files:
            if name.endswith((".cpp", ".hpp")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as source:
                    found += [(lines, path, function) for lines, function in functions(source.read())]
    long = [one for one in found if one[0] > MOST]
    for lines, path, function in sorted(long, reverse=True):
        print(f"FAILED: {path}: {function} has {lines} lines")
    median = statistics.median(lines for lines, _, _ in found)
    print(f"{len(found)} functions, the longest of {max(found)[0]} lines, half of them of at most {median:g}")
    if median >= MEDIAN:
        print(f"FAILED: half of the functions have {median:g} lines or more")
    return 1 if long or median >= MEDIAN else 0


if __name__ == "__main__":
    sys.exit(main())
