"""Mirror descent against the solutions in several norms (paper D's cross table)."""

from __future__ import annotations

import statistics
from typing import Any, Dict, List

import attest
from attest.results import interval

from .experiment import Case, Experiment, Outcome, Pulse, Row, margin_problem, share
from .instances import gaussian
from .limits import by_group

STEPS, STEP = 1000, "1/10"
NORMS = {"1.75": "l7/4", "2": "euclidean", "3": "l3"}


def cross(case: Case, pulse: Pulse) -> Outcome:
    """Bregman divergences of the three solutions from the last step of a run, for the selection it is at."""
    p = case.parameters
    instance = attest.instance(**gaussian(p["seed"], p["n"], p["T"], p["d"]))
    run = attest.run(instance, optimizer="nmd", potential=p["P"], step=STEP, steps=STEPS, against="l1.75,fro,l3",
                     certificate=False, progress=pulse)
    against: Dict[str, Any] = {one["norm"]: interval(one["bregman"]) for one in run.answer.get("against", ())}
    seen = {q: against.get(word) for q, word in NORMS.items()}
    known = {q: one for q, one in seen.items() if one is not None}
    nearest = None
    for q, one in known.items():
        if len(known) == len(NORMS) and all(one.hi < other.lo for r, other in known.items() if r != q):
            nearest = q
    row: Row = {**p, "steps": run.steps, **{f"bregman_{q}": None if one is None else float(one.hi)
                                            for q, one in seen.items()},
                "nearest": nearest, "correct_bits": run.correct_bits, "t0": run.forever.t0,
                "theorem": run.forever.theorem}
    reason = "" if nearest else "two solutions are equally near"
    if None in run.selection or not known:
        reason = run.reason or "the run has not settled on a selection"
    # In the run's own norm.
    solution = margin_problem(instance, run, "l" + p["P"], pulse)
    return Outcome(row, solution.certificate, {}, reason, instance)


def table(outcomes: List[Outcome]) -> Dict[str, Dict[str, float]]:
    """Means of the certified upper ends by P and by the norm of the solution."""
    found: Dict[str, Dict[str, float]] = {}
    for (p,), group in by_group(outcomes, "P").items():
        means = {q: [one.row[f"bregman_{q}"] for one in group if one.row[f"bregman_{q}"] is not None] for q in NORMS}
        if all(means.values()):
            found[p] = {q: statistics.mean(values) for q, values in means.items()}
    return found


def verdict(outcomes: List[Outcome]) -> str:
    decided = [one.row for one in outcomes if one.row["nearest"] is not None]
    own = sum(row["nearest"] == row["P"] for row in decided)
    cells = "; ".join(f"P {p}: " + ", ".join(f"l{q} {mean:.3g}" for q, mean in means.items())
                      for p, means in table(outcomes).items())
    return (f"{share(own, len(decided))} runs are nearest to the solution in their own norm at step {STEPS}, "
            f"{len(outcomes) - len(decided)} are open; mean Bregman divergence " + (cells or "unknown"))


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, ORANGE

    ax = figure.subplots()
    means = table(outcomes)
    for k, (q, colour) in enumerate(zip(NORMS, (BLUE, ORANGE, GREEN))):
        ax.bar([x + 0.25 * (k - 1) for x in range(len(means))], [row[q] for row in means.values()], width=0.22,
               color=colour, label=f"solution in l{q}")
    ax.set_xticks(range(len(means)))
    ax.set_xticklabels([f"P = {p}" for p in means])
    ax.set(yscale="log", ylabel="Bregman divergence, mean over the seeds (certified)")
    ax.legend(frameon=False, fontsize="small")


MIRROR_NORMS = Experiment(
    "mirror-norms", "D.cross",
    "mirror descent with the potential of the P-norm is nearest to the max-margin solution in that norm (P in 1.75, "
    "2, 3; here n = 6, T = 8, d = 10, normalised steps of 0.1 from 0)",
    20, {"steps": STEPS, "step": STEP, "loss": "logistic", "start": "zero"},
    lambda seeds: [Case({"P": p, "n": 6, "T": 8, "d": 10, "seed": seed}) for p in NORMS for seed in range(seeds)],
    cross, verdict, draw)
