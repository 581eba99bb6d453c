"""How fast mirror descent tends to its direction (paper D): least constants of the paper's shapes, and T17."""

from __future__ import annotations

import statistics
from typing import Any, Dict, List, Optional

import attest
from attest.results import interval

from .experiment import Case, Experiment, Outcome, Pulse, Row, margin_problem, share
from .instances import gaussian
from .limits import by_group

STEPS = 2000
STEP = {"md": "10", "nmd": "1/10"}
# The shapes of D.rate by P; every one of them is slower than 1/t.
SHAPES = {"1.1": "1/log(t)^(P-1)", "1.75": "1/log(t)^(P-1)", "2": "log(log(t))^2/log(t)", "3": "log(log(t))/log(t)"}


def shape_of(run: attest.Run, name: str) -> Dict[str, Any]:
    return next((one for one in run.answer.get("shapes", ()) if one["name"] == name), {})


def falls(shape: Dict[str, Any]) -> Optional[bool]:
    """Is the least constant of the last dyadic block certainly below that of the block before?"""
    bands = [interval(one["least_constant"]) for one in shape.get("blocks", ())][-2:]
    if len(bands) < 2 or bands[0] is None or bands[1] is None:
        return None
    return True if bands[1].hi < bands[0].lo else False if bands[1].lo > bands[0].hi else None


def rate(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    instance = attest.instance(**gaussian(p["seed"], p["n"], p["T"], p["d"]))
    run = attest.run(instance, optimizer=p["rule"], potential=p["P"], step=STEP[p["rule"]], steps=STEPS,
                     certificate=False, progress=pulse)
    shape = shape_of(run, SHAPES[p["P"]])
    constant = interval(shape.get("least_constant"))
    seen = [(one.t, float(one.bregman)) for one in run.checkpoints if one.t > 0 and one.bregman is not None]
    row: Row = {**p, "steps": run.steps, "bregman": seen[-1][1] if seen else None, "shape": SHAPES[p["P"]],
                "least_constant": None if constant is None else float(constant.hi), "constant_falls": falls(shape),
                "t0": run.forever.t0, "theorem": run.forever.theorem, "correct_bits": run.correct_bits}
    curve: Dict[str, List[float]] = {"t": [t for t, _ in seen], "bregman": [value for _, value in seen]}
    # In the run's own norm, whose local optimality the claim asks.
    solution = margin_problem(instance, run, "l" + p["P"], pulse)
    if run.steps < STEPS or None in run.selection:
        return Outcome(row, solution.certificate, curve, run.reason or "the run has not settled on a selection",
                       instance)
    row["locally_optimal"] = solution.locally_optimal
    reason = "" if run.forever else run.forever.reason
    if row["bregman"] is None:
        reason = f"the divergence from the solution is not enclosed: its margin problem is {solution.verdict}"
    return Outcome(row, solution.certificate, curve, reason, instance)


def verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for (rule, p), group in by_group(outcomes, "rule", "P").items():
        last = [one.row["bregman"] for one in group if one.row["bregman"] is not None]
        proved = sorted(one.row["t0"] for one in group if one.row["t0"] is not None)
        fall = sum(one.row["constant_falls"] is True for one in group)
        text = f"{rule} P {p}: "
        text += f"divergence {statistics.median(last):.2g} (median of {len(last)}) at the last step, " if last else ""
        text += f"the shape's constant falls in the last block of {share(fall, len(group))}, "
        text += f"{share(len(proved), len(group))} proved for ever at the rate 1/t"
        parts.append(text + (f" from step {statistics.median(proved):.0f} on (median)" if proved else ""))
    return "; ".join(parts)


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, GREY, ORANGE

    axes = figure.subplots(1, len(STEP), sharey=True)
    for ax, rule in zip(axes, STEP):
        for p, colour in zip(SHAPES, (GREY, BLUE, ORANGE, GREEN)):
            for one in outcomes:
                if (one.row["rule"], one.row["P"]) == (rule, p):
                    ax.plot(one.curve["t"], one.curve["bregman"], linewidth=0.7, alpha=0.6, color=colour)
            ax.plot([], [], color=colour, label=f"P = {p}")
        ax.set(xscale="log", yscale="log", xlabel="step", title=f"{rule}, step {STEP[rule]}")
    axes[0].set_ylabel("Bregman divergence from the solution (certified)")
    axes[0].legend(frameon=False, fontsize="small")


MIRROR_RATES = Experiment(
    "mirror-rates", "D.md, D.local, D.rate",
    "mirror descent with the potential of the P-norm tends to the solution in that norm, with a divergence at step k "
    "of the order log log k/log k for P > 2, (log log k)^2/log k for P = 2, (log k)^(1-P) for P < 2 (the paper's "
    "shapes are recollected; here n = 6, T = 8, d = 10, from 0; normalised steps beside the paper's)",
    20, {"steps": STEPS, "step": STEP, "loss": "logistic", "start": "zero"},
    lambda seeds: [Case({"rule": rule, "P": p, "n": 6, "T": 8, "d": 10, "seed": seed}) for rule in STEP
                   for p in SHAPES for seed in range(seeds)],
    rate, verdict, draw)
