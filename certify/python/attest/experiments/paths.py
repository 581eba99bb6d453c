"""Regularisation paths (papers A and B): minimisers over balls of growing radius."""

from __future__ import annotations

import statistics
from typing import Any, List

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .instances import gaussian, gaussian_prompt


def path(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    arrays = gaussian if p["model"] == "attention" else gaussian_prompt
    instance = attest.instance(**arrays(p["seed"], p["n"], p["T"], p["d"]))
    found = attest.path(instance, progress=pulse)
    row: Row = {**p, "verdict": found.verdict,
                "from_radius": None if found.from_radius is None else float(found.from_radius.hi),
                "rate_constant": None if found.rate_constant is None else float(found.rate_constant.hi)}
    return Outcome(row, found.certificate, {}, "" if found.verdict == "holds" else found.reason, instance)


def verdict(outcomes: List[Outcome]) -> str:
    held = [one.row for one in outcomes if one.row["verdict"] == "holds"]
    failed = sum(one.row["verdict"] == "fails" for one in outcomes)
    text = f"{share(len(held), len(outcomes))} paths are proved to tend to the max-margin direction at the rate 1/R"
    if held:
        text += (", with constants " + " to ".join(f"{end([row['rate_constant'] for row in held]):.3g}"
                                                   for end in (min, max)) +
                 f" from radius {statistics.median(row['from_radius'] for row in held):.3g} on (median)")
    return text + f"; for {failed} no W separates the best tokens, {len(outcomes) - len(held) - failed} are open"


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, ORANGE

    ax = figure.subplots()
    for one in outcomes:
        if one.row["verdict"] != "holds":
            continue
        radius = [one.row["from_radius"] * 10 ** (k / 10) for k in range(41)]
        ax.plot(radius, [min(2.0, one.row["rate_constant"] / r) for r in radius], linewidth=0.7, alpha=0.7,
                color=BLUE if one.row["model"] == "attention" else ORANGE)
    ax.plot([], [], color=BLUE, label="attention W")
    ax.plot([], [], color=ORANGE, label="prompt p")
    ax.set(xscale="log", yscale="log", xlabel="radius R",
           ylabel="1 - corr of every minimiser: at most (proved for every R)")
    ax.legend(frameon=False, fontsize="small")


REGULARISATION_PATHS = Experiment(
    "regularisation-paths", "A.rp, B.T2",
    "the minimiser over ||W|| <= R tends in direction to the max-margin solution of the best tokens as R grows (here "
    "n = 6, T = 8, d = 10)",
    50, {"loss": "logistic"},
    lambda seeds: [Case({"model": model, "n": 6, "T": 8, "d": 10, "seed": seed}) for model in ("attention", "prompt")
                   for seed in range(seeds)],
    path, verdict, draw)
