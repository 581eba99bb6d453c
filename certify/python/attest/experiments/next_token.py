"""Next-token prediction on random sentences (paper E): what is realisable, both stages, other sentences."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, List, Tuple

import numpy as np

import attest

from .experiment import Case, Experiment, Outcome, Pulse, Row, share
from .limits import by_group

SENTENCES, LONGEST, SHIFTED = 40, 6, 20
ROWS = ("E.data", "E.ov", "E.kq", "E.loss", "E.shift")
Ids = List[List[int]]


def language(seed: int, V: int, kind: str) -> Tuple[Ids, Ids, Ids]:
    """Pairs of the collocation, sentences, and other sentences, of V tokens.

    A sentence's query is its last token but one. Where it is "ordered" each query has an order of all tokens, and the
    next token is that of the best one of the context; where it is "contrary" of any one.
    """
    random = np.random.default_rng([seed, V, kind == "ordered"])
    following = random.permutation(V)
    order = np.array([random.permutation(V) for _ in range(V)])  # of each query: the rank of each token

    def sentence(ordered: bool) -> List[int]:
        context = random.permutation(V)[:random.integers(2, min(LONGEST, V) + 1)]
        best = context[np.argmax(order[context[-1]][context])] if ordered else random.choice(context)
        return [*map(int, context), int(following[best])]

    pairs = [[x, int(following[x])] for x in range(V)]
    return (pairs, [sentence(kind == "ordered") for _ in range(SENTENCES)], [sentence(True) for _ in range(SHIFTED)])


def conduct(case: Case, pulse: Pulse) -> Outcome:
    p = case.parameters
    pairs, sentences, others = language(p["seed"], p["V"], p["kind"])
    found = attest.ntp(pairs + sentences, shift=others, tokens="ids", progress=pulse)
    verdicts = {row.id: row for row in found.theorems}
    right = sum(one.predicted == one.expected for one in found.shift)
    row: Row = {**p, "sentences": len(pairs) + len(sentences), "verdict": found.verdict,
                **{name: verdicts[name].verdict for name in ROWS if name in verdicts},
                "feed_forward_norm": norm(found.feed_forward), "attention_norm": norm(found.attention),
                "predicted": sum(one.predicted is not None for one in found.shift), "right": right,
                "shifted": len(others)}
    # A contrary language is there to be found out; an ordered one is to be realisable.
    reason = "" if p["kind"] == "contrary" else next(
        (f"{name}: {verdicts[name].reason}" for name in ROWS[:4] if name in verdicts and
         verdicts[name].verdict != "holds"), "")
    if found.verdict == "undecided":
        reason = str(found.answer.get("reason") or "undecided")
    certificates = [stage.certificate for stage in (found.feed_forward, found.attention) if stage is not None]
    return Outcome(row, "".join(certificates), {}, reason, found)


def norm(stage: Any) -> Any:
    return None if stage is None or stage.norm_value is None else float(stage.norm_value)


def verdict(outcomes: List[Outcome]) -> str:
    parts = []
    for (kind, V), group in by_group(outcomes, "kind", "V").items():
        counts = {name: Counter(one.row.get(name) for one in group) for name in ROWS}
        held = ", ".join(f"{name} {counts[name]['holds']}/{counts[name]['fails']}/"
                         f"{len(group) - counts[name]['holds'] - counts[name]['fails']}" for name in ROWS)
        total, right = (sum(one.row[key] for one in group) for key in ("shifted", "right"))
        predicted = sum(one.row["predicted"] for one in group)
        parts.append(f"{kind} V {V}: {held}; of other sentences {share(predicted, total)} have a certified prediction, "
                     f"{right} of these are right")
    return "holds/fails/undecided: " + "; ".join(parts)


def draw(outcomes: List[Outcome], figure: Any) -> None:
    from attest.figures import BLUE, GREEN, GREY, ORANGE

    groups = by_group(outcomes, "kind", "V")
    rows, shift = figure.subplots(1, 2, gridspec_kw={"width_ratios": [3, 2]})
    for k, group in enumerate(groups.values()):
        bottom = np.zeros(len(ROWS))
        for word, colour in (("holds", BLUE), ("fails", ORANGE), ("undecided", GREY)):
            height = np.array([sum(one.row.get(name) == word for one in group) / len(group) for name in ROWS])
            rows.bar(np.arange(len(ROWS)) + 0.2 * (k - (len(groups) - 1) / 2), height, bottom=bottom, width=0.18,
                     color=colour, edgecolor="white", linewidth=0.5, label=None if k else word)
            bottom += height
    rows.set_xticks(range(len(ROWS)))
    rows.set_xticklabels(ROWS)
    rows.set_ylabel("share of the texts; a bar for " + ", ".join(f"{kind} {V}" for kind, V in groups))
    rows.yaxis.label.set_size("small")
    rows.legend(frameon=True, fontsize="small", loc="lower left")
    names = [f"{kind}\nV {V}" for kind, V in groups]
    for key, colour, label in (("predicted", GREY, "predicted"), ("right", GREEN, "and right")):
        share_of = [sum(one.row[key] for one in group) / sum(one.row["shifted"] for one in group)
                    for group in groups.values()]
        shift.bar(names, share_of, width=0.6 if key == "predicted" else 0.35, color=colour, label=label)
    shift.set(ylabel="share of other sentences", ylim=(0, 1))
    shift.tick_params(axis="x", labelsize="small")
    shift.legend(frameon=False, fontsize="small")


NEXT_TOKEN = Experiment(
    "next-token", "E.data, E.ov, E.kq, E.loss, E.shift",
    "a realisable text has a collocation and strict orders by query, both stages' max-margin problems are feasible and "
    "give the directions of normalised gradient descent, the feed-forward stage's cross-entropy decreases "
    "geometrically, and other sentences are predicted by the extended order (here random languages of V tokens, 40 "
    "sentences; contrary ones without orders beside them)",
    20, {"sentences": SENTENCES, "longest": LONGEST, "shifted": SHIFTED, "step": "1/10"},
    lambda seeds: [Case({"kind": kind, "V": V, "seed": seed}) for kind in ("ordered", "contrary") for V in (6, 12)
                   for seed in range(seeds)],
    conduct, verdict, draw)
