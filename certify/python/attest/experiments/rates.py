"""How fast W tends to its direction (paper C): normalised and Polyak steps, gradient descent beside them."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from typing import Any, List

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row
from .instances import gaussian
from .limits import by_group

STEPS = 2000
STEP = {"ngd": "1/10", "polyak": "1/2", "gd": "1/2"}


def rate(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    instance = attest.instance(**gaussian(p["seed"], p["n"], p["T"], p["d"]))
    run = attest.run(instance, optimizer=p["rule"], step=STEP[p["rule"]], steps=STEPS, progress=pulse)
    seen = [(point.t, float(point.one_minus_corr)) for point in run.checkpoints
            if point.t > 0 and point.one_minus_corr is not None]
    late = [(t, c) for t, c in seen if t >= 200 and c > 0]
    order = None
    if len(late) > 1:  # of the enclosures' centres
        (t, c), (t2, c2) = late[0], late[-1]
        order = -math.log(c2 / c) / math.log(t2 / t)
    row: Row = {**p, "steps": run.steps, "one_minus_corr": seen[-1][1] if seen else None, "order": order,
                "theorem": run.forever.theorem, "t0": run.forever.t0, "rate": run.forever.rate}
    reason = "" if run.forever else run.reason or run.forever.reason
    return Outcome(row, run.certificate, {"t": [t for t, _ in seen], "corr": [c for _, c in seen]}, reason, instance)


def verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for (rule,), group in by_group(outcomes, "rule").items():
        proved = [one.row for one in group if one.row["theorem"]]
        shapes = ", ".join(f"{shape} {count}" for shape, count in
                           Counter(row["rate"] for row in proved).most_common())
        orders = [one.row["order"] for one in group if one.row["order"] is not None]
        parts.append(f"{rule}: {len(proved)} of {len(group)} proved for ever ({shapes or 'none'})" +
                     (f", observed order t^-{statistics.median(orders):.2f} (median)" if orders else ""))
    return "; ".join(parts)


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, ORANGE

    axes = figure.subplots(1, len(STEP), sharey=True, squeeze=False)[0]
    for ax, rule, colour in zip(axes, STEP, (BLUE, ORANGE, GREEN)):
        for one in outcomes:
            if one.row["rule"] == rule:
                ax.plot(one.curve["t"], one.curve["corr"], linewidth=0.7, alpha=0.6, color=colour)
        ax.set(xscale="log", yscale="log", xlabel="step", title=f"{rule}, step {STEP[rule]}")
    axes[0].set_ylabel("1 - corr (certified)")


RATES = Experiment(
    "rates", "C.ngd, C.polyak",
    "W tends to the max-margin direction at a finite-time rate for normalised and for Polyak steps (the exponents are "
    "the paper's own and not repeated here; n = 6, T = 8, d = 10)",
    30, {"steps": STEPS, "step": STEP, "loss": "logistic", "start": "zero"},
    lambda seeds: [Case({"rule": rule, "n": 6, "T": 8, "d": 10, "seed": seed}) for rule in STEP
                   for seed in range(seeds)],
    rate, verdict, draw)
