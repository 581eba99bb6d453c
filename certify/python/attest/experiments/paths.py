"""Regularisation paths (papers A, B and D): minimisers over balls of growing radius, in several norms."""

from __future__ import annotations

import statistics
from typing import Any, List, Mapping, Tuple

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .instances import gaussian, gaussian_prompt
from .limits import by_group


NORMS = {"nuc": "nuclear norm, (K,Q)", "l1.75": "1.75-norm", "l3": "3-norm"}


def path(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    arrays = gaussian if p["model"] == "attention" else gaussian_prompt
    instance = attest.instance(**arrays(p["seed"], p["n"], p["T"], p["d"]))
    found = attest.path(instance, norm=p.get("norm", "fro"), progress=pulse)
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


def verdict_by_norm(outcomes: List[Outcome]) -> str:
    return ". ".join(f"{NORMS[norm]}: {verdict(group)}" for (norm,), group in by_group(outcomes, "norm").items())


def curves(outcomes: List[Outcome], figure: Any, key: str, styles: Mapping[str, Tuple[str, str]]) -> None:
    """Bounds over the radius, coloured by a column of the table; ``styles`` maps its values to colour and label."""
    ax = figure.subplots()
    bounded = [one for one in outcomes if one.row["verdict"] == "holds"]
    for one in bounded:
        radius = [one.row["from_radius"] * 10 ** (k / 10) for k in range(41)]
        ax.plot(radius, [min(2.0, one.row["rate_constant"] / r) for r in radius], linewidth=0.7, alpha=0.7,
                color=styles[one.row[key]][0])
    for colour, label in styles.values():
        ax.plot([], [], color=colour, label=label)
    ax.set(xlabel="radius R", ylabel="1 - corr of every minimiser (proved bound)")
    if bounded:
        ax.set(xscale="log", yscale="log")
    ax.legend(frameon=False, fontsize="small")


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, ORANGE

    curves(outcomes, figure, "model", {"attention": (BLUE, "attention W"), "prompt": (ORANGE, "prompt p")})


def draw_by_norm(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, ORANGE

    colours = zip(NORMS.items(), (BLUE, ORANGE, GREEN))
    curves(outcomes, figure, "norm", {norm: (colour, label) for (norm, label), colour in colours})


REGULARISATION_PATHS = Experiment(
    "regularisation-paths", "A.rp, B.T2",
    "the minimiser over ||W|| <= R tends in direction to the max-margin solution of the best tokens as R grows (here "
    "n = 6, T = 8, d = 10)",
    50, {"loss": "logistic"},
    lambda seeds: [Case({"model": model, "n": 6, "T": 8, "d": 10, "seed": seed}) for model in ("attention", "prompt")
                   for seed in range(seeds)],
    path, verdict, draw)

NORM_PATHS = Experiment(
    "norm-paths", "D.rp, B.T2",
    "over balls of another norm, and for factors K and Q, the minimiser tends in direction to the max-margin solution "
    "in that norm (the nuclear one for K and Q; here 1 - <n, W>/R with n any solution of the dual problem; n = 6, "
    "T = 8, d = 10)",
    20, {"loss": "logistic"},
    lambda seeds: [Case({"norm": norm, "model": "attention", "n": 6, "T": 8, "d": 10, "seed": seed}) for norm in NORMS
                   for seed in range(seeds)],
    path, verdict_by_norm, draw_by_norm)
