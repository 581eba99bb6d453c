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
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LISTS = ("checker", "coq", "ocaml", "readers")


class Entry:
    def __init__(self, list_name, name, line):
        self.list, self.name, self.line = list_name, name, line
        self.file = self.old = self.new = self.equivalent = None
        self.tests = []

    def key(self):
        return hashlib.sha256(f"{self.file}\0{self.old}\0{self.new}".encode()).hexdigest()[:16]


def read_list(list_name):
    path = os.path.join(HERE, list_name + ".list")
    entries, names, parts = [], set(), None
    file_name, groups = None, []
    with open(path, encoding="utf-8") as text:
        for number, raw in enumerate(text, 1):
            line = raw.strip()
            if not line or line.startswith("#"):
                continue
            words = line.split()
            if words[0] == "file" and words[2:3] == ["tests"] and not raw[0].isspace():
                file_name, groups = words[1], words[3:]
            elif not raw[0].isspace():
                name, separator, rest = line.partition(": ")
                if not separator or not re.fullmatch(r"[a-z0-9.-]+", name) or name in names or not groups:
                    sys.exit(f"{path}:{number}: not a new name of an entry, below a file")
                names.add(name)
                entries.append(Entry(list_name, name, number))
                entries[-1].file, entries[-1].tests = file_name, groups
                parts = entries[-1].parts = {"": [rest]}
                key = ""
            else:
                word, separator, rest = line.partition(": ")
                if word in ("equivalent", "tests") and separator:
                    key, line = word, rest
                parts.setdefault(key, []).append(line)
    for one in entries:
        change = " ".join(one.parts[""]).split("==>")
        if len(change) != 2 or not change[0].strip():
            sys.exit(f"{path}:{one.line}: {one.name}: text ==> text expected")
        one.old, one.new = change[0].strip(), change[1].strip()
        if "equivalent" in one.parts:
            one.equivalent = " ".join(one.parts["equivalent"])
        if "tests" in one.parts:
            one.tests = " ".join(one.parts["tests"]).split()
    return entries


def pattern_of(snippet):
    """The snippet, with any white space between its tokens: formatters may break lines elsewhere."""
    tokens = list(re.finditer(r"\w+|[^\w\s]", snippet))
    parts = []
    for before, token in zip([None] + tokens, tokens):
        if before is not None:
            both_words = re.match(r"\w", before.group()) and re.match(r"\w", token.group())
            parts.append(r"\s+" if both_words else r"\s*")
        parts.append(re.escape(token.group()))
    pattern = "".join(parts)
    if re.match(r"\w", tokens[0].group()):
        pattern = r"(?<!\w)" + pattern
    if re.match(r"\w", tokens[-1].group()):
        pattern += r"(?!\w)"
    return re.compile(pattern)


def sources(tree):
    """Base name -> paths below proofs/."""
    found = {}
    for folder, folders, files in os.walk(os.path.join(tree, "proofs")):
        folders[:] = [one for one in folders if one != "build" and not one.startswith(".")]
        for name in files:
            found.setdefault(name, []).append(os.path.join(folder, name))
    return found


def place(entry, found):
    """(path, text, match) or the reason why the entry does not apply."""
    paths = [path for path in found.get(os.path.basename(entry.file), []) if path.endswith("/" + entry.file)]
    if len(paths) != 1:
        return f"{len(paths)} files are named {entry.file}"
    with open(paths[0], encoding="utf-8") as source:
        text = source.read()
    matches = list(pattern_of(entry.old).finditer(text))
    if len(matches) != 1:
        return f"its text occurs {len(matches)} times in {entry.file}"
    if entry.new == entry.old:
        return "it changes nothing"
    return paths[0], text, matches[0]


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


# ---- running ----


def quiet(command, timeout, cwd=None, env=None):
    """(exit code or None after the timeout, the last of the output)."""
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        code = None
    return code, output.decode(errors="replace")[-4000:]


def copy_tree(work):
    """work/tree: the sources, with unchanged files left alone so that builds stay incremental."""
    tree = os.path.join(work, "tree")
    wanted = set()
    for part in ("proofs", "tests"):
        for folder, folders, files in os.walk(os.path.join(ROOT, part)):
            folders[:] = [one for one in folders if one not in ("build", "__pycache__")]
            for name in files:
                source = os.path.join(folder, name)
                target = os.path.join(tree, os.path.relpath(source, ROOT))
                wanted.add(target)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(source, "rb") as one:
                    content = one.read()
                if os.path.exists(target):
                    with open(target, "rb") as other:
                        if other.read() == content:
                            continue
                with open(target, "wb") as other:
                    other.write(content)
                shutil.copymode(source, target)
    for folder, _, files in os.walk(tree):
        for name in files:
            if os.path.join(folder, name) not in wanted:
                os.remove(os.path.join(folder, name))
    return tree


def cases(tree):
    """(case, instance, certificate, expected exit codes, words of the refusal) of the corpus."""
    for kind in ("correct", "incorrect", "malformed"):
        folder = os.path.join(tree, "tests", "corpus", kind)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".case"):
                with open(os.path.join(folder, name), encoding="utf-8") as text:
                    fields = dict(line.split(" ", 1) for line in text.read().splitlines())
                yield (name, os.path.join(folder, fields["instance"]), os.path.join(folder, fields["certificate"]),
                       [int(code) for code in fields["exit"].split()], fields.get("message", ""))


def answered_otherwise(tree, program, some="", beyond=()):
    """(case, how) for the cases of the corpus, of those whose names have `some`, that the program answers otherwise:
    those `beyond` it with exit 5."""
    for name, instance, certificate, expected, words in cases(tree):
        if some not in name:
            continue
        if name in beyond:
            expected, words = [5], ""
        code, output = quiet([program, instance, certificate], 60)
        if code not in expected:
            yield name, f"{name}: exit {code}"
        elif words not in output:
            yield name, f"{name}: other words"


def corpus(tree, program, some="", beyond=()):
    """How the first such case is answered, or nothing; the unchanged program ends in exit 5 for those `beyond` it."""
    return next((how for _, how in answered_otherwise(tree, program, some, beyond)), None)


class CheckerRunner:
    """The C++ checker. Everything is built once in work/build; a changed source is compiled alone and linked with the
    objects of all the others and of the tests that are asked, a changed header sends every source through the
    build again."""

    limits = {"mutation": 900, "runs-mutation": 1200}
    programs = {"unit": "checker_tests", "runs": "checker_runs_tests", "corpus": "attest-check",
                "architecture": "attest-check", "mutation": "mutation_tests", "cuts": "mutation_tests",
                "runs-mutation": "mutation_tests"}
    prefix = ["gmpxx.h", "algorithm", "cstdint", "deque", "functional", "map", "memory", "optional", "set", "string",
              "vector"]

    def __init__(self, options, tree):
        self.tree, self.options = tree, options
        self.targets = sorted({self.programs[one.split(":")[0]] for one in options.groups})
        self.build, self.scratch = os.path.join(options.work, "build"), os.path.join(options.work, "changed")
        command = ["cmake", "-G", "Ninja", "-S", os.path.join(HERE, "checker_only"), "-B", self.build, f"-DTREE={tree}",
                   "-DCMAKE_BUILD_TYPE=Release"]
        code, output = quiet(command, 300)
        if code != 0 or not self.make():
            sys.exit(f"the unchanged sources do not build in {self.build}\n{output if code else self.last}")
        os.makedirs(self.scratch, exist_ok=True)
        self.compiler = ["g++", "-std=c++20", "-O0", "-w", f"-I{tree}"]
        header = os.path.join(self.scratch, "prefix.hpp")
        with open(header, "w", encoding="utf-8") as text:
            text.writelines(f"#include <{one}>\n" for one in self.prefix)
        quiet(self.compiler + ["-x", "c++-header", header, "-o", header + ".gch"], 300)

    def make(self):
        command = ["cmake", "--build", self.build, "-j", str(self.options.jobs), "--target"]
        code, self.last = quiet(command + ["checker"] + self.targets, 3600)
        return code == 0

    def objects(self, target):
        folder = os.path.join(self.build, "CMakeFiles", target + ".dir")
        return [os.path.join(where, name) for where, _, files in os.walk(folder)
                for name in files if name.endswith(".o")]

    def link(self, group, files, path, changed):
        """The program of a group, with `changed` for the object of `path`."""
        target = self.programs[group]
        program = os.path.join(self.scratch, target)
        tests = self.objects(target)
        if files and group != "corpus":
            tests = [one for one in tests if os.path.basename(one)[:-6] in files.split(",") + ["main", "doctest_main"]]
        if target == "mutation_tests":
            tests += self.objects("reference")
        replaced = path + ".o"
        others = [one for one in tests + self.objects("checker") if not one.endswith(replaced)]
        libraries = ["-lgmpxx", "-lgmp", "-lz"]
        if target != "attest-check":
            libraries = ["-lmpfr"] + libraries
        if target == "mutation_tests":
            libraries = ["-lflint-arb", "-lflint", "-lnettle"] + libraries
        code, self.last = quiet(["g++"] + others + [changed] + libraries + ["-o", program], 300)
        return program if code == 0 else None

    def test(self, group, files, program):
        """What noticed, or nothing."""
        if group == "corpus":
            return corpus(self.tree, program, files)
        command, env = {
            "unit": ([program, "-aa=1"], {}),
            "runs": ([program, "-aa=1"], {}),
            "mutation": ([program, "-tc=no accepted change*", "-aa=1"], {}),
            "cuts": ([program, "-tce=*change*", "-aa=1"], {}),
            "runs-mutation": ([program, "-tc=runs: no accepted change*", "-aa=1"],
                              {"ATTEST": os.path.join(self.options.built, "bin", "attest")}),
        }[group]
        code, output = quiet(command, self.limits.get(group, 300), env=dict(os.environ, **env))
        if code == 0:
            return None
        named = re.findall(r"TEST CASE:\s*(.*)", output)
        return f"{named[-1] if named else 'ends in a crash'}{' (too slow)' if code is None else ''}"

    def judge(self, entry, path, text):
        whole = path.endswith(".hpp")
        changed = os.path.join(self.scratch, "changed.o")
        try:
            if whole:
                with open(path, "w", encoding="utf-8") as target:
                    target.write(text)
                if not self.make():
                    return "stale", "does not compile: " + self.last.strip().splitlines()[-1]
            else:
                source = os.path.join(self.scratch, "changed.cpp")
                with open(source, "w", encoding="utf-8") as target:
                    target.write(text)
                prefix = os.path.join(self.scratch, "prefix.hpp")
                command = self.compiler + ["-DATTEST_VERSION=\"0\"", "-include", prefix, "-c", source, "-o", changed]
                code, output = quiet(command, 600)
                if code != 0:
                    return "stale", "does not compile: " + "".join(re.findall(r"error: .*", output)[:1])
            for one in entry.tests:
                group, _, files = one.partition(":")
                if whole:
                    program = os.path.join(self.build, "bin", self.programs[group])
                else:
                    program = self.link(group, files, path, changed)
                if program is None:
                    return "stale", "does not link: " + self.last.strip().splitlines()[-1]
                noticed = self.test(group, files, program)
                if noticed:
                    return "killed", f"{one}: {noticed}"
            return "survived", ""
        finally:
            if whole:
                shutil.copy2(os.path.join(ROOT, os.path.relpath(path, self.tree)), path)
                os.utime(path)
                self.make()


class CoqRunner:
    """The verified checker's definitions: a weakened one must make a proof fail, in its file or one that needs it."""

    def __init__(self, options, tree):
        self.options, self.tree = options, tree
        compiled = os.path.join(options.built, "proofs", "coq")
        self.folder = os.path.join(options.work, "coq")
        if not os.path.exists(os.path.join(compiled, "coq.stamp")):
            sys.exit(f"{compiled} holds no compiled theories: build the target coq, or name another build by --built")
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(os.path.join(compiled, "theories"), os.path.join(self.folder, "theories"))
        for name, paths in sources(tree).items():
            if name.endswith(".v") and "theories" in paths[0]:
                with open(paths[0], "rb") as ours, open(self.compiled_path(paths[0]), "rb") as theirs:
                    if ours.read() != theirs.read():
                        sys.exit(f"{compiled} was compiled from another {name}: build the target coq again")
        self.needs = {}
        below = os.path.join(self.folder, "theories")
        everything = [os.path.relpath(os.path.join(folder, name), self.folder) for folder, _, files in os.walk(below)
                      for name in files if name.endswith(".v")]
        output = subprocess.run(["coqdep", "-R", "theories", "Attest"] + everything, cwd=self.folder,
                                capture_output=True, text=True, check=True).stdout
        for line in output.splitlines():
            targets, separator, rest = line.partition(":")
            if separator and ".vo " in targets + " ":
                source = next((word for word in rest.split() if word.endswith(".v")), None)
                if source:
                    self.needs[source] = {word[:-1] for word in rest.split()
                                          if word.endswith(".vo") and word.startswith("theories")}

    def compiled_path(self, path):
        return os.path.join(self.folder, os.path.relpath(path, os.path.join(self.tree, "proofs", "coq")))

    def dependents(self, source):
        """The files that need this one, in an order in which they can be compiled."""
        wanted, order = {source}, []
        while True:
            more = {one for one, needed in self.needs.items() if needed & wanted} - wanted
            if not more:
                break
            wanted |= more
        while wanted:
            ready = sorted(one for one in wanted if not (self.needs.get(one, set()) & wanted))
            order += ready
            wanted -= set(ready)
        return order

    def judge(self, entry, path, text):
        source = os.path.relpath(self.compiled_path(path), self.folder)
        done = []
        try:
            with open(os.path.join(self.folder, source), "w", encoding="utf-8") as target:
                target.write(text)
            for one in self.dependents(source):
                compiled = os.path.join(self.folder, one + "o")
                shutil.copy2(compiled, compiled + ".kept")
                done.append(compiled)
                code, output = quiet(["coqc", "-q", "-w", "none", "-R", "theories", "Attest", one], 1200,
                                     cwd=self.folder)
                if code != 0:
                    at = re.findall(r"line (\d+)", output)
                    error = re.sub(r"\s+", " ", output[output.find("Error"):])[:60]
                    if re.search(r"Syntax error|was not found in the current environment|Cannot find", output):
                        return "stale", f"{os.path.basename(one)}: {error}"
                    return "killed", f"{os.path.basename(one)}:{at[0] if at else '?'}: {error}"
            return "survived", f"{len(done)} files compile"
        finally:
            for compiled in done:
                os.replace(compiled + ".kept", compiled)
            original = os.path.join(self.options.built, "proofs", "coq", source)
            shutil.copy2(original, os.path.join(self.folder, source))


class OcamlModules:
    """OCaml modules that know only each other's interfaces: a changed one is compiled alone and linked."""

    tool = ["ocamlfind", "ocamlopt", "-w", "-a", "-opaque", "-no-keep-locs", "-package", "zarith,unix,zip"]

    def __init__(self, folder, order, origin):
        self.folder, self.order, self.origin = folder, order, origin
        self.objects = []  # others that programs need

    def interface(self, name):
        path = os.path.join(self.folder, name.rsplit(".", 1)[0] + ".cmi")
        if not os.path.exists(path):
            return None
        with open(path, "rb") as compiled:
            return compiled.read()

    def compile(self, first, text=None):
        """From this module on, with another text for it, as far as interfaces change; what stands before stays."""
        for name in self.order[self.order.index(first):]:
            before = self.interface(name)
            if name in self.origin:
                shutil.copy2(self.origin[name], os.path.join(self.folder, name))
            if name == first and text is not None:
                with open(os.path.join(self.folder, name), "w", encoding="utf-8") as target:
                    target.write(text)
            code, self.last = quiet(self.tool + ["-c", name], 600, cwd=self.folder)
            if code != 0:
                return False
            if name == first and before is not None and self.interface(name) == before:
                return True
        return True

    def build(self, program, first, text=None):
        if not self.compile(first, text):
            return False
        objects = self.objects + [name[:-3] + ".cmx" for name in self.order if name.endswith(".ml")]
        code, self.last = quiet(self.tool + ["-linkpkg"] + objects + ["-o", program], 600, cwd=self.folder)
        return code == 0


def ocaml_sources(tree):
    return {os.path.basename(path): path for paths in sources(tree).values() for path in paths if path.endswith(".ml")}


class ReaderRunner:
    """The verified checker's readers of instances, alone. They are asked of the corpus and of the files that the
    differential test draws; the tests hold what they say of both against the oracle."""

    def __init__(self, options, tree):
        differential = os.path.join(tree, "tests", "differential")
        folder = os.path.join(options.work, "readers")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        lists = open(os.path.join(differential, "CMakeLists.txt"), encoding="utf-8").read()
        names = re.search(r"set\(modules ([^)]*)\)", lists).group(1).split() + ["read_many"]
        origin = dict(ocaml_sources(tree), **{"read_many.ml": os.path.join(differential, "read_many.ml")})
        self.modules = OcamlModules(folder, [f"{name}.ml" for name in names], origin)
        self.program = os.path.join(folder, "read_many")
        drawn = os.path.join(folder, "drawn")
        os.makedirs(drawn)
        code, output = quiet([os.path.join(differential, "differential.py"), "--write", drawn], 900)
        if code != 0 or not self.modules.build(self.program, self.modules.order[0]):
            sys.exit(f"the unchanged readers do not build\n{output if code else self.modules.last}")
        corpus = [os.path.join(tree, "tests", "corpus", kind) for kind in ("correct", "incorrect", "malformed")]
        self.files = [os.path.join(where, name) for where in corpus + [drawn] for name in sorted(os.listdir(where))
                      if not name.endswith((".attest", ".case"))]
        self.answers = self.read()

    def read(self):
        try:
            done = subprocess.run([self.program], input="\n".join(self.files) + "\n", capture_output=True, text=True,
                                  timeout=300)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.splitlines()

    def judge(self, entry, path, text):
        name = os.path.basename(path)
        try:
            if not self.modules.build(self.program, name, text):
                return "stale", "does not compile: " + " ".join(self.modules.last.split())[-100:]
            answers = self.read()
            if answers is None:
                return "killed", "too slow"
            for file, said, expected in zip(self.files, answers + ["ends in a crash"], self.answers):
                if said != expected:
                    return "killed", f"{os.path.basename(file)}: {said[:20]}"
            return "survived", ""
        finally:
            self.modules.compile(name)


class OcamlRunner:
    """The verified checker's readers of certificates, and printers, around the extracted check."""

    def __init__(self, options, tree):
        self.options, self.tree = options, tree
        built = os.path.join(options.built, "proofs", "coq", "ocaml")
        folder = os.path.join(options.work, "ocaml")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        lists = open(os.path.join(tree, "proofs", "coq", "CMakeLists.txt"), encoding="utf-8").read()
        order = [re.search(rf"set\({name}_verified ([^)]*)\)", lists).group(1).split() for name in ("before", "after")]
        order = [f"{one}.ml" for one in order[0]] + ["verified.mli", "verified.ml"] + [f"{one}.ml" for one in order[1]]
        self.modules = OcamlModules(folder, order, ocaml_sources(tree))
        for name in ("verified.ml", "verified.mli"):
            shutil.copy2(os.path.join(built, name), folder)
        for source in [path for paths in sources(tree).values() for path in paths if path.endswith(".c")]:
            shutil.copy2(source, folder)
            name = os.path.basename(source)
            code, output = quiet(self.modules.tool + ["-c", name], 600, cwd=folder)
            if code != 0:
                sys.exit(f"{name} does not compile\n{output}")
            self.modules.objects.append(name[:-2] + ".o")
        self.program = os.path.join(folder, "attest-check-verified")
        if not self.modules.build(self.program, order[0]):
            sys.exit(f"the unchanged readers do not build\n{self.modules.last}")
        # Other heads, sentences: exit 5.
        self.beyond = {name for name, how in answered_otherwise(tree, self.program) if how.endswith("exit 5")}

    def judge(self, entry, path, text):
        name = os.path.basename(path)
        try:
            if not self.modules.build(self.program, name, text):
                return "stale", "does not compile: " + " ".join(self.modules.last.split())[-100:]
            for group in entry.tests:
                noticed = self.test(*group.partition(":")[::2])
                if noticed:
                    return "killed", f"{group}: {noticed}"
            return "survived", ""
        finally:
            self.modules.compile(name)

    def test(self, group, some):
        programs = os.path.join(self.options.built, "bin")
        checker, attest = os.path.join(programs, "attest-check"), os.path.join(programs, "attest")
        scripts = os.path.join(self.tree, "tests", "coq")
        sample = os.path.join(ROOT, "certify", "samples", "digits01.npz")
        if group == "corpus":
            return corpus(self.tree, self.program, some, self.beyond)
        command = {
            "agree": [f"{scripts}/compare_checkers.sh", checker, self.program,
                      os.path.join(self.tree, "tests/corpus"), "1"],
            "forever": [f"{scripts}/forever_test.sh", checker, self.program],
            "runs": [f"{scripts}/compare_runs.sh", attest, checker, self.program, sample,
                     os.path.join(self.tree, "tests/unit/certify/catalogue/two_local.json")],
        }[group]
        code, output = quiet(["sh"] + command, 900)
        return None if code == 0 else (output.strip().splitlines() or ["?"])[0][:100]


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
