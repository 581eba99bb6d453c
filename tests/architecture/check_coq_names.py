#!/usr/bin/env python3
"""check_coq_names.py FOLDER: no name of a definition, type or theorem stands in two files of the Coq development."""
import collections
import pathlib
import re
import sys

KINDS = "Definition|Fixpoint|Inductive|Variant|Record|Lemma|Theorem|Corollary"
files_of = collections.defaultdict(set)
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.v")):
    text = re.sub(r"\(\*.*?\*\)", "", path.read_text(encoding="utf-8"), flags=re.S)
    for name in re.findall(rf"^\s*(?:{KINDS})\s+([\w']+)", text, re.M):
        files_of[name].add(path.name)

print(f"{len(files_of)} names")
failures = {name: files for name, files in files_of.items() if len(files) > 1}
for name, files in sorted(failures.items()):
    print(f"{name} is defined in {', '.join(sorted(files))}")
sys.exit(1 if failures else 0)
