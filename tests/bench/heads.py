#!/usr/bin/python3
"""heads.py BIN FOLDER [causal|digits|steps|text ...]: other heads and settings, at sizes that have a bar of their own.

causal: 20 sequences of 32 tokens in 32 dimensions, every token a query, labels at random and a planted teacher's
selection: certify and attest-check. digits: a classifier with the 10 classes of scikit-learn's digits, U the mean
patches of the classes: audits of all and of ten at a time, runs of these, and the checks of their certificates. steps:
runs of S2 with a scalar head and with classifiers of 3 and 10 classes. text: `attest ntp` with 1,000 steps of both
stages, and the checks of what it wrote.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np

import bars
import datasets
import make_instance

STEPS, ROUNDS = 200, 3  # of a run of S2; the least processor time of some rounds
LICENCE = "/usr/share/common-licenses/GPL-3"
CUT = r"""tr -cs A-Za-z '\n' <"$1" | tr A-Z a-z |
awk '/./ { line = line $0 " "; if (++n > 8 && !ended[$0]++) { print line; line = ""; n = 0 } }' >"$2" """


def measured(title, program, says, *arguments):
    """One line of a table; what the program printed, as JSON where it is."""
    cpu, wall, memory, status, out = bars.run(program, *arguments)
    found = json.loads(out) if "--json" in arguments else out
    datasets.line(title, pathlib.Path(program).name + " " + str(arguments[0] if program.name == "attest" else ""),
                  f"{cpu:.1f} s", f"{wall:.1f} s", f"{memory / 1e6:.0f} MB", status, says(found))
    return found


def verdict_line(out):
    return out.strip().split("\n")[-1]


def heading():
    datasets.line("data", "who", "CPU", "wall", "memory", "status", "says")
    datasets.line(*["---"] * 7)


def causal(binaries, folder):
    random = np.random.default_rng(12)
    n, tokens, d = 20, 32, 32
    X = make_instance.unit(random.standard_normal((n, tokens, d)))
    labels = {"X": X, "Y": random.choice(np.array([-1, 1]), (n, tokens)), "setting": np.array("causal"),
              "v": make_instance.unit(random.standard_normal(d))}
    logits = np.einsum("itd,de,ike->ikt", X, random.standard_normal((d, d)), X)
    later = np.arange(tokens)[None] > np.arange(tokens)[:, None]
    taught = {**labels, "alpha": np.argmax(np.where(later, -np.inf, logits), axis=2)}
    heading()
    for title, data in (("labels at random", labels), ("planted teacher", taught)):
        path, certificate = bars.written(folder, "causal " + title, data), folder / "causal.attest"
        measured(title, binaries / "attest", lambda found: found["verdict"] + ", relative gap " + bars.gap(found)
                 if found["norm_value"] else found["verdict"],
                 "certify", path, "-o", certificate, "--force", "--json")
        measured(title, binaries / "attest-check", verdict_line, path, certificate)


def class_patches(first, count):
    """So many of scikit-learn's digits in dataset order, in patches of 4 x 4 pixels from 0 to 1; row c of U is the mean
    patch of class c over all 1,797, in 256ths."""
    from sklearn.datasets import load_digits
    bunch = load_digits()
    patches = (bunch.images / 16).reshape(-1, 2, 4, 2, 4).transpose(0, 1, 3, 2, 4).reshape(-1, 4, 16)
    U = np.stack([patches[bunch.target == c].mean(axis=(0, 1)) for c in range(10)])
    chosen = slice(first, first + count)
    return {"X": patches[chosen].astype(np.float32), "head": np.array("classifier"),
            "U": (np.round(256 * U) / 256).astype(np.float32), "y": bunch.target[chosen], "query": np.array(0)}


def forever_words(found):
    forever = found["forever"]
    return (f"{found['steps']} steps, {forever['theorem']} from {forever['t0']} on" if
            forever["verdict"] == "holds" else f"{found['steps']} steps, {forever.get('reason')}")


def digits(binaries, folder):
    heading()
    certificate = folder / "digits.attest"
    for title, first, count, rule in (("all 1,797", 0, 1797, None), ("0 to 9", 0, 10, ("gd", "1")),
                                      ("30 to 39", 30, 10, ("ngd", "1/10"))):
        path = bars.written(folder, f"digits {first} {count}", class_patches(first, count))
        measured(title, binaries / "attest", lambda found: found["instances"][0]["summary"], "audit", path, "--json")
        if rule is None:
            continue
        title += ", " + " ".join(rule)
        measured(title, binaries / "attest", forever_words, "run", path, "--optimizer", rule[0], "--step", rule[1],
                 "--steps", 2000, "--until-forever", "-o", certificate, "--force", "--json")
        measured(title, binaries / "attest-check", verdict_line, path, certificate)


def steps(binaries, folder):
    random = np.random.default_rng(2)
    scalar = make_instance.make("S2")
    data = {"scalar": scalar}
    for classes in (3, 10):
        data[f"{classes} classes"] = {"X": scalar["X"], "z": scalar["z"], "head": np.array("classifier"),
                                      "U": make_instance.unit(random.standard_normal((classes, 32))),
                                      "y": random.integers(classes, size=20)}
    datasets.line(f"S2, {STEPS} steps", "precision", "CPU", "done", "attempts", "fraction bits", "to the scalar one")
    datasets.line(*["---"] * 7)
    for precision, optimizer in ((512, "gd"), (512, "ngd"), ("auto", "gd"), ("auto", "ngd")):
        first = None
        for name, arrays in data.items():
            path = bars.written(folder, name, arrays)
            runs = [bars.run(binaries / "attest", "run", path, "--optimizer", optimizer, "--step", "1/10", "--steps",
                             STEPS, "--precision", precision, "--json") for _ in range(ROUNDS)]
            seconds, found = min(run[0] for run in runs), json.loads(runs[0][-1])
            first = first or seconds
            datasets.line(f"{name}, {optimizer}", precision, f"{seconds:.2f} s", found["steps"],
                          found["statistics"]["attempts"], found["statistics"]["fraction_bits"],
                          f"{seconds / first:.1f} x")


def text(binaries, folder):
    path, prefix = folder / "gpl.txt", folder / "gpl"
    subprocess.run(["sh", "-c", CUT, "sh", LICENCE, path], check=True)
    heading()

    def says(found):
        return (f"{found['tokens']} words, {len(found['vocabulary'])} different; order {found['order']['verdict']}, "
                f"{found['verdict']}; T23 from {found['training']['attention']['forever']['t0']} on")

    measured("GPL-3", binaries / "attest", says, "ntp", path, "-o", prefix, "--force", "--json")
    for what in ("feed-forward", "attention", "training"):
        measured(f"its certificate {what}", binaries / "attest-check", verdict_line, folder / "gpl.npz",
                 folder / f"gpl-{what}.cert")


PARTS = {"causal": causal, "digits": digits, "steps": steps, "text": text}


def main():
    binaries, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or PARTS:
        PARTS[name](binaries, folder)
        print()


if __name__ == "__main__":
    main()
