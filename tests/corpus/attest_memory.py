#!/usr/bin/env python3
"""attest_memory.py ATTEST: what `attest info` predicts against what `certify` takes, and limits that hold.

Peaks are those of the process (getrusage), program text included.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

MEGABYTE = 1 << 20
SLACK = 12 * MEGABYTE  # program text and libraries are no data
failures = 0


def measured(arguments):
    """Exit status, standard output and error, and peak memory in bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(arguments, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return child.returncode, out.read().decode(), err.read().decode(), usage.ru_maxrss * 1024


def check(right, text):
    global failures
    print(f"{'ok' if right else 'FAILED'}: {text}")
    failures += not right


def dataset(name, groups, tokens, dimension, width, seed=1):
    """Gaussian tokens; prompt keys of dimension `dimension` when `width` is 0, else queries of that dimension."""
    source = random.Random(seed)

    def rows(count, columns):
        return [[source.gauss(0, 1) for _ in range(columns)] for _ in range(count)]

    value = {"X": [rows(tokens, dimension) for _ in range(groups)],
             "Y": [source.choice([1, -1]) for _ in range(groups)], "v": rows(1, dimension)[0]}
    if width == 0:
        value["K"] = [rows(tokens, dimension) for _ in range(groups)]
    else:
        value["z"] = rows(groups, width)
    with open(name, "w") as file:
        json.dump(value, file)


def in_child(work, *arguments):
    """Peaks count what the parent held when the child was made: large values are made elsewhere."""
    child = os.fork()
    if child == 0:
        work(*arguments)
        os._exit(0)
    os.waitpid(child, 0)


def decimals(name):
    with open(name, "w") as file:
        json.dump({"X": [[["3e65535"]] * 2000], "Y": [1], "v": [1]}, file)


def pairs(name, groups):
    rows = [[[1], [0]]] * groups
    with open(name, "w") as file:
        json.dump({"X": rows, "K": rows, "Y": [1] * groups, "v": [1]}, file)


def main():
    attest = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        # The prediction is above the peak, and not far.
        for groups, tokens, dimension, width in [(2000, 8, 24, 0), (500, 4, 40, 40), (300, 12, 32, 32)]:
            name = "data.json"
            in_child(dataset, name, groups, tokens, dimension, width)
            predicted = json.loads(measured([attest, "info", "--json", name])[1])["memory_bytes"]["certify"]
            code, _, err, peak = measured([attest, "certify", name])
            check(code == 0 and peak <= predicted <= 2.2 * peak,
                  f"{groups} x {tokens} x {dimension}, {width}: exit {code}, predicted {predicted / MEGABYTE:.1f} MB, "
                  f"peak {peak / MEGABYTE:.1f} MB {err}")
        # A limit below what is needed: what is proved by then with the reason, and not above the limit by a tenth.
        enough = peak // MEGABYTE
        for limit, form in [(4 * enough // 5, "auto"), (enough, "exact")]:
            code, out, err, peak = measured(
                [attest, "certify", name, "--form", form, "--json", "--memory-limit", str(limit * MEGABYTE)])
            answer = json.loads(out) if out else {}
            known = answer.get("verdict") in ("undecided", "feasible")
            check(code == 30 and known and "memory" in answer.get("reason", ""),
                  f"limit of {limit} MB, form {form}: exit {code}, {answer.get('reason')} {err}")
            check(peak <= 1.1 * limit * MEGABYTE + SLACK, f"peak {peak / MEGABYTE:.1f} MB")
        # Reading beyond the limit.
        in_child(decimals, "decimals.json")
        for options in [[], ["--json"]]:
            code, out, err, peak = measured([attest, "info", "decimals.json", "--memory-limit", "30000000"] + options)
            check(code == 5 and "--memory-limit" in err and peak <= 33000000 + SLACK,
                  f"2,000 long decimals, limit of 30 MB: exit {code}, peak {peak / MEGABYTE:.1f} MB {err.strip()}")
        check(json.loads(out)["error"]["kind"] == "resource", "the error as JSON")
        # All pairs of groups are kept as single words at most.
        in_child(pairs, "groups.json", 1200)
        code, _, err, peak = measured([attest, "run", "groups.json", "--optimizer", "gd", "--step", "1",
                                       "--steps", "3"])
        check(code == 0 and peak <= 60 * MEGABYTE, f"1,200 groups of two tokens: exit {code}, "
                                                   f"peak {peak / MEGABYTE:.1f} MB {err.strip()}")
    return failures > 0


sys.exit(main())
