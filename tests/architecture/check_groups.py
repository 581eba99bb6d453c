#!/usr/bin/env python3
"""check_groups.py ROOT: sources that a unity build compiles together, those of one folder and in the quick build those
of the folders in JOINED, have no name of their unnamed namespaces in common, but for aliases and functions of other
parameters; a function and another thing of one name are in common.

Left out are sources that a CMakeLists.txt compiles alone (SKIP_UNITY_BUILD_INCLUSION).
"""
import collections
import pathlib
import re
import sys

ALONE = re.compile(r"set_source_files_properties\(([^)]*SKIP_UNITY_BUILD_INCLUSION[^)]*)\)")
# As in the CMakeLists.txt of the parts.
JOINED = {
    "numerics": [("problem", "margin", "norms"), ("mirror", "factored", "joint")],
    "certify": [("process", "numbers", "instance", "pictures"), ("certificates", "catalogue")],
    "proofs/checker": [("base", "instance", "problem", "text"),
                       ("forever", "claims", *(f"claims/{name}" for name in ("descent", "factored", "joint", "margin",
                                               "mirror", "norms", "paths", "replays", "tokens")))],
}
NAMESPACE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.S | re.M)
# A definition begins at the beginning of a line: a type; or what stands before a bracket, a brace or a value.
TYPE = re.compile(r"(?:struct|class|enum class|enum) (\w+)(?! *;)")
OTHER = re.compile(r"[\w:<>,\s*&]*?[\s*&](\w+) *(\(|=|\{|\[|;)")


def alone(root):
    """The sources that are compiled alone."""
    found = set()
    for lists in root.glob("*/**/CMakeLists.txt"):
        for command in ALONE.findall(lists.read_text()):
            found.update(lists.parent / name for name in re.findall(r"[\w/]+\.cpp", command))
            if re.search(r"\$\{\w+\}", command):  # a list of the whole folder
                found.update(lists.parent.glob("*.cpp"))
    return found


def names(text):
    """(name, parameters) of what stands in unnamed namespaces; None is what is no function."""
    for block in NAMESPACE.findall(text):
        lines = re.sub(r"//[^\n]*", "", block)
        for definition in re.finditer(r"^(?=[A-Za-z_])(?!template|namespace|using|__extension__ using)", lines, re.M):
            rest = lines[definition.start():]
            named = TYPE.match(rest) or OTHER.match(rest)
            if named is None:
                continue
            parameters = None
            if named.re is OTHER and named.group(2) == "(":
                parameters = " ".join(rest[named.end():rest.find(")", named.end())].split())
                parameters = ",".join(re.sub(r" ?\b\w+$", "", one).strip() for one in parameters.split(","))
            yield named.group(1), parameters


root = pathlib.Path(sys.argv[1])
left_out = alone(root)
failures = 0
for part in ("numerics", "certify", "proofs/checker", "tests/cli", "tests/mutation", "tests/oracle", "tests/unit"):
    joined = [[root / part / name for name in folders] for folders in JOINED.get(part, [])]
    alone_folders = {path.parent for path in (root / part).rglob("*.cpp")} - {f for group in joined for f in group}
    for group in joined + [[folder] for folder in sorted(alone_folders)]:
        places, others = collections.defaultdict(set), collections.defaultdict(set)
        for path in sorted({path for folder in group for path in folder.glob("*.cpp")} - left_out):
            place = str(path.relative_to(root))
            for name, parameters in set(names(path.read_text())):
                places[name, parameters or ""].add(place)
                if parameters is None:
                    others[name].add(place)
        for (name, parameters), files in sorted(places.items()):
            files |= others[name]
            if len(files) > 1:
                print(f"{name} stands in {', '.join(sorted(files))}")
                failures += 1
sys.exit(1 if failures else 0)
