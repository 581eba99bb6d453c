#!/usr/bin/env python3
"""pages.py ATTEST SOURCE: the pages of --report are well-formed XML, need nothing from elsewhere, and can be read
without seeing: every table has a caption and scopes, every picture a title and a description."""
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "link", "br", "hr", "img", "input"}
failures = []


def check(page, holds, what):
    if not holds:
        failures.append(f"{page}: {what}")


def text_of(element):
    return "".join(element.itertext()).strip()


def check_page(name, text):
    root = tree.fromstring(text)
    check(name, root.tag == HTML + "html" and root.get("lang") == "en", "no html element in English")
    check(name, text.count("<!DOCTYPE html>") == 1, "no doctype")
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    check(name, len(ids) == len(set(ids)), "an id twice")
    headings = [element.tag for element in root.iter() if re.fullmatch(re.escape(HTML) + "h[1-6]", element.tag)]
    check(name, headings[0] == HTML + "h1" and headings.count(HTML + "h1") == 1, "not one h1 first")
    check(name, len(headings) >= 3, "few headings")
    for element in root.iter():
        short = element.tag.split("}")[1]
        check(name, element.tag.startswith((HTML, SVG)), f"element {element.tag} of another language")
        for key in element.keys():
            check(name, key not in ("src", "href", "style") and not key.startswith("on"), f"{short} with {key}")
        # HTML takes <x/> for <x>: only void elements may be empty without a closing tag.
        if element.tag.startswith(HTML) and short not in VOID:
            check(name, f"<{short}/>" not in text, f"<{short}/>")
    for table in root.iter(HTML + "table"):
        caption = table.find(HTML + "caption")
        check(name, caption is not None and text_of(caption), "a table without caption")
        columns = table.findall(f"{HTML}thead/{HTML}tr/{HTML}th")
        check(name, columns and all(cell.get("scope") == "col" for cell in columns), "columns without scope")
        for row in table.findall(f"{HTML}tbody/{HTML}tr"):
            check(name, len(row) == len(columns) and row[0].get("scope") == "row", "a row of another length")
            for cell in row:
                if cell.get("data-order") is not None:
                    float(cell.get("data-order"))
    pictures = list(root.iter(SVG + "svg"))
    for picture in pictures:
        named = (picture.get("aria-labelledby") or "").split()
        check(name, picture.get("role") == "img" and len(named) == 2, "a picture without a name")
        check(name, all(one in ids for one in named), "a name that is nowhere")
        check(name, text_of(picture.find(SVG + "desc")), "a picture without description")
        for element in picture.iter():
            for key in ("x", "y", "width", "height", "cx", "cy", "x1", "x2", "y1", "y2"):
                if element.get(key) is not None:
                    check(name, abs(float(element.get(key))) < 10000, f"{key}={element.get(key)}")
            check(name, "nan" not in (element.get("points") or "") + (element.get("d") or ""), "nan in a path")
    check(name, "prefers-color-scheme" in text and "@media print" in text, "one look only")
    return len(pictures)


def main():
    attest, source = sys.argv[1:3]
    sample = f"{source}/certify/samples/digits01.npz"
    unit = f"{source}/certify/samples/digits01_unit.npz"
    small = f"{source}/tests/unit/certify/catalogue/two_local.json"
    clash = '{"X":[[[1,0],[0,1]],[[1,0],[0,1]]],"Y":[1,-1],"v":[1,0],"z":[[1,0],[1,0]]}'
    with tempfile.TemporaryDirectory() as folder:
        def page(name, pictures, *arguments):
            path = f"{folder}/{name}.html"
            done = subprocess.run([attest, *arguments, "--report", path], capture_output=True, text=True, cwd=folder)
            check(name, done.returncode in (0, 30) or name == "audits", f"exit {done.returncode}: {done.stderr}")
            with open(path, encoding="utf-8") as file:
                shown = check_page(name, file.read())
            check(name, shown == pictures, f"{shown} pictures, not {pictures}")

        def write(name, text):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
            return f"{folder}/{name}"

        page("certify", 3, "certify", sample, "-o", f"{folder}/c.cert", "--loss", "logistic")
        page("exact", 3, "certify", small, "--form", "exact")
        page("infeasible", 1, "certify", write("clash <&> \u2016.json", clash))
        page("run", 3, "run", unit, "--optimizer", "ngd", "--step", "1/10", "--steps", "60")
        page("no-step", 1, "run", small, "--optimizer", "ngd", "--step", "1/10", "--steps", "0", "--init", "random:1")
        page("computed", 1, "run", small, "--optimizer", "gd", "--step", "1/2", "--steps", "60",
             "--arithmetic", "double")
        page("mirror", 3, "run", small, "--optimizer", "nmd", "--potential", "3", "--step", "1/10", "--steps", "60")
        page("factors", 3, "run", small, "--parameterization", "kq", "--optimizer", "gd", "--step", "1/10", "--steps",
             "60")
        page("joint-run", 3, "run", small, "--joint", "--optimizer", "ngd", "--step", "1/10", "--steps", "60")
        page("norm", 0, "certify", small, "--norm", "nuc", "-o", f"{folder}/norm.cert")
        page("joint", 1, "certify", sample, "--joint")
        write("sets.json", "[[0],[0]]")
        page("sets", 1, "certify", small, "--selected-sets", f"{folder}/sets.json")
        page("path", 2, "path", sample)
        page("path-conflict", 1, "path", write("clash.json", clash))
        page("verify", 3, "verify", small, "--steps", "50")
        page("undecided", 0, "certify", sample, "--time-limit", "0.001")
        page("unknown", 0, "certify", sample, "--joint", "--time-limit", "0.001")
        write("w.json", "[[0,0],[0,0]]")
        page("conflict", 2, "checkpoint", f"{folder}/clash.json", "--W", f"{folder}/w.json")
        page("audit", 3, "audit", small)
        page("audited-conflict", 1, "audit", f"{folder}/clash.json")
        page("audits", 4, "audit", small, f"{folder}/clash.json", f"{folder}/w.json", "-o", f"{folder}/certificates")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
