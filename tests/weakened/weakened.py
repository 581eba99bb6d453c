#!/usr/bin/env python3
"""Weakens the checkers one place at a time and asks the tests whether they notice.

    weakened.py check                          does every entry of the lists still apply, exactly once? (in ctest)
    weakened.py run [options]                  apply, build, test each change; a table at the end
      --work FOLDER        copy of the tree, build and results (default build/weakened; results are kept and resumed)
      --lists a,b          of the lists checker, coq, ocaml, readers (default all)
      --only TEXT          entries whose name or file contains the text; may be repeated
      --part I/N           the I-th of every N entries (with a folder of its own each, several can run at once)
      --skip a,b           leave out these groups of tests (quick first passes)
      --again              forget the results of the chosen entries, or (--again survived) those with that outcome
      --built FOLDER       a finished build of the project: compiled Coq theories, attest, both checkers (default
                           build/release); the lists coq and ocaml need it
      --jobs N             for the C++ builds (default 1)
    weakened.py report [--work FOLDER] [--lists a,b]    the table of the results so far

A list has a line `file NAME tests GROUP ...` for each source below proofs/ (by its base name: it may move between
folders), and under it one entry a change, continued on indented lines:

    name: text of the source ==> what replaces it
        equivalent: why no test can notice, though the change is not for the worse
        tests: groups of tests to ask instead of the file's

The text must occur exactly once in the file, however it is broken into lines. Tests are asked in the order named;
GROUP:A,B is the files A and B of a group of unit tests, corpus:TEXT the cases whose names have the text.

Outcomes: killed (a test noticed), survived, equivalent (survived, and the entry says why that is right), stale (does
not apply or does not compile). An entry marked equivalent that a test does notice is reported as killed: the mark is
wrong.
"""
import argparse
import json
import os
import sys
import time

from asking import copy_tree
from checker_runner import CheckerRunner
from entries import LISTS, ROOT, place, read_list, sources
from verified_runners import CoqRunner, OcamlRunner, ReaderRunner


def check(lists):
    found = sources(ROOT)
    stale = total = 0
    for list_name in lists:
        for entry in read_list(list_name):
            total += 1
            at = place(entry, found)
            if isinstance(at, str):
                stale += 1
                print(f"{list_name}.list:{entry.line}: {entry.name}: {at}")
    print(f"{total} changes, {stale} of them do not apply")
    return 1 if stale else 0


RUNNERS = {"checker": CheckerRunner, "coq": CoqRunner, "ocaml": OcamlRunner, "readers": ReaderRunner}


class Results:
    """One line of JSON for each judged change, the last one counts."""

    def __init__(self, work):
        self.path = os.path.join(work, "results.jsonl")
        self.known = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as text:
                for line in text:
                    one = json.loads(line)
                    self.known[(one["list"], one["name"])] = one

    def of(self, entry):
        one = self.known.get((entry.list, entry.name))
        return one if one and one["key"] == entry.key() else None

    def add(self, entry, outcome, why, seconds):
        one = {"list": entry.list, "name": entry.name, "key": entry.key(), "outcome": outcome, "why": why,
               "seconds": round(seconds, 1)}
        self.known[(entry.list, entry.name)] = one
        with open(self.path, "a", encoding="utf-8") as text:
            text.write(json.dumps(one) + "\n")


def outcome_of(entry, one):
    if one is None:
        return "not run"
    if one["outcome"] == "survived" and entry.equivalent:
        return "equivalent"
    return one["outcome"]


def report(lists, work, chosen=None):
    results = Results(work)
    counts, files = {}, {}
    for list_name in lists:
        for entry in read_list(list_name):
            if chosen is not None and (entry.list, entry.name) not in {(one.list, one.name) for one in chosen}:
                continue
            one = results.of(entry)
            outcome = outcome_of(entry, one)
            counts[outcome] = counts.get(outcome, 0) + 1
            row = files.setdefault((list_name, entry.file), {})
            row[outcome] = row.get(outcome, 0) + 1
            if outcome == "equivalent":
                print(f"equivalent  {entry.name}: {entry.equivalent}")
            elif outcome == "killed" and entry.equivalent:
                print(f"killed      {entry.name}, although its entry calls it equivalent: {one['why']}")
            elif outcome != "killed":
                print(f"{outcome:<11} {entry.name} ({entry.file}): {one['why'] if one else ''}")
    names = ("killed", "equivalent", "survived", "stale", "not run")
    print(f"\n{'file':<34}" + "".join(f"{name:>12}" for name in names))
    for (list_name, name), row in sorted(files.items()):
        print(f"{list_name + ' ' + name:<34}" + "".join(f"{row.get(one, 0):>12}" for one in names))
    print(f"{'all':<34}" + "".join(f"{counts.get(one, 0):>12}" for one in names))
    return 1 if counts.get("survived") or counts.get("stale") else 0


def run(options, lists):
    os.makedirs(options.work, exist_ok=True)
    tree = copy_tree(options.work)
    found = sources(tree)
    results = Results(options.work)
    everything = []
    for list_name in lists:
        entries = read_list(list_name)
        if options.only:
            entries = [one for one in entries if any(text in one.name or text in one.file for text in options.only)]
        everything += entries
    first, every = (int(one) for one in options.part.split("/"))
    everything = everything[first - 1 :: every]
    for entry in everything:
        entry.tests = [one for one in entry.tests if one not in options.skip.split(",")]
    options.groups = {group for one in everything if one.list == "checker" for group in one.tests}
    runners = {}
    for number, entry in enumerate(everything, 1):
        known = results.of(entry)
        if known and not (options.again == "" or options.again == known["outcome"]):
            continue
        at = place(entry, found)
        began = time.monotonic()
        if isinstance(at, str):
            outcome, why = "stale", at
        else:
            path, text, match = at
            if entry.list not in runners:
                runners[entry.list] = RUNNERS[entry.list](options, tree)
            changed = text[: match.start()] + entry.new + text[match.end():]
            outcome, why = runners[entry.list].judge(entry, path, changed)
        results.add(entry, outcome, why, time.monotonic() - began)
        print(f"{number}/{len(everything)} {outcome:<9} {entry.name}: {why}", flush=True)
    print()
    return report(lists, options.work, everything)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("check", "run", "report"))
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "weakened"))
    parser.add_argument("--lists", default=",".join(LISTS))
    parser.add_argument("--only", action="append")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--skip", default="")
    parser.add_argument("--again", nargs="?", const="")
    parser.add_argument("--built", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    options.work, options.built = os.path.abspath(options.work), os.path.abspath(options.built)
    lists = options.lists.split(",")
    if options.action == "check":
        return check(lists)
    if options.action == "report":
        return report(lists, options.work)
    return run(options, lists)


if __name__ == "__main__":
    sys.exit(main())
