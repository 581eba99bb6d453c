"""Figures of results: matplotlib axes in, matplotlib axes out; what is proved and what is only drawn is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

if TYPE_CHECKING:
    from .results import Certified, Path, Run

# Okabe and Ito's palette, told apart with any colour vision.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8A8A8A"


def _axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def margins(found: "Certified", ax: Any = None) -> Any:
    """The margin <a_selected - a_t, W> of every token by sequence, at the rounded W; support tokens filled."""
    ax = _axes(ax)
    ax.set_xlabel("sequence")
    ax.set_ylabel(r"margin $\langle a_{\alpha} - a_t, W\rangle$")
    ax.set_title(f"{found.verdict}" + (f", margin {found.margin}" if found.margin is not None else ""))
    if found.W is None:
        ax.text(0.5, 0.5, found.reason or "no W separates the selected tokens", ha="center", va="center",
                transform=ax.transAxes)
        return ax
    data = found.instance.features()
    support = set(found.support or ())
    first = data["first_row"]
    points = {True: ([], []), False: ([], [])}  # type: Any
    for i, selected in enumerate(found.selection):
        rows = slice(int(first[i]), int(first[i + 1]))
        logits = data["x"][rows] @ (found.W @ data["z"][i])
        for t, logit in enumerate(logits):
            if t == selected:
                continue
            xs, ys = points[(i, t) in support]
            xs.append(i)
            ys.append(logits[selected] - logit)
    ax.plot(*points[False], linestyle="", marker="o", markersize=4, markerfacecolor="none", color=BLUE,
            label="token")
    ax.plot(*points[True], linestyle="", marker="o", markersize=5, color=ORANGE, label="support token")
    ax.axhline(1, color=GREY, linewidth=1, label="required")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize="small")
    return ax


def run(result: "Run", ax: Any = None) -> Any:
    """1 - corr with the max-margin direction: the certified band, and where the theorem about all later steps begins."""
    ax = _axes(ax)
    ax.set_xlabel("step")
    ax.set_ylabel("1 - corr with the max-margin direction")
    trace = result.trace
    ax.set_title(f"{result.optimizer}, {result.steps} steps")
    t = np.asarray(trace.get("t", ()))
    keep = t > 0
    if not keep.any():
        ax.text(0.5, 0.5, result.reason or "no step was made", ha="center", va="center", transform=ax.transAxes)
        return ax
    lo, hi = trace["one_minus_corr_lo"][keep], trace["one_minus_corr_hi"][keep]
    seen = np.isfinite(hi) & (hi > 0)
    if seen.any():
        ax.fill_between(t[keep][seen], np.maximum(lo[seen], 1e-300), hi[seen], color=BLUE, alpha=0.3, linewidth=0)
        ax.plot(t[keep][seen], hi[seen], color=BLUE, label="certified (the band is thinner than the line)"
                if np.nanmax((hi - lo)[seen] / hi[seen]) < 1e-3 else "certified band, upper end")
        ax.set_xscale("log")
        ax.set_yscale("log")
    if result.forever and result.forever.t0 is not None:
        ax.axvline(max(result.forever.t0, 1), color=GREEN, linestyle="--", linewidth=1.2,
                   label=f"proved for all later steps ({result.forever.theorem})")
    ax.legend(frameon=False, fontsize="small")
    return ax


def path(result: "Path", ax: Any = None) -> Any:
    """The proved bound of 1 - cos(W_r, W*) over the radius r."""
    ax = _axes(ax)
    ax.set_xlabel("radius r")
    ax.set_ylabel(r"$1 - \langle u, W_r\rangle / r$")
    ax.set_title(f"regularisation path, {result.loss} loss: {result.verdict}")
    if result.from_radius is None or result.rate_constant is None:
        ax.text(0.5, 0.5, result.reason or result.verdict, ha="center", va="center", transform=ax.transAxes)
        return ax
    start = float(result.from_radius.hi) * (1 + 1e-12)
    radius = start * np.logspace(0, 3, 200)
    bound = np.minimum(float(result.rate_constant.hi) / radius, 2)
    ax.fill_between(radius, np.full_like(radius, bound.min() / 3), bound, color=BLUE, alpha=0.15, linewidth=0)
    ax.plot(radius, bound, color=BLUE, label="every minimiser lies below (proved for every radius)")
    ax.axvline(start, color=GREY, linewidth=1, label="from here on")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.legend(frameon=False, fontsize="small")
    return ax


def attention(instance: Any, W: Any, sequence: Optional[int] = None, ax: Any = None) -> Any:
    """The attention of a layer W (d, e) as a map over sequences and tokens, in doubles (nothing is proved)."""
    from .trajectories import softmax

    weights = softmax(instance, W)
    ax = _axes(ax)
    table = np.full((len(weights), max(len(s) for s in weights)), np.nan)
    for i, s in enumerate(weights):
        table[i, :len(s)] = s
    image = ax.imshow(table if sequence is None else table[sequence:sequence + 1], aspect="auto", cmap="cividis",
                      vmin=0, vmax=1, interpolation="nearest")
    ax.set_xlabel("token")
    ax.set_ylabel("sequence")
    ax.figure.colorbar(image, ax=ax, label="attention")
    return ax
