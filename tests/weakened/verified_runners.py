"""Changes of the verified checker: its definitions in Coq, its readers of instances and of certificates in OCaml."""
import os
import re
import shutil
import subprocess
import sys

from asking import answered_otherwise, corpus, quiet
from entries import ROOT, sources


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


def verified_order(tree):
    """The files of the verified checker in order of dependence, as proofs/coq/CMakeLists.txt finds it."""
    lists = open(os.path.join(tree, "proofs", "coq", "CMakeLists.txt"), encoding="utf-8").read()
    first = [f"{one}.ml" for one in re.search(r"set\(before_verified ([^)]*)\)", lists).group(1).split()]
    sort = ["ocamlfind", "ocamldep", "-sort", "-one-line"]
    folder = os.path.join(tree, "proofs", "coq", "ocaml")
    names = sorted(one for one in os.listdir(folder) if one.endswith(".ml"))
    found = subprocess.run(sort + names, cwd=folder, capture_output=True, text=True, check=True).stdout.split()
    later = [one for one in found if one not in first + ["main.ml"]]
    return first + ["verified.mli", "verified.ml"] + later + ["main.ml"]


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
        order = verified_order(tree)
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
        # Some heads and kinds: exit 5; some refusals have other words than those of attest-check.
        self.beyond = {}
        for name, how in answered_otherwise(tree, self.program):
            if not how.endswith(("exit 5", "other words")):
                sys.exit(f"the unchanged program does not answer {how}")
            self.beyond[name] = [5] if how.endswith("exit 5") else None

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
            "agree": [sys.executable, f"{scripts}/compare_checkers.py", checker, self.program,
                      os.path.join(self.tree, "tests/corpus"), "1"],
            "forever": ["sh", f"{scripts}/forever_test.sh", checker, self.program],
            "runs": ["sh", f"{scripts}/compare_runs.sh", attest, checker, self.program, sample,
                     os.path.join(self.tree, "tests/unit/certify/catalogue/two_local.json")],
        }[group]
        code, output = quiet(command, 900)
        return None if code == 0 else (output.strip().splitlines() or ["?"])[0][:100]
