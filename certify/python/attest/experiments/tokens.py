"""Several selected tokens a sequence: training a nonlinear head tends to W_fin + c W_mm (paper B, section 6)."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .instances import gaussian
from .limits import by_group

STEPS, STEP = 2000, 0.1


def units(seed: int, n: int, T: int, d: int) -> Dict[str, Any]:
    """Unit-normalised Gaussian tokens and queries, labels at random; the head is the sum of ReLU(o)."""
    data = gaussian(seed, n, T, d)
    return {"X": data["X"], "z": data["z"], "Y": data["Y"], "head": "relu", "A": np.eye(d), "bias": np.zeros(d),
            "r": np.ones(d)}


def attention(X: Any, W: Any, z: Any) -> Tuple[Any, Any]:
    """Logits and attention (n, T), in floating point."""
    logits = np.einsum("ntd,de,ne->nt", X, W, z)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return logits, weights / weights.sum(axis=1, keepdims=True)


def proposed_sets(data: Dict[str, Any], steps: int) -> List[List[int]]:
    """The tokens that seem to share the attention: what their logits lack of the best stops growing.

    Logits of tokens that do not are to grow apart like ||W||; those that, over the second half of the steps, did so by
    less than half of that are taken for selected. A guess from a run in floating point: what is proved of the sets does
    not depend on it.
    """
    X, z, Y = data["X"], data["z"], data["Y"]
    W = half = np.zeros((X.shape[2], z.shape[1]))
    for t in range(steps):
        if t == steps // 2:
            half = W
        _, s = attention(X, W, z)
        o = np.einsum("nt,ntd->nd", s, X)
        f = Y * np.maximum(o, 0).sum(axis=1)
        gains = np.einsum("ntd,nd->nt", X, (o > 0) * Y[:, None])
        gains -= np.take_along_axis(gains, s.argmax(axis=1)[:, None], 1)  # else nothing is left of them but rounding
        weights = s * (gains - (s * gains).sum(axis=1, keepdims=True)) / (1 + np.exp(f))[:, None]
        V = np.einsum("nt,ntd,ne->de", weights, X, z)
        norm = np.linalg.norm(V)
        if norm == 0:
            break
        W = W + STEP * V / norm
    last, before = attention(X, W, z)[0], attention(X, half, z)[0]
    best = last.argmax(axis=1)[:, None]
    lacks, lacked = (np.take_along_axis(logits, best, 1) - logits for logits in (last, before))
    grown = 1 - float(np.linalg.norm(half)) / max(float(np.linalg.norm(W)), 1e-300)
    stays = lacks - lacked < lacks / 2 * grown
    return [[t for t in range(X.shape[1]) if t == best[i] or stays[i, t]] for i in range(len(X))]


def conduct(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    data = units(p["seed"], p["n"], p["T"], p["d"])
    sets = proposed_sets(data, STEPS)
    instance = attest.instance(**data)
    solved = attest.certify_sets(instance, selected_sets=sets, progress=pulse)
    run = attest.run(instance, step="1/10", steps=STEPS, bits=60, selected_sets=sets, progress=pulse)
    assert run.sets is not None
    last = run.sets.points[-1] if run.sets.points else None
    corr = None if last is None else last.one_minus_corr

    def end(band: Any, upper: bool) -> Any:
        return None if band is None else float(band.hi if upper else band.lo)

    row: Row = {**p, "sets": " ".join("+".join(map(str, one)) for one in sets),
                "several": sum(len(one) > 1 for one in sets), "margin_problem": solved.verdict,
                "step": None if last is None else last.t,
                "least_selected": end(last and last.least_selected, False),
                "greatest_masked": end(last and last.greatest_masked, True),
                "one_minus_corr": end(corr, True)}
    curve = [(one.t, float(one.one_minus_corr)) for one in run.sets.points
             if one.t > 0 and one.one_minus_corr is not None]
    reason = ""
    if solved.verdict != "feasible":
        reason = f"the margin problem of the sets is {solved.verdict}"
    elif last is None or last.t < STEPS:
        reason = run.reason or "the run ended early"
    elif corr is None:
        reason = "no combination with W_mm is near"
    # The run's has the problem of the sets and its solution, too, but where it has no claim of the run.
    certificate = run.certificate if "run-finite-part" in run.certificate else solved.certificate
    return Outcome(row, certificate, {"t": [t for t, _ in curve], "corr": [c for _, c in curve]}, reason,
                   instance)


def verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for (d,), group in by_group(outcomes, "d").items():
        feasible = sum(one.row["margin_problem"] == "feasible" for one in group)
        near = sorted(one.row["one_minus_corr"] for one in group
                      if not one.reason and one.row["one_minus_corr"] is not None)
        text = f"d {d}: margin problem of the sets feasible in {share(feasible, len(group))}"
        if near:
            text += f", 1 - corr at step {STEPS} certified in {len(near)}, median {near[len(near) // 2]:.1e}, " \
                    f"largest {near[-1]:.1e}"
        parts.append(text)
    return "; ".join(parts)


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, GREY, ORANGE

    ax = figure.subplots()
    for ((d,), group), colour in zip(by_group(outcomes, "d").items(), (BLUE, ORANGE, GREEN, GREY)):
        for one in group:
            ax.plot(one.curve["t"], one.curve["corr"], linewidth=0.7, alpha=0.5, color=colour)
        ax.plot([], [], color=colour, label=f"d = {d}")
    ax.set(xscale="log", yscale="log", xlabel="step", ylabel="1 - corr with the best W_fin + c W_mm (certified)")
    ax.legend(frameon=False, fontsize="small")


SEVERAL_TOKENS = Experiment(
    "several-tokens", "B.gen",
    "with the head 1'ReLU(o) several tokens share the attention, and W tends to W_fin + c W_mm (n = 3, T = 4, "
    "d = 4, 6, 8, 10, normalised steps of 0.1 from 0; the paper calls tokens selected above 1e-3 and masked below "
    "1e-6, and leaves seeds out where its solver fails)",
    100, {"optimizer": "ngd", "step": "1/10", "steps": STEPS, "loss": "logistic", "start": "zero"},
    lambda seeds: [Case({"n": 3, "T": 4, "d": d, "seed": seed}) for d in (4, 6, 8, 10) for seed in range(seeds)],
    conduct, verdict, draw)
