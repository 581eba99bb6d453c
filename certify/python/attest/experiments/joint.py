"""Decoder and attention trained together: which margin problem W tends to (papers A and C, joint training)."""

from __future__ import annotations

import statistics
from typing import Any, Dict, List

import numpy as np

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .limits import by_group

STEPS, STEP = 6000, "1/10"
NEAR = 1e-4  # 1 - corr with the shifted problem at the last step


def normals(seed: int, n: int, T: int, d: int) -> Dict[str, Any]:
    """X, z, v of standard normals in binary64, labels alternating."""
    random = np.random.default_rng([seed, n, T, d])
    return {"X": random.standard_normal((n, T, d)), "z": random.standard_normal((n, d)),
            "v": random.standard_normal(d), "Y": np.resize([-1, 1], n)}


def limits_certificate(instance: attest.Instance, run: attest.Run) -> str:
    """Of both margin problems, for the selection that the run leads to (else the best): the limits', not the run's."""
    return attest.certify_joint(instance, select=run.selection or None).certificate


def conduct(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    instance = attest.instance(**normals(p["seed"], p["n"], p["T"], p["d"]))
    run = attest.run(instance, joint=True, step=STEP, decoder_step=p["decoder_step"], steps=STEPS, bits=60,
                     until_forever=True, certificate=False, progress=pulse)
    seen = run.joint
    supporting = None if seen is None else seen.supporting
    last = seen.points[-1] if seen and seen.points else None

    def end(problem: str, upper: bool) -> Any:
        band = None if last is None else last.one_minus_corr.get(problem)
        return None if band is None else float(band.hi if upper else band.lo)

    row: Row = {**p, "supporting": None if supporting is None else len(supporting), "step": run.steps,
                "t0": run.forever.t0, "nearest": None if seen is None else seen.nearest,
                "shifted": end("shifted", True), "relaxed": end("relaxed", False), "plain": end("plain", True),
                "relaxed_problem": None if seen is None else seen.problems.get("relaxed")}
    problem = "plain" if supporting is not None and len(supporting) == p["n"] else "shifted"
    points = [] if seen is None else [(one.t, one.one_minus_corr.get(problem)) for one in seen.points if one.t > 0]
    curve = [(t, float(band)) for t, band in points if band is not None]
    reason = ""
    if supporting is None:
        reason = run.reason or "the decoder's support is undecided"
    elif len(supporting) == p["n"]:
        reason = "" if run.forever else run.reason or run.forever.reason
    elif run.steps < STEPS:
        reason = run.reason or "the run ended early"
    elif row["shifted"] is None or row["shifted"] >= NEAR:
        reason = f"1 - corr with the shifted problem is not below {NEAR}"
    return Outcome(row, limits_certificate(instance, run),
                   {"t": [t for t, _ in curve], "corr": [c for _, c in curve]}, reason, instance)


def supports(one: Outcome) -> bool:
    return bool(one.row["supporting"] == one.row["n"])


def verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for (step,), group in by_group(outcomes, "decoder_step").items():
        every = [one for one in group if supports(one)]
        some = [one for one in group if one.row["supporting"] is not None and not supports(one)]
        first = sorted(one.row["t0"] for one in every if one.row["t0"] is not None)
        text = f"decoder's step {step}: with samples off the support 1 - corr with the shifted problem below {NEAR} " \
               f"in {share(sum(not one.reason for one in some), len(some))}"
        away = [one.row["relaxed"] for one in some if one.row["relaxed"] is not None]
        if away:
            text += f", with the relaxed one at least {min(away):.1e}"
        text += f"; of all-support instances {share(len(first), len(every))} are proved for ever"
        if first:
            text += f", t0 from {first[0]} to {first[-1]}, median {statistics.median(first):.0f}"
        parts.append(text)
    return "; ".join(parts)


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, ORANGE

    groups = by_group(outcomes, "decoder_step")
    axes = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for ax, ((step,), group) in zip(axes, groups.items()):
        for one in group:
            ax.plot(one.curve["t"], one.curve["corr"], linewidth=0.7, alpha=0.6,
                    color=BLUE if supports(one) else ORANGE)
        ax.plot([], [], color=BLUE, label="all support: plain problem, until proved")
        ax.plot([], [], color=ORANGE, label="samples off the support: shifted problem")
        ax.set(xscale="log", yscale="log", xlabel="step", title=f"decoder's step {step}")
        ax.legend(frameon=False, fontsize="small")
    axes[0].set_ylabel("1 - corr of W (certified)")


JOINT_LIMITS = Experiment(
    "joint-limits", "A.joint, C.joint",
    "trained with the decoder, W tends to the relaxed problem's direction where samples do not support the decoder "
    "(measured here against the shifted problem too), to the plain one's where all do (n = T = 4, d = 10, normalised "
    "steps, the attention's 0.1; certificates of both margin problems)",
    30, {"optimizer": "ngd", "step": STEP, "steps": STEPS, "loss": "logistic", "bits": 60},
    lambda seeds: [Case({"decoder_step": step, "n": 4, "T": 4, "d": 10, "seed": seed}) for step in ("0.1", "0.03")
                   for seed in range(seeds)],
    conduct, verdict, draw)


LOOK = 200  # steps after which the selection that a run leads to is taken


def conduct_forever(case: Case, pulse: Pulse) -> Outcome:
    """Only instances all of whose sequences support the decoder are trained to the end."""
    p = case.parameters
    instance = attest.instance(**normals(p["seed"], p["n"], p["T"], p["d"]))

    def train(steps: int) -> attest.Run:
        return attest.run(instance, joint=True, step=STEP, steps=steps, bits=60, until_forever=True, certificate=False,
                          progress=pulse)

    run = train(LOOK)
    supporting = None if run.joint is None else run.joint.supporting
    every = supporting is not None and len(supporting) == p["n"]
    if every and not run.forever:
        run = train(STEPS)
    row: Row = {**p, "supporting": None if supporting is None else len(supporting), "step": run.steps,
                "t0": run.forever.t0}
    reason = ""
    if supporting is None:
        reason = run.reason or "the decoder's support is undecided"
    elif not every:
        reason = "not every sequence supports the decoder"
    elif not run.forever:
        reason = run.reason or run.forever.reason
    return Outcome(row, limits_certificate(instance, run), {}, reason, instance)


def verdict_forever(outcomes: List[Outcome]) -> str:
    every = [one for one in outcomes if supports(one)]
    first = sorted(one.row["t0"] for one in every if one.row["t0"] is not None)
    text = f"{len(every)} of {len(outcomes)} instances have every sequence support the decoder; " \
           f"{share(len(first), len(every))} are proved for ever by step {STEPS}"
    if first:
        text += f", t0 from {first[0]} to {first[-1]}, median {statistics.median(first):.0f}"
    return text


def draw_forever(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE

    first = sorted(one.row["t0"] for one in outcomes if one.row["t0"] is not None)
    ax = figure.subplots()
    ax.step([0, *first], range(len(first) + 1), where="post", color=BLUE)
    ax.set(xlabel="step t0", ylabel="instances proved for ever by t0")


JOINT_FOREVER = Experiment(
    "joint-forever", "A.joint, C.joint",
    "trained together by normalised steps, decoder and W tend to both max-margin directions (n = T = 4, d = 10, every "
    "sequence supporting the decoder; T20; certificates of both margin problems)",
    160, {"optimizer": "ngd", "step": STEP, "steps": STEPS, "loss": "logistic", "bits": 60, "look": LOOK},
    lambda seeds: [Case({"n": 4, "T": 4, "d": 10, "seed": seed}) for seed in range(seeds)],
    conduct_forever, verdict_forever, draw_forever)
