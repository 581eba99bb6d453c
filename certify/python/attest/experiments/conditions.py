"""Data on which training tends to the globally best tokens from any start (paper C): exactly and nearly."""

from __future__ import annotations

import statistics
from collections import Counter
from fractions import Fraction
from typing import Any, List, Tuple

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .instances import orthogonal
from .limits import by_group, optimality

STEPS, STEP = 5000, "1/10"
NOISE = (0.0, 0.3, 1.0, 2.0)
STARTS = ("zero", "random:1", "random:2")


def nearness(X: Any, v: Any, Y: Any) -> Tuple[float, float]:
    """The largest |<x, x'>| over the smallest ||x||^2, and the spread of scores that are no sequence's best; exact,
    then rounded. Equal tokens, and those of a class that are best, are not compared with each other."""
    tokens = [[[Fraction(float(entry)) for entry in x] for x in sequence] for sequence in X]
    weights = [Fraction(float(entry)) for entry in v]

    def product(a: Any, b: Any) -> Fraction:
        return sum((s * t for s, t in zip(a, b) if s and t), Fraction(0))

    scores = [[int(y) * product(weights, x) for x in sequence] for y, sequence in zip(Y, tokens)]
    best = [max(range(len(row)), key=row.__getitem__) for row in scores]
    others = [row[t] for row, top in zip(scores, best) for t in range(len(row)) if t != top]
    named = [(int(Y[i]) if t == best[i] else (i, t), x) for i, sequence in enumerate(tokens)
             for t, x in enumerate(sequence)]
    angle = max(abs(product(a, b)) for k, (name, a) in enumerate(named) for other, b in named[:k] if name != other)
    return float(angle / min(product(x, x) for _, x in named)), float(max(others) - min(others))


def conduct(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    arrays = orthogonal(p["seed"], p["n"], p["T"], p["noise"])
    instance = attest.instance(**arrays)
    said = attest.verify(instance, budget=0, run_steps=0, progress=pulse)["C.global"]
    overlap, spread = nearness(arrays["X"], arrays["v"], arrays["Y"])
    run = attest.run(instance, step=STEP, steps=STEPS, init=p["start"], until_forever=True, progress=pulse)
    row: Row = {**p, "conditions": "hold" if all(one["verdict"] == "holds" for one in said.hypotheses) else "fail",
                "overlap": overlap, "spread": spread,
                "proved": optimality(instance, run.forever.selection, pulse) if run.forever else "unproved",
                "t0": run.forever.t0, "theorem": run.forever.theorem}
    return Outcome(row, run.certificate, {}, "" if run.forever else run.reason or run.forever.reason, instance)


def verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for (noise,), group in by_group(outcomes, "noise").items():
        kinds = Counter(one.row["proved"] for one in group)
        first = [one.row["t0"] for one in group if one.row["t0"] is not None]
        exact = sum(one.row["conditions"] == "hold" for one in group)
        text = f"noise {noise:g} (tokens overlap by up to {max(one.row['overlap'] for one in group):.2g}, the " \
               f"conditions hold exactly in {exact}): {share(kinds['global'], len(group))} limits proved global"
        if first:
            text += f", from step {min(first)} to {max(first)}, median {statistics.median(first):.0f}"
        parts.append(f"{text}; {kinds['local']} local, {kinds['neither']} neither, "
                     f"{kinds['unproved'] + kinds['undecided']} open")
    return ". ".join(parts)


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, ORANGE

    shares, steps = figure.subplots(1, 2)
    groups = by_group(outcomes, "noise")
    for kind, colour, bottom in (("global", BLUE, ()), ("local", ORANGE, ("global",))):
        shares.bar(range(len(groups)),
                   [100 * sum(one.row["proved"] == kind for one in group) / len(group) for group in groups.values()],
                   bottom=[100 * sum(one.row["proved"] in bottom for one in group) / len(group)
                           for group in groups.values()], color=colour, hatch="" if kind == "global" else "//",
                   label=f"proved {kind}")
    shares.set_xticks(range(len(groups)))
    shares.set_xticklabels([f"{noise:g}" for noise, in groups])
    shares.set(xlabel="noise", ylabel="% of runs: limit proved for all later steps", ylim=(0, 100))
    shares.legend(frameon=True, fontsize="small", loc="lower left")
    rows = [one.row for one in outcomes if one.row["t0"] is not None]
    steps.plot([row["overlap"] for row in rows], [row["t0"] for row in rows], linestyle="", marker="o", markersize=4,
               markerfacecolor="none", color=BLUE)
    steps.set(xlabel="largest overlap of two tokens", ylabel="proved for ever from step")
    if rows:
        steps.set(yscale="log")


GLOBAL_CONDITIONS = Experiment(
    "global-conditions", "C.global",
    "on nearly orthogonal tokens with nearly equal other scores and optimal tokens aligned within a class, W tends to "
    "the max-margin direction of the best tokens from any start (n = T = 4, query the first token, normalised steps of "
    "0.1 from 0 and from two random W; the paper's conditions are recollected)",
    10, {"optimizer": "ngd", "step": STEP, "steps": STEPS, "loss": "logistic"},
    lambda seeds: [Case({"noise": noise, "start": start, "n": 4, "T": 4, "seed": seed}) for noise in NOISE
                   for start in STARTS for seed in range(seeds)],
    conduct, verdict, draw)
