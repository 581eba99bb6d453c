#!/usr/bin/env python3
"""check_functions.py FOLDER[:FOLDER...]...: in the C++, Python and OCaml sources of each folder, or of several
together, no function is longer than 80 lines, and half of them are below 10; test cases, lists of checks, do not count
for the half.

A function's lines are those from its name to its closing brace, without lines that hold nothing but a comment; those of
Python without the docstring. What is a function of C++ is told by its shape: a parenthesis, qualifiers or initialisers,
and a brace outside of any other function. Of OCaml every definition counts that stands at the beginning of a line.
"""
import ast
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


def python_functions(text):
    """(lines, name) of every function."""
    for one in ast.walk(ast.parse(text)):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = (ast.get_docstring(one, clean=False) or "").count("\n") + 1
            yield one.end_lineno - one.lineno + 1 - docstring, one.name


def ocaml_functions(text):
    """(lines, name) of every definition."""
    text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
    for item in re.split(r"^(?=[a-z])", text, flags=re.M):
        if re.match(r"(let|and)\b", item):
            yield sum(bool(line.strip()) for line in item.split("\n")), " ".join(item.split()[:2])


READERS = {".cpp": functions, ".hpp": functions, ".py": python_functions, ".ml": ocaml_functions}


def of_folder(root):
    found = []
    for folder, _, files in os.walk(root):
        for name in files:
            read = READERS.get(os.path.splitext(name)[1])
            if read:
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as source:
                    found += [(lines, path, function) for lines, function in read(source.read())]
    return found


def main():
    failed = False
    for roots in sys.argv[1:]:
        found = [function for root in roots.split(":") for function in of_folder(root)]
        for lines, path, function in sorted(found, reverse=True):
            if lines > MOST:
                failed = True
                print(f"FAILED: {path}: {function} has {lines} lines")
        median = statistics.median(lines for lines, _, function in found if function != "TEST_CASE")
        print(f"{roots}: {len(found)} functions, the longest of {max(found)[0]} lines, half of at most {median:g}")
        if median >= MEDIAN:
            failed = True
            print(f"FAILED: half of the functions of {roots} have {median:g} lines or more")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
