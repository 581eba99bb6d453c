"""What the published notebooks do: the textbook softmax gradient in floating point, held against the exact run."""

from __future__ import annotations

import statistics
from typing import Any, Dict, List

import numpy as np

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .instances import gaussian
from .limits import by_group

STEPS, STEP, SHARE = 2000, "1/10", "1/100"


def recorded_steps() -> List[int]:
    decades = {scale * 10 ** power for power in range(4) for scale in (1, 2, 5)}
    return sorted({0, *(t for t in decades if t <= STEPS), *range(50, STEPS + 1, 50)})


def textbook_run(data: Dict[str, Any], dtype: Any) -> attest.Trajectory:
    """Normalised descent from 0 with every operation in ``dtype``; it stays where its gradient is 0."""
    X, z, v, Y = (data[key].astype(dtype) for key in ("X", "z", "v", "Y"))
    scores = X @ v
    W = np.zeros((X.shape[2], z.shape[1]), dtype)
    recorder = attest.Recorder(optimizer="ngd", step=STEP, loss="logistic", schedule="constant", momentum="0")
    wanted = set(recorded_steps())
    for t in range(STEPS + 1):
        if t in wanted:
            recorder.add(W, t)
        logits = np.einsum("ntd,de,ne->nt", X, W, z)
        s = np.exp(logits - logits.max(axis=1, keepdims=True))
        s = s / s.sum(axis=1, keepdims=True)
        f = (s * scores).sum(axis=1)
        slope = -Y / (1 + np.exp(Y * f))
        gradient = np.einsum("n,nt,ntd,ne->de", slope, s * (scores - f[:, None]), X, z) / dtype(len(Y))
        length = np.sqrt((gradient * gradient).sum())
        if length > 0:
            W = W - dtype(0.1) * gradient / length
    return recorder.trajectory()


def compare(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    dtype = np.dtype(p["format"]).type
    data = {key: value.astype(dtype) if key != "Y" else value
            for key, value in gaussian(p["seed"], p["n"], p["T"], p["d"]).items()}
    instance = attest.instance(**data)
    found = attest.compare(textbook_run(data, dtype), instance, share=SHARE, progress=pulse)
    last = found.steps[-1] if found.steps and found.steps[-1].t == STEPS else None
    norm = float(last.norm) / float(last.exact_norm) if last and last.norm and last.exact_norm else None
    row: Row = {**p, "within_until": found.within_until, "beyond_from": found.beyond_from, "norm_share": norm,
                "other_tokens_from": found.other_tokens_from,
                "other_tokens": None if last is None else len(last.other_tokens),
                "open": None if last is None else last.open}
    seen = [step for step in found.steps if step.t > 0 and step.share is not None]
    return Outcome(row, found.certificate, {"t": [step.t for step in seen],
                                            "share": [float(step.share) for step in seen if step.share is not None]},
                   found.reason if last is None else "", instance)


def verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for (name,), group in by_group(outcomes, "format").items():
        left = [one.row["beyond_from"] for one in group if one.row["beyond_from"] is not None]
        norms = [one.row["norm_share"] for one in group if one.row["norm_share"] is not None]
        others = sum(bool(one.row["other_tokens"]) for one in group)
        text = f"{name}: {share(len(left), len(group))} are off by more than {SHARE} of the norm at the end"
        if left:
            text += f" (from step {statistics.median(left):.0f} on, median)"
        if norms:
            text += f", with {min(norms):.2f} to {max(norms):.2f} of the true norm"
        parts.append(text + f"; {others} select other tokens than the exact run")
    return "; ".join(parts)


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREY, ORANGE

    ax = figure.subplots()
    for one in outcomes:
        ax.plot(one.curve["t"], np.maximum(one.curve["share"], 1e-18), linewidth=0.7, alpha=0.6,
                color=BLUE if one.row["format"] == "float64" else ORANGE)
    ax.plot([], [], color=ORANGE, label="float32")
    ax.plot([], [], color=BLUE, label="float64")
    ax.axhline(1 / 100, color=GREY, linewidth=1, label="1/100")
    ax.set(xscale="log", yscale="log", xlabel="step", ylabel=r"$\|V_t - W_t\| / \|W_t\|$ (certified)")
    ax.legend(frameon=False, fontsize="small")


FLOAT_RUNS = Experiment(
    "float-runs", "B, notebooks",
    "the published runs are made in floating point with the textbook gradient and taken for the iteration of the "
    "theorems (n = 6, T = 8, d = 10, normalised steps of 0.1 from 0, 2000 steps)",
    20, {"steps": STEPS, "step": STEP, "share": SHARE, "loss": "logistic", "start": "zero"},
    lambda seeds: [Case({"format": name, "n": 6, "T": 8, "d": 10, "seed": seed}) for name in ("float32", "float64")
                   for seed in range(seeds)],
    compare, verdict, draw)
