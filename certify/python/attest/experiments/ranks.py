"""The rank of max-margin solutions (paper B)."""

from __future__ import annotations

from collections import Counter
from typing import Any, List

import numpy as np

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .instances import gaussian
from .limits import by_group

DIMENSIONS = (1, 2, 3, 4, 5, 10, 15, 20)
NORMS = {"fro": "Frobenius norm", "nuc": "nuclear norm"}


def rank(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    arrays = gaussian(p["seed"], p["n"], p["T"], p["d"])
    instance = attest.instance(**arrays)
    try:
        found = attest.certify(instance, norm=p["norm"], progress=pulse)
    except attest.InputError as error:  # several best tokens: in one dimension all tokens are 1 or -1
        first = np.argmax(arrays["Y"][:, None] * (arrays["X"] @ arrays["v"]), axis=1)
        tied = attest.certify(instance, select=first, norm=p["norm"], progress=pulse)
        return Outcome({**p, "verdict": "tie", "rank": None, "support": None}, tied.certificate, {}, str(error),
                       instance)
    # In the nuclear norm: of the matrix that comes as near as the gap asked for.
    known = found.rank if p["norm"] == "fro" else None if found.reason else found.rank_upper
    reason = found.reason
    if found.verdict == "feasible" and known is None:
        reason = reason or "the rank is not decided"
    row: Row = {**p, "verdict": found.verdict, "rank": known,
                "support": None if found.support is None else len(found.support)}
    return Outcome(row, found.certificate, {}, reason, instance)


def verdict(outcomes: List[Outcome]) -> str:
    return "; ".join(f"{NORMS[norm]}: {verdict_of(group)}" for (norm,), group in by_group(outcomes, "norm").items())


def verdict_of(outcomes: List[Outcome]) -> str:
    known = [one.row for one in outcomes if one.row["rank"] is not None]
    feasible = [one for one in outcomes if one.row["verdict"] == "feasible"]
    within = sum(row["rank"] <= row["n"] for row in known)
    full = sum(row["rank"] == min(row["n"], row["d"]) for row in known)
    return (f"{share(within, len(known))} certified ranks are at most n, as claimed ({full} of them equal min(n, d)); "
            f"{len(feasible) - len(known)} ranks are open; of the other instances " +
            ", ".join(f"{count} {word}" for word, count in
                      Counter(one.row["verdict"] for one in outcomes if one not in feasible).items()))


def draw(outcomes: List[Outcome], figure: Any) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for ax, (norm, title) in zip(panels, NORMS.items()):
        draw_norm([one for one in outcomes if one.row["norm"] == norm], ax)
        ax.set_title(title, fontsize="small")
    panels[0].set_ylabel("rank, mean over the feasible seeds (certified)")


def draw_norm(outcomes: List[Outcome], ax: Any) -> None:
    from attest.figures import BLUE, GREEN, GREY, ORANGE

    styles = {5: (BLUE, "-"), 10: (ORANGE, "--"), 15: (GREEN, "-.")}
    for (n, T), group in by_group(outcomes, "n", "T").items():
        by_dimension = by_group([one for one in group if one.row["rank"] is not None], "d")
        if by_dimension:
            ax.plot([d for d, in by_dimension],
                    [sum(one.row["rank"] for one in ones) / len(ones) for ones in by_dimension.values()],
                    color=styles[n][0], linestyle=styles[T][1], linewidth=1, label=f"n {n}, T {T}")
    for n, (colour, _) in styles.items():
        ax.axhline(n, color=colour, linewidth=0.5, linestyle=":")
    ax.plot([], [], color=GREY, linestyle=":", label="n, the paper's bound")
    ax.set(xlabel="dimension d")
    ax.legend(frameon=False, fontsize="x-small", ncols=2)


RANKS = Experiment(
    "ranks", "B.L1",
    "Frobenius and nuclear solutions have rank at most n (n, T in 5, 10, 15; d from 1 to 20); of the nuclear norm the "
    "rank is that of a certified matrix within a relative 1e-30 of the least norm",
    20, {"gap": "1e-30"},
    lambda seeds: [Case({"norm": norm, "n": n, "T": T, "d": d, "seed": seed}) for norm in NORMS for n in (5, 10, 15)
                   for T in (5, 10, 15) for d in DIMENSIONS for seed in range(seeds)],
    rank, verdict, draw)
