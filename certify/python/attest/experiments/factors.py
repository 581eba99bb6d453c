"""Training of K and Q in place of W: which norm's solution K Q' tends to (paper B)."""

from __future__ import annotations

import statistics
from typing import Any, Dict, List, Optional

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, margin_problem, share
from .instances import gaussian
from .limits import by_group

STEPS = 2000
STEP = {"gd": "20", "ngd": "1/10"}


def upper(band: Optional[attest.Interval]) -> Optional[float]:
    return None if band is None else float(band.hi)


def nearest(frobenius: Optional[attest.Interval], nuclear: Optional[attest.Interval]) -> Optional[str]:
    """Whose solution's direction is certainly nearer."""
    if frobenius is None or nuclear is None:
        return None
    return "nuclear" if nuclear.hi < frobenius.lo else "Frobenius" if frobenius.hi < nuclear.lo else None


def train(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    instance = attest.instance(**gaussian(p["seed"], p["n"], p["T"], p["d"]))
    run = attest.run(instance, parameterization="kq", optimizer=p["rule"], step=STEP[p["rule"]], steps=STEPS, bits=60,
                     init=f"random:{p['seed']}", certificate=p["rule"] == "gd", progress=pulse)
    last = run.checkpoints[-1] if run.checkpoints else None
    frobenius, nuclear = (None, None) if last is None else (last.one_minus_corr, last.one_minus_corr_nuclear)
    row: Row = {**p, "steps": run.steps, "selection": " ".join("?" if t is None else str(t) for t in run.selection),
                "frobenius": upper(frobenius), "nuclear": upper(nuclear), "nearest": nearest(frobenius, nuclear),
                "margin_share": None if last is None or last.margin_share_nuclear is None
                else float(last.margin_share_nuclear.lo),
                "t0": run.forever.t0, "theorem": run.forever.theorem, "correct_bits": run.correct_bits}
    seen = [(one.t, float(one.one_minus_corr_nuclear)) for one in run.checkpoints
            if one.t > 0 and one.one_minus_corr_nuclear is not None]
    curve: Dict[str, List[float]] = {"t": [t for t, _ in seen], "nuclear": [value for _, value in seen]}
    solution = margin_problem(instance, run, "nuc", pulse)
    if run.steps < STEPS or not run.selection or None in run.selection:
        return Outcome(row, solution.certificate, curve, run.reason or "the run has not settled on a selection",
                       instance)
    row["locally_optimal"] = solution.locally_optimal
    # Of normalised steps there is no certificate of the run: its replay takes minutes.
    return Outcome(row, run.certificate or solution.certificate, curve,
                   "" if row["nearest"] else "which solution is nearer is not decided", instance)


def verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for (rule,), group in by_group(outcomes, "rule").items():
        done = [one for one in group if one.row["nearest"]]
        text = f"{rule}: {share(sum(one.row['nearest'] == 'nuclear' for one in done), len(group))} are nearer to the " \
               f"nuclear than to the Frobenius solution at step {STEPS}"
        if done:
            text += ", 1 - corr {:.2g} and {:.2g} (medians), with {:.2g} to {:.2g} of the largest margin".format(
                *(statistics.median(one.row[key] for one in done) for key in ("nuclear", "frobenius")),
                *(end(one.row["margin_share"] for one in done) for end in (min, max)))
        proved = sum(one.row["t0"] is not None for one in group)
        parts.append(f"{text}; {proved} have loss and margin proved for ever (T22), {len(group) - len(done)} are open")
    return ". ".join(parts)


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, ORANGE

    curves, both = figure.subplots(1, 2)
    for rule, colour in zip(STEP, (BLUE, ORANGE)):
        group = [one for one in outcomes if one.row["rule"] == rule]
        for one in group:
            curves.plot(one.curve["t"], one.curve["nuclear"], linewidth=0.7, alpha=0.6, color=colour)
        seen = [one.row for one in group if one.row["nuclear"] is not None and one.row["frobenius"] is not None]
        both.plot([row["frobenius"] for row in seen], [row["nuclear"] for row in seen], linestyle="", marker="o",
                  markersize=4, markerfacecolor="none", color=colour, label=f"{rule}, step {STEP[rule]}")
    curves.set(xscale="log", yscale="log", xlabel="step", ylabel="1 - corr with the nuclear solution (certified)")
    both.set(xscale="log", yscale="log", xlabel=f"1 - corr with the Frobenius solution, step {STEPS}",
             ylabel="with the nuclear solution")
    both.axline((1e-2, 1e-2), (1, 1), color="#8A8A8A", linewidth=1)
    both.legend(frameon=False, fontsize="small")


FACTORS = Experiment(
    "factors", "B.svm*, B.T2, local convergence of (K,Q)",
    "training K and Q, W = K Q' tends in direction to the nuclear-norm solution of the selected tokens (n = 6, T = 8, "
    "d = 10, 2000 steps, each factor's gradient normalised, step 0.1; plain gradient descent beside it; K_0 and Q_0 "
    "uniform as PyTorch's linear layers)",
    20, {"steps": STEPS, "step": STEP, "bits": 60, "loss": "logistic", "start": "random:SEED"},
    lambda seeds: [Case({"rule": rule, "n": 6, "T": 8, "d": 10, "seed": seed}) for rule in STEP
                   for seed in range(seeds)],
    train, verdict, draw)
