"""Margin problems: decided, along the regularisation path, and what an audit finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from ..instance import Instance
from ..types import Array
from .interval import Interval, interval
from .result import Constraint, Result, classes, pairs, tristate
from .theorems import Row, rows


@dataclass(frozen=True)
class Certified(Result):
    """The margin problem of a selection, decided with proof (``attest certify``).

    ``verdict`` is "feasible", "infeasible" or "undecided" (then ``reason`` says why). ``W`` is the max-margin matrix
    in ``norm``, rounded to doubles (with factors ``K``, ``Q`` for the nuclear norm), and ``multipliers`` maps
    (sequence, token) to a rounded multiplier; the proved numbers are the intervals and the certificate.
    """

    verdict: str = "undecided"
    selection: Tuple[int, ...] = ()
    margin: Optional[Interval] = None
    norm_value: Optional[Interval] = None
    support: Optional[Tuple[Constraint, ...]] = None
    strictly_complementary: Optional[bool] = None
    locally_optimal: Optional[bool] = None
    globally_optimal: Optional[bool] = None
    rank: Optional[int] = None
    vacuous: bool = False
    reason: str = ""
    norm: str = "euclidean"
    relative_gap: Optional[float] = None
    rank_upper: Optional[int] = None
    support_within: Optional[Tuple[Constraint, ...]] = None
    W: Optional[Array] = field(default=None, repr=False, compare=False)
    K: Optional[Array] = field(default=None, repr=False, compare=False)
    Q: Optional[Array] = field(default=None, repr=False, compare=False)
    multipliers: Optional[Dict[Constraint, float]] = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(instance: Instance, answer: Mapping[str, Any], certificate: str, near: Any) -> "Certified":
        near = near or {}
        multipliers = near.get("multipliers")
        return Certified(
            instance=instance, certificate=certificate, answer=answer, verdict=answer["verdict"],
            selection=tuple(answer.get("selection", ())), margin=interval(answer.get("margin")),
            norm_value=interval(answer.get("norm_value")), support=pairs(answer.get("support")),
            strictly_complementary=answer.get("strictly_complementary"),
            locally_optimal=answer.get("locally_optimal"), globally_optimal=answer.get("globally_optimal"),
            rank=answer.get("rank"), vacuous=bool(answer.get("vacuous", False)), reason=answer.get("reason", ""),
            norm=answer.get("norm", "euclidean"),
            relative_gap=float(answer["relative_gap"]) if answer.get("relative_gap") else None,
            rank_upper=answer.get("rank_upper"), support_within=pairs(answer.get("support_within")),
            W=near.get("W"), K=near.get("K"), Q=near.get("Q"),
            multipliers=None if multipliers is None else {(int(g), int(t)): x for g, t, x in multipliers})

    def _facts(self) -> List[Tuple[str, str]]:
        facts = [("verdict", self.verdict + (f" ({self.reason})" if self.reason else ""))]
        if self.margin is not None:
            facts.append(("margin 1/||W*||", str(self.margin)))
        if self.support is not None:
            facts.append(("support tokens", str(len(self.support))))
        why = self.answer.get("locally_optimal_reason")
        if self.verdict == "feasible":
            facts += [("rank of W*", str(self.rank) if self.rank is not None else "undecided"),
                      ("strictly complementary", tristate(self.strictly_complementary)),
                      ("locally optimal", tristate(self.locally_optimal) + (f" ({why})" if why else "")),
                      ("globally optimal", tristate(self.globally_optimal))]
        return facts + [("claims", ", ".join(self.claims) or "none")]

    def plot(self, ax: Any = None) -> Any:
        """Margins of all tokens by sequence, support tokens marked; returns the matplotlib axes."""
        from ..figures import margins

        return margins(self, ax)


@dataclass(frozen=True)
class SetsCertified(Result):
    """The margin problem of several selected tokens a sequence (``attest certify --selected-sets``).

    ``support`` are the tight rows but for equalities. ``finite_part`` is "holds", "fails" (the ratios contradict each
    other: ``answer["finite_part"]["witness"]``) or "undecided" where ratios were given; ``finite_norm`` is ||W_fin||.
    ``W`` is the max-margin matrix, rounded.
    """

    verdict: str = "undecided"
    selected_sets: Tuple[Tuple[int, ...], ...] = ()
    norm_value: Optional[Interval] = None
    margin: Optional[Interval] = None
    support: Optional[Tuple[Constraint, ...]] = None
    finite_part: Optional[str] = None
    finite_norm: Optional[Interval] = None
    reason: str = ""
    W: Optional[Array] = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(instance: Instance, answer: Mapping[str, Any], certificate: str, near: Any) -> "SetsCertified":
        finite = answer.get("finite_part") or {}
        return SetsCertified(
            instance=instance, certificate=certificate, answer=answer, verdict=answer["verdict"],
            selected_sets=tuple(map(tuple, answer.get("selected_sets", ()))),
            norm_value=interval(answer.get("norm_value")), margin=interval(answer.get("margin")),
            support=pairs(answer.get("support")), finite_part=finite.get("verdict"),
            finite_norm=interval(finite.get("norm_value")), reason=answer.get("reason", ""), W=(near or {}).get("W"))

    def _facts(self) -> List[Tuple[str, str]]:
        facts = [("verdict", self.verdict + (f" ({self.reason})" if self.reason else ""))]
        if self.margin is not None:
            facts.append(("margin 1/||W*||", str(self.margin)))
        if self.support is not None:
            facts.append(("support tokens", str(len(self.support))))
        if self.finite_part is not None:
            facts.append(("finite part", self.finite_part if self.finite_norm is None else str(self.finite_norm)))
        return facts + [("claims", ", ".join(self.claims) or "none")]

    def plot(self, ax: Any = None) -> Any:
        """Margins of all tokens by sequence, those selected together at 0; returns the matplotlib axes."""
        from ..figures import sets

        return sets(self, ax)


@dataclass(frozen=True)
class Path(Result):
    """The regularisation path for every radius (``attest path``, T21).

    When ``verdict`` is "holds": for every r >= ``from_radius.hi``, every minimiser W of the loss over ||W|| <= r has
    1 - <u, W>/r <= ``rate_constant.hi``/r, u the max-margin direction.
    """

    verdict: str = "undecided"
    loss: str = "logistic"
    selection: Tuple[int, ...] = ()
    from_radius: Optional[Interval] = None
    rate_constant: Optional[Interval] = None
    norm_value: Optional[Interval] = None
    reason: str = ""
    W: Optional[Array] = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(instance: Instance, answer: Mapping[str, Any], certificate: str, near: Any) -> "Path":
        return Path(instance=instance, certificate=certificate, answer=answer, verdict=answer["verdict"],
                    loss=answer.get("loss", ""), selection=tuple(answer.get("selection", ())),
                    from_radius=interval(answer.get("from_radius")),
                    rate_constant=interval(answer.get("rate_constant")),
                    norm_value=interval(answer.get("norm_value")), reason=answer.get("reason", ""),
                    W=(near or {}).get("W"))

    def bound(self, radius: Any) -> float:
        """An upper bound of 1 - <u, W>/r at a radius from ``from_radius.hi`` on, as a double rounded up."""
        if self.from_radius is None or self.rate_constant is None or Fraction(radius) < self.from_radius.hi:
            raise ValueError("nothing is proved at this radius")
        return float(np.nextafter(float(self.rate_constant.hi / Fraction(radius)), np.inf))

    def _facts(self) -> List[Tuple[str, str]]:
        facts = [("verdict", self.verdict + (f" ({self.reason})" if self.reason else "")), ("loss", self.loss)]
        if self.from_radius is not None and self.rate_constant is not None:
            facts += [("from radius", str(self.from_radius)), ("1 - cos at radius r", f"<= {self.rate_constant} / r")]
        return facts

    def plot(self, ax: Any = None) -> Any:
        """The bound of 1 - cos over the radius; returns the matplotlib axes."""
        from ..figures import path

        return path(self, ax)


@dataclass(frozen=True)
class Drop:
    """How many sequences must go for the rest to be separable; ``groups`` is a set of ``at_most`` that suffices."""

    at_least: int
    at_most: Optional[int]
    groups: Tuple[int, ...]


@dataclass(frozen=True)
class Audit(Result):
    """What one asks first of a dataset (``attest audit``); ``summary`` says it in words.

    ``equal_tokens`` and ``ties`` are (sequence, tokens) pairs, ``conflicts`` rows (sequence, token) that no W
    satisfies together, disjoint in sequences; ``certified`` is the margin problem; ``theorems`` as
    :func:`attest.verify` has them.
    """

    summary: str = ""
    equal_tokens: Tuple[Tuple[int, Tuple[int, ...]], ...] = ()
    ties: Tuple[Tuple[int, Tuple[int, ...]], ...] = ()
    zero_queries: Tuple[int, ...] = ()
    conflicts: Tuple[Tuple[Constraint, ...], ...] = ()
    drop: Drop = Drop(0, None, ())
    robust_radius: Optional[Interval] = None
    certified: Optional[Certified] = field(default=None, repr=False)
    theorems: Tuple["Row", ...] = field(default=(), repr=False)

    @staticmethod
    def of(instance: Instance, answer: Mapping[str, Any], certificate: str, near: Any) -> "Audit":
        found = answer["instances"][0] if answer.get("instances") else {
            "summary": f"undecided: {answer.get('reason', '')}"}
        drop = found.get("drop") or {}
        problem = found.get("margin_problem")
        certified = None if problem is None else Certified.of(instance, problem, certificate, near)
        return Audit(
            instance=instance, certificate=certificate, answer=answer, summary=found.get("summary", ""),
            equal_tokens=classes(found.get("equal_tokens")), ties=classes(found.get("ties")),
            zero_queries=tuple(found.get("zero_queries", ())),
            conflicts=tuple(pairs(one["rows"]) or () for one in found.get("conflicts", ())),
            drop=Drop(drop.get("at_least", 0), drop.get("at_most"), tuple(drop.get("groups", ()))),
            robust_radius=interval((found.get("resolution") or {}).get("robust_radius")), certified=certified,
            theorems=rows(found.get("theorems", ())))

    @property
    def claims(self) -> Tuple[str, ...]:
        return self.certified.claims if self.certified is not None else ()

    def _facts(self) -> List[Tuple[str, str]]:
        most = "unknown" if self.drop.at_most is None else str(self.drop.at_most)
        return [("in words", self.summary), ("equal tokens in", f"{len({g for g, _ in self.equal_tokens})} sequences"),
                ("ties in", f"{len(self.ties)} sequences"), ("zero queries", str(len(self.zero_queries))),
                ("disjoint conflicts", str(len(self.conflicts))),
                ("sequences that must go", f"at least {self.drop.at_least}, at most {most}")]

    def plot(self, ax: Any = None) -> Any:
        """Margins of all tokens by sequence; returns the matplotlib axes."""
        if self.certified is None:
            raise ValueError("the margin problem was not looked at")
        return self.certified.plot(ax)
