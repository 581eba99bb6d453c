"""Runs of an optimiser and what holds at all later steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Tuple

from ..instance import Instance
from ..tables import table
from ..types import Array
from .interval import Interval, interval
from .joint import JointRun
from .result import Result


@dataclass(frozen=True)
class Checkpoint:
    """One enclosed step of a run."""

    t: int
    loss_gap: Optional[Interval]
    norm: Optional[Interval]
    one_minus_corr: Optional[Interval]
    max_one_minus_s: Optional[Interval]
    bregman: Optional[Interval] = None  # of mirror descent: D_psi(u, W/||W||_P)
    # Of training (K,Q): 1 - corr with the nuclear problem's matrix, the least margin of W/||W||_* over the largest
    # there is, and the singular values of W.
    one_minus_corr_nuclear: Optional[Interval] = None
    margin_share_nuclear: Optional[Interval] = None
    singular_values: Tuple[Optional[Interval], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Forever:
    """What is proved about all later steps: ``holds`` from step ``t0`` on, by ``theorem``, with ``rate``."""

    verdict: str
    t0: Optional[int]
    theorem: Optional[str]
    rate: Optional[str]
    selection: Tuple[int, ...]
    dominates_from: Optional[int]
    reason: str

    def __bool__(self) -> bool:
        return self.verdict == "holds"

    def _repr_html_(self) -> str:
        facts = [("verdict", self.verdict)]
        if self:
            facts += [("from step", str(self.t0)), ("theorem", str(self.theorem)), ("rate", str(self.rate)),
                      ("limit", f"the max-margin direction of {list(self.selection)}"),
                      ("more than half of the attention from step", str(self.dominates_from))]
        return table("attest: all later steps", facts + ([("reason", self.reason)] if self.reason else []))


def forever(said: Mapping[str, Any]) -> Forever:
    return Forever(said.get("verdict", "undecided"), said.get("t0"), said.get("theorem"), said.get("rate"),
                   tuple(said.get("selection", ())), said.get("dominates_from"), said.get("reason", ""))


@dataclass(frozen=True)
class SetsPoint:
    """A run seen from several selected tokens at step ``t``.

    The least attention of a selected token and the greatest of another, 1 - corr of W_t with the best W_fin + c W_mm,
    c > 0, and ``factor``, that c; None where no such combination is near or nothing is enclosed.
    """

    t: int
    least_selected: Optional[Interval]
    greatest_masked: Optional[Interval]
    finite_norm: Optional[Interval]
    factor: Optional[Interval]
    one_minus_corr: Optional[Interval]


@dataclass(frozen=True)
class SetsRun:
    """What a run shows of several selected tokens; ``margin_problem`` is "feasible", "infeasible" or "undecided"."""

    margin_problem: str
    points: Tuple[SetsPoint, ...]

    @staticmethod
    def of(answer: Optional[Mapping[str, Any]]) -> "Optional[SetsRun]":
        if answer is None:
            return None
        names = ("least_selected", "greatest_masked", "finite_norm", "factor", "one_minus_corr")
        return SetsRun(answer["margin_problem"],
                       tuple(SetsPoint(t=point["t"], **{name: interval(point[name]) for name in names})
                             for point in answer["checkpoints"]))


@dataclass(frozen=True)
class Run(Result):
    """An optimiser run with proof (``attest run``), and what holds at all later steps.

    ``trace`` maps names (t, norm, one_minus_corr_lo, one_minus_corr_hi, ...) to arrays with one entry a recorded step,
    for plots; what is proved stands in ``checkpoints``, ``forever`` and the certificate.
    """

    optimizer: str = ""
    steps: int = 0
    selection: Tuple[int, ...] = ()
    correct_bits: Optional[int] = None
    checkpoints: Tuple[Checkpoint, ...] = field(default=(), repr=False)
    forever: Forever = Forever("undecided", None, None, None, (), None, "")
    reason: str = ""
    sets: Optional[SetsRun] = field(default=None, repr=False)
    joint: Optional[JointRun] = field(default=None, repr=False)
    trace: Mapping[str, Array] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def of(instance: Instance, answer: Mapping[str, Any], certificate: str, trace: Any) -> "Run":
        joint = JointRun.of(answer)

        def of_point(point: Mapping[str, Any]) -> Checkpoint:
            if joint:
                point = {**point, "one_minus_corr": point["one_minus_corr"]["plain"]}
            named = {name: interval(point.get(name)) for name in
                     ("loss_gap", "norm", "one_minus_corr", "max_one_minus_s", "bregman", "one_minus_corr_nuclear",
                      "margin_share_nuclear")}
            return Checkpoint(t=point["t"], singular_values=tuple(map(interval, point.get("singular_values", ()))),
                              **named)

        points = tuple(map(of_point, answer.get("checkpoints", ())))
        optimizer = answer["attention"]["optimizer"] if joint else answer.get("optimizer", "")
        return Run(instance=instance, certificate=certificate, answer=answer, optimizer=optimizer,
                   steps=answer.get("steps", 0), selection=tuple(answer.get("selection") or ()),
                   correct_bits=answer.get("correct_bits"), checkpoints=points,
                   forever=forever(answer.get("forever") or {}),
                   reason=answer.get("reason", ""), sets=SetsRun.of(answer.get("selected_sets")), joint=joint,
                   trace=trace or {})

    def _facts(self) -> List[Tuple[str, str]]:
        facts = [("optimiser", self.optimizer), ("steps", str(self.steps)),
                 ("correct bits", str(self.correct_bits))]
        if self.checkpoints and self.checkpoints[-1].one_minus_corr is not None:
            facts.append((f"1 - corr at step {self.checkpoints[-1].t}", str(self.checkpoints[-1].one_minus_corr)))
        if self.joint:
            facts.append(("nearest problem", self.joint.nearest or "undecided"))
        later = (f"from step {self.forever.t0} on by {self.forever.theorem}: {self.forever.rate}" if self.forever
                 else f"undecided: {self.forever.reason}")
        return facts + [("all later steps", later)]

    def plot(self, ax: Any = None) -> Any:
        """1 - corr over the steps with its certified band; returns the matplotlib axes."""
        from ..figures import run

        return run(self, ax)
