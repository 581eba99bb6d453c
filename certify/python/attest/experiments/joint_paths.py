"""Decoder and attention together (papers A and D): label margins, the assumption on them, and joint paths."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any, Dict, List

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .instances import gaussian, planted
from .limits import by_group
from .paths import curves

# "many": more sequences than dimensions.
SIZES = {"gaussian": (4, 4, 10), "many": (8, 4, 6), "planted": (4, 4, 10)}


def label_margins(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    sizes = (p["seed"], p["n"], p["T"], p["d"])
    instance = attest.instance(**(planted(*sizes) if p["kind"] == "planted" else gaussian(*sizes)))
    found = attest.certify_joint(instance, progress=pulse)
    decoder = found.answer.get("decoder") or {}
    soft = found.answer.get("label_margins") or {}
    row: Row = {**p, "decoder": decoder.get("verdict", "undecided"),
                "label_margin": None if found.decoder_margin is None else float(found.decoder_margin),
                "supporting": None if found.supporting is None else len(found.supporting),
                "all": found.label_margins, "over_supporting": soft.get("verdict_supporting", "undecided"),
                "nu": None if found.nu is None else float(found.nu)}
    reason = ""
    if row["decoder"] == "undecided" or "undecided" in (row["all"], row["over_supporting"]):
        reason = found.reason or soft.get("reason") or "the label margins are undecided"
    if row["decoder"] == "infeasible":
        reason = "no decoder separates the best tokens by label"
    return Outcome(row, found.certificate, {}, reason, instance)


def verdict_of_margins(outcomes: List[Outcome]) -> str:
    parts = []
    for (kind,), group in by_group(outcomes, "kind").items():
        solved = [one.row for one in group if one.row["decoder"] == "feasible"]
        every = sum(row["supporting"] == row["n"] for row in solved)
        text = f"{kind}: the decoder's problem has a solution in {share(len(solved), len(group))}, supported by " \
               f"every sequence in {every}; A.margin"
        for name, key in (("over all sequences", "all"), ("over the supporting ones", "over_supporting")):
            counts = Counter(row[key] for row in solved)
            text += f" {name} holds in {counts['holds']}, fails in {counts['fails']},"
        nu = [row["nu"] for row in solved if row["nu"] is not None]
        parts.append(text + (f" nu {min(nu):.2g} to {max(nu):.2g}" if nu else " nu in none"))
    return "; ".join(parts)


def draw_margins(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, ORANGE

    ax = figure.subplots()
    for kind, colour, marker in zip(SIZES, (BLUE, ORANGE, GREEN), "o^s"):
        rows = [one.row for one in outcomes if one.row["kind"] == kind and one.row["label_margin"] is not None]
        ax.plot([row["label_margin"] for row in rows], [row["nu"] or 0 for row in rows], linestyle="", marker=marker,
                markerfacecolor="none", color=colour, label=kind)
    ax.set(xlabel="label margin 1/||v(alpha)|| (certified)",
           ylabel="nu over the supporting sequences (proved; 0: none)")
    ax.legend(frameon=False, fontsize="small")


LABEL_MARGINS = Experiment(
    "label-margins", "A.vsvm, A.margin",
    "the decoder tends to argmin ||v|| with Y_i v'x_i >= 1 on the selected tokens; under A.margin (no attention leaves "
    "a label margin above 1/||v|| - nu max (1 - s), for some nu > 0) jointly with W (Gaussian tokens, n < d and n > d, "
    "and tokens the best of which are near Y_i v)",
    30, {},
    lambda seeds: [Case({"kind": kind, "n": n, "T": T, "d": d, "seed": seed}) for kind, (n, T, d) in SIZES.items()
                   for seed in range(seeds)],
    label_margins, verdict_of_margins, draw_margins)


# The models and norms: papers A's, then D's.
PATHS = (("prompt", "2"), ("attention", "2"), ("attention", "1.75"))


def joint_path(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    instance = attest.instance(**planted(p["seed"], p["n"], p["T"], p["d"], p["model"]))
    both = attest.certify_joint(instance, path=True, progress=pulse)
    assert both.path is not None
    row: Row = {**p, "supporting": None if both.supporting is None else len(both.supporting),
                "verdict": both.path.verdict, "problem": both.path.problem, "from_radius": None, "rate_constant": None}
    certificate, reason = both.certificate, both.path.reason
    if p["P"] != "2":
        said = attest.verify(instance, budget=0, run_steps=0, progress=pulse)["D.joint"]
        row["verdict"], row["statement"], reason = said.verdict, said.conclusion, said.reason
        # Of the attention's problem in this norm; the decoder's is that of the case with P = 2.
        certificate = attest.certify(instance, norm="l7/4", progress=pulse).certificate
    elif both.path.rate_constant is not None and both.path.from_radius is not None:
        row.update(from_radius=float(both.path.from_radius), rate_constant=float(both.path.rate_constant))
    return Outcome(row, certificate, {}, "" if row["verdict"] == "holds" else reason, instance)


def verdict_of_paths(outcomes: List[Outcome]) -> str:
    parts = []
    for (model, power), group in by_group(outcomes, "model", "P").items():
        counts = Counter(one.row["verdict"] for one in group)
        text = f"{model}, {power}-norm: {share(counts['holds'], len(group))} joint paths are proved to tend to both " \
               f"directions"
        constants = [one.row["rate_constant"] for one in group if one.row["rate_constant"] is not None]
        if constants:
            relaxed = sum(one.row["problem"] == "relaxed" for one in group)
            text += f", the attention's 1 - corr <= c/R with c from {min(constants):.3g} to {max(constants):.3g} " \
                    f"(in {relaxed} to the relaxed problem's), from radius {radius(group):.3g} on (median)"
        parts.append(f"{text}, {counts['fails']} fail, {counts['undecided']} are open")
    return "; ".join(parts)


def radius(outcomes: List[Outcome]) -> float:
    known = [one.row["from_radius"] for one in outcomes if one.row["from_radius"] is not None]
    return float(statistics.median(known))


def draw_paths(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, ORANGE

    styles: Dict[str, Any] = {"prompt": (ORANGE, "prompt p"), "attention": (BLUE, "attention W")}
    curves([one for one in outcomes if one.row["rate_constant"] is not None], figure, "model", styles)


JOINT_PATHS = Experiment(
    "joint-paths", "A.joint, D.joint",
    "the minimisers over ||v|| <= r, ||W|| <= R tend in direction to the decoder's and the attention's max-margin "
    "solutions, the relaxed one where samples do not support the decoder (under A.margin; best tokens near Y_i v, n = "
    "T = 4, d = 10; certificates of the margin problems)",
    30, {"loss": "logistic"},
    lambda seeds: [Case({"model": model, "P": P, "n": 4, "T": 4, "d": 10, "seed": seed}) for model, P in PATHS
                   for seed in range(seeds)],
    joint_path, verdict_of_paths, draw_paths)
