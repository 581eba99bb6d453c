"""Figures of results: matplotlib axes in, matplotlib axes out; what is proved and what is only drawn is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

if TYPE_CHECKING:
    from .comparison import Comparison
    from .layer import Layer
    from .results import Certified, Path, Run, Selections

# Okabe and Ito's palette, told apart with any colour vision.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8A8A8A"


def _axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def _count(axis: Any, label: str) -> None:
    """An axis of whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))
    axis.set_label_text(label)


def margins(found: "Certified", ax: Any = None) -> Any:
    """The margin <a_selected - a_t, W> of every token by sequence, at the rounded W; support tokens filled."""
    ax = _axes(ax)
    _count(ax.xaxis, "sequence")
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
            if t == selected or data["counts"][int(first[i]) + t] == 0:
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
    """1 - corr with the max-margin direction: the certified band, and where what holds of all later steps begins."""
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

    table = _table(softmax(instance, W))
    return _map(table if sequence is None else table[sequence:sequence + 1], ax)


def _table(rows: Sequence[Any]) -> Any:
    """Rows of different lengths as one array, the rest of it not a number."""
    table = np.full((len(rows), max(map(len, rows), default=0)), np.nan)
    for i, row in enumerate(rows):
        table[i, :len(row)] = row
    return table


def _map(table: Any, ax: Any) -> Any:
    """A map of attention; drawn cell by cell, so that a vector format keeps it."""
    ax = _axes(ax)
    cells = ax.pcolormesh(np.arange(table.shape[1] + 1) - 0.5, np.arange(table.shape[0] + 1) - 0.5,
                          table, cmap="cividis", vmin=0, vmax=1)
    ax.invert_yaxis()
    _count(ax.xaxis, "token")
    _count(ax.yaxis, "sequence")
    bar = ax.figure.colorbar(cells, ax=ax, label="attention")
    bar.solids.set_rasterized(False)
    bar.solids.set_edgecolor("face")  # no gaps between its shades
    return ax


def comparison(result: "Comparison", ax: Any = None) -> Any:
    """A recorded run against the exact one: ||V - W_t|| and ||V|| over ||W_t||, and where it selects other tokens."""
    ax = _axes(ax)
    ax.set_xlabel("step")
    ax.set_ylabel(r"relative to the exact $\|W_t\|$")
    ax.set_title("a recorded run beside the exact one")
    seen = [step for step in result.steps if step.t > 0 and step.share is not None and step.norm is not None]
    if not seen:
        ax.text(0.5, 0.5, result.reason or "no step was compared", ha="center", va="center", transform=ax.transAxes)
        return ax
    t = [step.t for step in seen]
    share = np.array([float(step.share) for step in seen])  # type: ignore[arg-type]
    norm = [float(step.norm) / float(step.exact_norm) for step in seen]  # type: ignore[arg-type]
    ax.plot(t, np.maximum(share, 1e-20), color=BLUE, marker="o", markersize=3, label=r"$\|V - W_t\|$")
    ax.plot(t, norm, color=GREEN, linestyle="-.", label=r"$\|V\|$")
    ax.axhline(float(result.share), color=GREY, linewidth=1, label=f"{result.share}")
    other = [(step.t, max(value, 1e-20)) for step, value in zip(seen, share) if step.other_tokens]
    if other:
        ax.plot(*zip(*other), linestyle="", marker="x", color=ORANGE, label="selects other tokens")
    if result.beyond_from is not None:
        ax.axvline(max(result.beyond_from, 1), color=ORANGE, linestyle="--", linewidth=1.2,
                   label=f"elsewhere from step {result.beyond_from} on")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.legend(frameon=False, fontsize="small")
    return ax


def layer(result: "Layer", ax: Any = None) -> Any:
    """The attention of a layer by sequence and token (proved to more digits than are seen), blocking tokens marked."""
    table = _table([[0.0 if one is None else float(one) for one in sequence.weights] for sequence in result.attention])
    ax = _map(table, ax)
    if result.blocking:
        ax.plot([token for _, token in result.blocking], [group for group, _ in result.blocking], linestyle="",
                marker="x", color=ORANGE, label=f"stands against a theorem ({result.blocked_by})")
        ax.legend(frameon=True, fontsize="small", loc="upper right")
    ax.set_title(f"all further training: {result.verdict}")
    return ax


def selections(result: "Selections", ax: Any = None, most: int = 30) -> Any:
    """The margins of the locally optimal selections found, the widest first; the best-scored one filled."""
    ax = _axes(ax)
    ax.set_ylabel("margin")
    ax.set_title("locally optimal selections" + ("" if result.complete else " (those found)"))
    found = sorted(result.found, key=lambda one: float(one["margin"]), reverse=True)[:most]
    if not found:
        ax.text(0.5, 0.5, "none", ha="center", va="center", transform=ax.transAxes)
        return ax
    data = result.instance.features()
    first, scores = data["first_row"], data["scores"]
    best = [int(np.argmax(scores[int(first[i]):int(first[i + 1])])) for i in range(len(first) - 1)]
    for k, one in enumerate(found):
        is_best = list(one["selection"]) == best
        ax.plot([k, k], [0, float(one["margin"])], color=GREY, linewidth=1)
        ax.plot([k], [float(one["margin"])], marker="s" if is_best else "o", color=ORANGE if is_best else BLUE,
                markerfacecolor=ORANGE if is_best else "none")
    ax.set_xticks(range(len(found)))
    ax.set_xticklabels([" ".join(map(str, one["selection"])) for one in found], rotation=90 if len(found) > 6 else 0,
                       fontsize="small")
    ax.set_ylim(bottom=0)
    return ax


def attention_over_time(result: "Run", ax: Any = None) -> Any:
    """1 - attention of the selected token, the largest over the sequences: its certified band at the checkpoints."""
    ax = _axes(ax)
    ax.set_xlabel("step")
    ax.set_ylabel(r"$\max_i\, 1 - s_{i,\alpha_i}$")
    ax.set_title(f"attention of the selected tokens, {result.optimizer}")
    seen = [(point.t, point.max_one_minus_s) for point in result.checkpoints
            if point.t > 0 and point.max_one_minus_s is not None]
    if not seen:
        ax.text(0.5, 0.5, result.reason or "no step was made", ha="center", va="center", transform=ax.transAxes)
        return ax
    t = [step for step, _ in seen]
    lo, hi = (np.maximum([float(end) for end in ends], 1e-300) for ends in
              zip(*((band.lo, band.hi) for _, band in seen)))
    ax.fill_between(t, lo, hi, color=BLUE, alpha=0.3, linewidth=0)
    ax.plot(t, hi, color=BLUE, marker="o", markersize=4, label="enclosed")
    ax.axhline(0.5, color=GREY, linewidth=1, label="1/2")
    if result.forever and result.forever.dominates_from is not None:
        ax.axvline(max(result.forever.dominates_from, 1), color=GREEN, linestyle="--", linewidth=1.2,
                   label="below 1/2 for ever (proved)")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.legend(frameon=False, fontsize="small")
    return ax


def tokens(found: "Certified", sequence: int = 0, ax: Any = None) -> Any:
    """The tokens of one sequence of a two-dimensional instance, and the line W z that ranks them (rounded)."""
    data = found.instance.features()
    if data["x"].shape[1] != 2:
        raise ValueError(f"tokens have {data['x'].shape[1]} dimensions; two can be drawn")
    if found.W is None:
        raise ValueError("no W separates the selected tokens")
    ax = _axes(ax, 4.4, 4.4)
    rows = slice(int(data["first_row"][sequence]), int(data["first_row"][sequence + 1]))
    x, direction, selected = data["x"][rows], found.W @ data["z"][sequence], found.selection[sequence]
    support = [t for group, t in found.support or () if group == sequence]
    plain = [t for t in range(len(x)) if t != selected and t not in support and data["counts"][rows][t] > 0]
    ax.plot(x[plain, 0], x[plain, 1], linestyle="", marker="o", markerfacecolor="none", color=BLUE, label="token")
    ax.plot(x[support, 0], x[support, 1], linestyle="", marker="o", color=ORANGE, label="support token")
    ax.plot(x[selected, 0], x[selected, 1], linestyle="", marker="s", color=GREEN, label="selected")
    length = np.hypot(*direction)
    if length > 0:
        across = np.array([-direction[1], direction[0]]) / length
        for offset, style, label in ((0.0, "-", "selected token's logit"), (1.0, "--", "one less")):
            foot = x[selected] - offset * direction / length ** 2
            ax.axline(foot, foot + across, color=GREY, linestyle=style, linewidth=1, label=label)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(f"sequence {sequence}")
    ax.legend(frameon=False, fontsize="small")
    return ax
