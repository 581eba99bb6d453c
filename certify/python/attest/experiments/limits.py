"""Which selections normalised gradient descent ends in: local and global limits (paper B; for prompts paper A)."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any, Callable, Dict, List

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .instances import gaussian, gaussian_prompt

STEPS, LIMIT, STEP = 2000, 20000, "1/10"
SETTINGS = {"optimizer": "ngd", "step": STEP, "steps": STEPS, "limit": LIMIT, "loss": "logistic", "start": "zero"}
KINDS = ("global", "local", "neither", "undecided")


def optimality(instance: Any, selection: Any, pulse: Pulse) -> str:
    """"global", "local" (and not global), "neither" or "undecided", certified; a token None: undecided."""
    if not selection or None in selection:
        return "undecided"
    found = attest.certify(instance, select=selection, progress=pulse)
    if found.globally_optimal:
        return "global"
    if found.locally_optimal:
        return "local"
    return "neither" if found.locally_optimal is False else "undecided"


def limit(arrays: Dict[str, Any], case: Case, pulse: Pulse) -> Outcome:
    """Where the run is at step STEPS, and whether its limit is proved by step LIMIT."""
    instance = attest.instance(**arrays)
    reached = attest.run(instance, step=STEP, steps=STEPS, progress=pulse)
    kind = optimality(instance, reached.selection, pulse)
    proved = reached
    if not reached.forever or kind in ("neither", "undecided"):
        proved = attest.run(instance, step=STEP, steps=LIMIT, until_forever=True, progress=pulse)
    ends_in = optimality(instance, proved.forever.selection, pulse) if proved.forever else "unproved"
    best = attest.certify(instance, progress=pulse)
    tight = False if best.verdict == "infeasible" else None
    if best.support is not None:
        tight = len(best.support) == int((instance.features()["counts"] > 0).sum()) - len(instance)
    seen = [(point.t, point.one_minus_corr) for point in reached.checkpoints
            if point.t > 0 and point.one_minus_corr is not None]
    last = seen[-1][1] if seen else None
    row: Row = {**case.parameters, "selection": " ".join("?" if t is None else str(t) for t in reached.selection),
                "at_step": kind, "proved": ends_in, "t0": proved.forever.t0, "theorem": proved.forever.theorem,
                "one_minus_corr": None if last is None else float(last),
                "widest_band": max((float(band.width) for _, band in seen), default=None),
                "correct_bits": reached.correct_bits, "B1": tight}
    reason = "" if proved.forever else proved.reason or proved.forever.reason
    return Outcome(row, proved.certificate, {"t": [t for t, _ in seen], "corr": [float(c) for _, c in seen]}, reason,
                   instance)


def of_gaussian(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    return limit(gaussian(p["seed"], p["n"], p["T"], p["d"]), case, pulse)


def of_prompt(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    return limit(gaussian_prompt(p["seed"], p["n"], p["T"], p["d"]), case, pulse)


def one_size(n: int, T: int, d: int) -> Callable[[int], List[Case]]:
    return lambda seeds: [Case({"n": n, "T": T, "d": d, "seed": seed}) for seed in range(seeds)]


def convergence_verdict(outcomes: List[Outcome]) -> str:
    kinds = Counter(one.row["proved"] for one in outcomes)
    first = [one.row["t0"] for one in outcomes if one.row["t0"] is not None]
    optimal = kinds["global"] + kinds["local"]
    text = (f"{share(optimal, len(outcomes))} limits are proved for all later steps to be locally optimal selections "
            f"({kinds['global']} global, {kinds['local']} local only)")
    if first:
        text += f", from steps {min(first)} to {max(first)}, median {statistics.median(first):.0f}"
    against = kinds["neither"]
    return text + f"; {against} contradict the claim, {kinds['unproved'] + kinds['undecided']} are open"


def draw_convergence(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, ORANGE

    ax, steps = figure.subplots(1, 2, gridspec_kw={"width_ratios": [2, 1]})
    for one in outcomes:
        ax.plot(one.curve["t"], one.curve["corr"], linewidth=0.7, alpha=0.6,
                color=ORANGE if one.row["proved"] == "local" else BLUE)
    ax.plot([], [], color=BLUE, label="limit globally optimal or open")
    ax.plot([], [], color=ORANGE, label="limit locally optimal only")
    ax.set(xscale="log", yscale="log", xlabel="step", ylabel="1 - corr with the max-margin direction (certified)")
    ax.legend(frameon=False, fontsize="small")
    first = sorted(one.row["t0"] for one in outcomes if one.row["t0"] is not None)
    steps.step([0, *first], [k / len(outcomes) for k in range(len(first) + 1)], where="post", color=GREEN)
    steps.set(xlabel="step", ylabel="share proved for all later steps", ylim=(0, 1))


def by_group(outcomes: List[Outcome], *keys: str) -> Dict[Any, List[Outcome]]:
    groups: Dict[Any, List[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(tuple(one.row[key] for key in keys), []).append(one)
    return groups


def shares_verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for key, group in by_group(outcomes, "n", "T", "d").items():
        kinds = Counter(one.row["proved"] for one in group)
        tight = sum(one.row["B1"] is True for one in group)
        counts = (kinds["global"], kinds["local"], kinds["neither"], kinds["unproved"] + kinds["undecided"], tight)
        words = ("global", "local", "neither", "open", "with B1")
        parts.append("n {} T {} d {}: ".format(*key) +
                     ", ".join(f"{100 * count / len(group):.0f} % {word}" for count, word in zip(counts, words)))
    return "limits proved for all later steps: " + "; ".join(parts)


def draw_shares(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, GREY, ORANGE

    ax = figure.subplots()
    groups = by_group(outcomes, "n", "T", "d")
    bottom = [0.0] * len(groups)
    for kind, colour, hatch in (("global", BLUE, ""), ("local", ORANGE, "//"), ("neither", GREEN, "xx"),
                                ("unproved", "white", "..")):
        height = [100 * sum(one.row["proved"] == kind for one in group) / len(group) for group in groups.values()]
        ax.bar(range(len(groups)), height, bottom=bottom, color=colour, hatch=hatch, edgecolor=GREY, linewidth=0.5,
               label={"unproved": "open"}.get(kind, kind))
        bottom = [a + b for a, b in zip(bottom, height)]
    ax.set_xticks(range(len(groups)))
    ax.set_xticklabels([f"n {n}\nT {T}\nd {d}" for n, T, d in groups], fontsize="small")
    ax.set_ylabel("% of instances: limit proved for all later steps")
    ax.legend(frameon=True, fontsize="small", loc="lower right")


LOCAL_CONVERGENCE = Experiment(
    "local-convergence", "B.T7, B.T3",
    "gradient descent tends in direction to the max-margin solution of a locally optimal selection "
    "(n = 6, T = 8, d = 10, normalised steps of 0.1 from 0, 100 seeds)",
    100, SETTINGS, one_size(6, 8, 10), of_gaussian, convergence_verdict, draw_convergence)

LIMIT_SHARES = Experiment(
    "limit-shares", "B.T4 to B.T7",
    "shares of limits that are not local, local and global by dimension, n = T = 5 (the paper: 500 seeds, from what "
    "double precision shows after 2000 steps)",
    100, SETTINGS,
    lambda seeds: [Case({"n": 5, "T": 5, "d": d, "seed": seed}) for d in (2, 3, 4, 5, 10, 20, 40)
                   for seed in range(seeds)],
    of_gaussian, shares_verdict, draw_shares)

GLOBAL_SHARES = Experiment(
    "global-shares", "B.T4 to B.T6",
    "share of global limits for more sequences (T = 5, n = 5, 10, 20) and longer ones (n = 5, T = 5, 10, 20), here "
    "with d = 10",
    100, SETTINGS,
    lambda seeds: [Case({"n": n, "T": T, "d": 10, "seed": seed})
                   for n, T in ((5, 5), (10, 5), (20, 5), (5, 10), (5, 20)) for seed in range(seeds)],
    of_gaussian, shares_verdict, draw_shares)

PROMPT = Experiment(
    "prompt", "A.local, A.global",
    "gradient descent on a prompt tends in direction to the max-margin prompt of a locally optimal selection (here n = "
    "6, T = 8, d = 10, keys of their own, normalised steps of 0.1 from 0)",
    100, SETTINGS, one_size(6, 8, 10), of_prompt, convergence_verdict, draw_convergence)
