"""Figures of results: matplotlib axes in, matplotlib axes out; what is proved and what is only drawn is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

import numpy as np

if TYPE_CHECKING:
    from .comparison import Comparison
    from .layer import Layer
    from .results import Certified, JointCertified, Path, Row, Run, Selections, SetsCertified

# Okabe and Ito's palette, told apart with any colour vision.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8A8A8A"
BLACK, PURPLE = "#000000", "#CC79A7"


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


def _separation(found: Any, what: str, ax: Any) -> Any:
    """Axes of margins by sequence; where there is no W to draw, they say why."""
    ax = _axes(ax)
    _count(ax.xaxis, "sequence")
    ax.set_ylabel(r"margin $\langle a_{\alpha} - a_t, W\rangle$")
    ax.set_title(found.verdict + (f", {what} {found.margin}" if found.margin is not None else ""))
    if found.W is None:
        ax.text(0.5, 0.5, found.reason or "no W separates the selected tokens", ha="center", va="center",
                transform=ax.transAxes)
    return ax


def _margins(found: Any, selected: Sequence[int]) -> List[Tuple[Tuple[int, int], float]]:
    """(sequence, token) and the margin of the selected token over it at the rounded W, equal tokens once."""
    data = found.instance.features()
    first, margins = data["first_row"], []
    for i, best in enumerate(selected):
        logits = data["x"][int(first[i]):int(first[i + 1])] @ (found.W @ data["z"][i])
        margins += [((i, t), float(logits[best] - logit)) for t, logit in enumerate(logits)
                    if t != best and data["counts"][int(first[i]) + t] > 0]
    return margins


def _marked(ax: Any, points: Sequence[Tuple[int, float]], label: str, **style: Any) -> None:
    ax.plot([x for x, _ in points], [y for _, y in points], linestyle="", label=label, **style)


def _tokens(ax: Any, margins: Sequence[Tuple[Tuple[int, int], float]], support: Sequence[Tuple[int, int]]) -> None:
    tight = set(support)
    _marked(ax, [(i, y) for (i, t), y in margins if (i, t) not in tight], "token", marker="o", markersize=4,
            markerfacecolor="none", color=BLUE)
    _marked(ax, [(i, y) for (i, t), y in margins if (i, t) in tight], "support token", marker="o", markersize=5,
            color=ORANGE)
    ax.axhline(1, color=GREY, linewidth=1, label="required")


def margins(found: "Certified", ax: Any = None) -> Any:
    """The margin <a_selected - a_t, W> of every token by sequence, at the rounded W; support tokens filled."""
    ax = _separation(found, "margin", ax)
    if found.W is None:
        return ax
    _tokens(ax, _margins(found, found.selection), found.support or ())
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize="small")
    return ax


def joint(found: "JointCertified", ax: Any = None) -> Any:
    """Margins of all tokens at the rounded W, and the label margin Y_i v'x of each selected token at the rounded v.

    Sequences that do not support the decoder are shaded: their rows only ask for margins of at least 0.
    """
    ax = _separation(found, "attention margin", ax)
    if found.W is None:
        return ax
    _tokens(ax, _margins(found, found.selection), found.support or ())
    if found.v is not None:
        _marked(ax, list(enumerate(_label_margins(found))), "label margin of the decoder", marker="D", markersize=5,
                markerfacecolor="none", color=GREEN)
    for k, i in enumerate(found.relaxed or ()):
        ax.axvspan(i - 0.3, i + 0.3, color=GREY, alpha=0.2, linewidth=0,
                   label=None if k else "not supporting: margins of at least 0")
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.legend(frameon=False, fontsize="small")
    return ax


def _label_margins(found: "JointCertified") -> List[float]:
    """Y_i v'x of the selected tokens at the rounded v: their size, as all of them are at least 1."""
    data = found.instance.features()
    rows = [int(first) + t for first, t in zip(data["first_row"], found.selection)]
    return [abs(float(data["x"][row] @ found.v)) for row in rows]


def sets(found: "SetsCertified", ax: Any = None) -> Any:
    """Margins over each set's first token at the rounded W: 0 within the sets, at least 1 for all other tokens."""
    ax = _separation(found, "margin", ax)
    if found.W is None:
        return ax
    together = {(i, t) for i, one in enumerate(found.selected_sets) for t in one}
    margins = _margins(found, [one[0] for one in found.selected_sets])
    _tokens(ax, [one for one in margins if one[0] not in together], found.support or ())
    _marked(ax, [(i, y) for (i, t), y in margins if (i, t) in together], "selected together", marker="s",
            markersize=5, markerfacecolor="none", color=GREEN)
    ax.legend(frameon=False, fontsize="small")
    return ax


def theorems(result: Sequence["Row"], ax: Any = None) -> Any:
    """A mark for each theorem by its verdict, the ids along the axis."""
    ax = _axes(ax, 6.4, max(2.0, 0.24 * len(result)))
    verdicts = ("holds", "fails", "undecided")
    for verdict, colour, marker in zip(verdicts, (BLUE, ORANGE, GREY), ("o", "X", "_")):
        here = [k for k, row in enumerate(result) if row.verdict == verdict]
        ax.plot([verdicts.index(verdict)] * len(here), here, linestyle="", marker=marker, color=colour)
    ax.set_xticks(range(len(verdicts)))
    ax.set_xticklabels([f"{verdict} ({sum(row.verdict == verdict for row in result)})" for verdict in verdicts])
    ax.set_xlim(-0.5, len(verdicts) - 0.5)
    ax.set_yticks(range(len(result)))
    ax.set_yticklabels([row.id for row in result], fontsize="small")
    ax.invert_yaxis()
    ax.grid(axis="y", color=GREY, alpha=0.2)
    ax.set_title("theorems of the papers on this instance")
    return ax


def run(result: "Run", ax: Any = None) -> Any:
    """1 - corr with the max-margin direction: the certified band, and what is proved of all later steps.

    Of mirror descent the Bregman divergence; of training (K, Q) both norms' solutions; of joint training every problem
    that may be the limit, and the decoder's; where several tokens are selected, the best W_fin + c W_mm, too.
    """
    ax = _axes(ax)
    ax.set_xlabel("step")
    mirror = "potential" in result.answer
    ax.set_ylabel(r"Bregman divergence $D(u, W/\|W\|)$" if mirror else "1 - corr with the max-margin direction")
    trained = "(K,Q), " if "parameterization" in result.answer else ""
    ax.set_title(f"{trained}{result.optimizer}, {result.steps} steps")
    bands = _bands(result)
    if not bands:
        ax.text(0.5, 0.5, result.reason or "no step was made", ha="center", va="center", transform=ax.transAxes)
        return ax
    for (label, t, lo, hi), colour, style in zip(bands, (BLUE, ORANGE, BLACK, PURPLE), ("-", "-.", ":", "--")):
        ax.fill_between(t, np.maximum(lo, 1e-300), hi, color=colour, alpha=0.3, linewidth=0)
        thin = np.nanmax((hi - lo) / hi) < 1e-3
        ax.plot(t, hi, color=colour, linestyle=style,
                label=label + (" (the band is thinner than the line)" if thin else ", upper end"))
    _later(result, ax)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.legend(frameon=False, fontsize="small")
    return ax


Band = Tuple[str, Any, Any, Any]  # label, steps, lower and upper ends


def _bands(result: "Run") -> List[Band]:
    """What a run encloses, from every step of its trace or from its checkpoints, where that is positive."""
    trace = result.trace
    if result.joint is not None:
        points = result.joint.points
        found = [_band(f"{name} problem", [(one.t, one.one_minus_corr.get(name)) for one in points])
                 for name in result.joint.problems]
        found.append(_band("decoder", [(one.t, one.decoder_one_minus_corr) for one in points]))
    else:
        several = "one_minus_corr_nuclear_lo" in trace
        found = [_traced("Frobenius norm, certified" if several else "certified", trace, "one_minus_corr")]
        if several:
            found.append(_traced("nuclear norm, certified", trace, "one_minus_corr_nuclear"))
    if result.sets is not None:
        found.append(_band(r"best $W_{fin} + c W_{mm}$", [(one.t, one.one_minus_corr) for one in result.sets.points]))
    return [(label, t[keep], lo[keep], hi[keep]) for label, t, lo, hi in found
            for keep in [(t > 0) & np.isfinite(hi) & (hi > 0)] if keep.any()]


def _band(label: str, points: Sequence[Tuple[int, Any]]) -> Band:
    seen = [(t, float(one.lo), float(one.hi)) for t, one in points if one is not None]
    return (label, *np.array(seen, dtype=float).reshape(-1, 3).T)  # type: ignore[return-value]


def _traced(label: str, trace: Any, name: str) -> Band:
    empty = np.array([])
    return label, np.asarray(trace.get("t", empty)), trace.get(f"{name}_lo", empty), trace.get(f"{name}_hi", empty)


def _later(result: "Run", ax: Any) -> None:
    """The bound proved for all later steps, drawn ten times as far as the run; where there is none, its first step."""
    if not result.forever or result.forever.t0 is None:
        return
    label = f"proved for all later steps ({result.forever.theorem})"
    t, bound = (result.trace.get(name, np.array([])) for name in ("later_t", "later_bound"))
    keep = (t > 0) & (bound > 0) & (bound < 2)
    if keep.any():
        ax.plot(t[keep], bound[keep], color=GREEN, linestyle="--", linewidth=1.2, label="bound " + label)
        return
    ax.axvline(max(result.forever.t0, 1), color=GREEN, linestyle="--", linewidth=1.2, label=label)


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
    best = _best_tokens(result.instance)
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


def selection_graph(result: "Selections", ax: Any = None, most: int = 40) -> Any:
    """The locally optimal selections found as a graph: joined where they differ in one sequence; larger: wider margin.

    They stand on a circle by their margins, the widest at the top; the best-scored one is filled.
    """
    ax = _axes(ax, 5.2, 5.2)
    ax.set_axis_off()
    ax.set_title("locally optimal selections" + ("" if result.complete else " (those found)"))
    found = sorted(result.found, key=lambda one: float(one["margin"]), reverse=True)[:most]
    if not found:
        ax.text(0.5, 0.5, "none", ha="center", va="center", transform=ax.transAxes)
        return ax
    angle = np.pi / 2 - 2 * np.pi * np.arange(len(found)) / len(found)
    x, y = np.cos(angle), np.sin(angle)
    tokens_of = np.array([one["selection"] for one in found])
    for a in range(len(found)):
        for b in np.flatnonzero((tokens_of[a + 1:] != tokens_of[a]).sum(axis=1) == 1) + a + 1:
            ax.plot([x[a], x[b]], [y[a], y[b]], color=GREY, linewidth=1, zorder=1)
    best, widest = _best_tokens(result.instance), float(found[0]["margin"])
    for k, one in enumerate(found):
        is_best = list(one["selection"]) == best
        ax.plot([x[k]], [y[k]], marker="s" if is_best else "o", markersize=4 + 10 * float(one["margin"]) / widest,
                color=ORANGE if is_best else BLUE, markerfacecolor=ORANGE if is_best else "white", zorder=2)
        ax.text(1.15 * x[k], 1.15 * y[k], " ".join(map(str, one["selection"])), ha="center", va="center",
                fontsize="small")
    ax.set_xlim(-1.4, 1.4)
    ax.set_ylim(-1.4, 1.4)
    ax.set_aspect("equal")
    return ax


def _best_tokens(instance: Any) -> List[int]:
    data = instance.features()
    first, scores = data["first_row"], data["scores"]
    return [int(np.argmax(scores[int(first[i]):int(first[i + 1])])) for i in range(len(first) - 1)]


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
