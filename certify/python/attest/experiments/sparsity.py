"""How fast attention becomes one-hot along a run (paper C)."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction
from typing import Any, List, Optional

import attest
from attest.results import Checkpoint

from .experiment import Case, Experiment, Outcome, Pulse, Row
from .instances import gaussian
from .limits import by_group
from .rates import STEP, STEPS


def logarithm(number: Fraction) -> float:
    """Of a number that may be far below the doubles."""
    return math.log(number.numerator) - math.log(number.denominator)


def exponent(point: Checkpoint) -> Optional[float]:
    """The largest c with 1 - s <= exp(-c ||W||) for the selected token of every sequence, rounded."""
    if point.max_one_minus_s is None or point.norm is None or point.max_one_minus_s.hi <= 0 or point.norm.lo <= 0:
        return None
    return -logarithm(point.max_one_minus_s.hi) / float(point.norm.hi)


def sparsify(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    instance = attest.instance(**gaussian(p["seed"], p["n"], p["T"], p["d"]))
    run = attest.run(instance, optimizer=p["rule"], step=STEP[p["rule"]], steps=STEPS, progress=pulse)
    known = bool(run.selection) and None not in run.selection
    margin = attest.certify(instance, select=run.selection, progress=pulse).margin if known else None
    seen = [(point.t, c) for point in run.checkpoints for c in [exponent(point)] if point.t > 0 and c is not None]
    share = seen[-1][1] / float(margin) if seen and margin is not None else None
    row: Row = {**p, "steps": run.steps, "exponent": seen[-1][1] if seen else None,
                "margin": None if margin is None else float(margin), "share": share,
                "dominates_from": run.forever.dominates_from, "theorem": run.forever.theorem}
    curve = {"t": [float(t) for t, _ in seen], "share": [c / float(margin) for _, c in seen] if margin else []}
    reason = "" if run.forever else run.reason or run.forever.reason
    return Outcome(row, run.certificate, curve, reason, instance)


def verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for (rule,), group in by_group(outcomes, "rule").items():
        shares = [one.row["share"] for one in group if one.row["share"] is not None]
        first = [one.row["dominates_from"] for one in group if one.row["dominates_from"] is not None]
        text = f"{rule}: selected tokens keep more than half of the attention for ever in {len(first)} of {len(group)}"
        if first:
            text += f", from step {statistics.median(first):.0f} on (median)"
        if shares:
            text += "; at the last step 1 - s <= exp(-c ||W||) with c from {:.2f} to {:.2f} of the margin, median " \
                    "{:.2f}".format(min(shares), max(shares), statistics.median(shares))
        parts.append(text)
    return ". ".join(parts)


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, GREY, ORANGE

    axes = figure.subplots(1, len(STEP), sharey=True, squeeze=False)[0]
    for ax, rule, colour in zip(axes, STEP, (BLUE, ORANGE, GREEN)):
        for one in outcomes:
            if one.row["rule"] == rule and one.curve["share"]:
                ax.plot(one.curve["t"], one.curve["share"], linewidth=0.7, alpha=0.6, color=colour)
        ax.axhline(1, color=GREY, linewidth=1)
        ax.set(xscale="log", xlabel="step", title=f"{rule}, step {STEP[rule]}")
    axes[0].set_ylabel(r"$-\log(1 - s)/\|W\|$ over the margin (certified, rounded)")


SPARSITY = Experiment(
    "sparsity", "C.sparse",
    "the attention map becomes one-hot, as exp(-c ||W||) (here c beside the margin of the selected tokens, which it "
    "tends to when W tends to their direction; n = 6, T = 8, d = 10)",
    30, {"steps": STEPS, "step": STEP, "loss": "logistic", "start": "zero"},
    lambda seeds: [Case({"rule": rule, "n": 6, "T": 8, "d": 10, "seed": seed}) for rule in STEP
                   for seed in range(seeds)],
    sparsify, verdict, draw)
