"""Changes of attest-check's sources."""
import os
import re
import shutil
import sys

from asking import corpus, quiet
from entries import HERE, ROOT


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
