"""The lists of changes, and the place in the sources that each of them speaks of."""
import hashlib
import os
import re
import sys

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
