#!/usr/bin/env python3
"""checker_man_page.py VERSION FOLDER PROGRAM...: FOLDER/PROGRAM.1 from what PROGRAM --help prints."""
import os
import re
import subprocess
import sys


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def man_page(name, version, usage):
    lines = usage.rstrip().split("\n")
    synopsis = lines[0].removeprefix("Usage: ")
    first_option = next(k for k, line in enumerate(lines) if line.startswith("  --"))
    exits = next(k for k, line in enumerate(lines) if line.startswith("Exit: "))
    description = " ".join(lines[1:first_option])
    page = [f'.TH {roff(name.upper())} 1 "" "attest {version}" "attest"', ".SH NAME",
            f"{roff(name)} \\- re\\-checks every claim of a certificate from the dataset file",
            ".SH SYNOPSIS", roff(synopsis), ".SH DESCRIPTION", roff(description), ".SH OPTIONS"]
    options = []
    for line in lines[first_option:exits]:
        if line.startswith("  --"):
            options.append([part for part in re.split(r"\s{2,}", line.strip(), maxsplit=1)])
        else:
            options[-1] = [options[-1][0], " ".join(options[-1][1:] + [line.strip()])]
    for option in options:
        page += [".TP", "\\fB" + roff(option[0]) + "\\fR", roff(option[1]) if len(option) > 1 else ""]
    page += [".SH EXIT STATUS"]
    statuses = " ".join(line.strip() for line in lines[exits:]).removeprefix("Exit: ")
    for status in re.split(r",? +(?=\d )", " " + statuses):
        if status.strip():
            number, _, text = status.strip().partition(" ")
            page += [".TP", number, roff(text)]
    page += [".SH SEE ALSO", "\\fBattest\\fR(1)"]
    return "\n".join(page) + "\n"


def main():
    version, folder, *programs = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for program in programs:
        name = os.path.basename(program)
        usage = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as page:
            page.write(man_page(name, version, usage))


if __name__ == "__main__":
    main()
