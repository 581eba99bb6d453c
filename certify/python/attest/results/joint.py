"""Decoder and attention trained together: margin problems, path, and run."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, List, Mapping, Optional, Tuple

from ..instance import Instance
from ..types import Array
from .interval import Interval, interval
from .result import Constraint, Result, pairs


@dataclass(frozen=True)
class JointPath:
    """The regularisation path of decoder and attention together (``attest path --joint``).

    When ``verdict`` is "holds": all minimisers over ||v|| <= r, ||W|| <= R with R >= ``from_radius`` and r >=
    max(``from_decoder_radius``, ``slope`` R) have 1 - <u_W, W>/R <= ``rate_constant``/R and 1 - <u_v, v>/r <=
    ``decoder_decay`` exp(-``gamma`` R) + ``decoder_rate``/r. "fails": a problem has no solution, or A.margin is broken.
    """

    verdict: str
    problem: Optional[str]
    from_radius: Optional[Fraction]
    from_decoder_radius: Optional[Fraction]
    slope: Optional[Fraction]
    gamma: Optional[Fraction]
    decoder_decay: Optional[Fraction]
    decoder_rate: Optional[Fraction]
    rate_constant: Optional[Fraction]
    reason: str

    @staticmethod
    def of(answer: Optional[Mapping[str, Any]]) -> "Optional[JointPath]":
        if not answer:
            return None
        gamma = interval(answer.get("gamma"))
        numbers = {name: None if answer.get(name) is None else Fraction(Decimal(answer[name]))
                   for name in ("from_radius", "from_decoder_radius", "slope", "decoder_decay", "decoder_rate",
                                "rate_constant")}
        return JointPath(verdict=answer["verdict"], problem=answer.get("problem"), reason=answer.get("reason") or "",
                         gamma=None if gamma is None else gamma.lo, **numbers)


@dataclass(frozen=True)
class JointCertified(Result):
    """Both margin problems of joint training, decided with proof (``attest certify --joint``).

    ``verdict`` is "feasible" when both are. ``supporting`` are the sequences with label margin 1 at the decoder's
    solution ``v``, ``relaxed`` the others, whose rows of the attention's problem are only >= 0; ``support`` are its
    tight constraints. ``decoder_norm``, ``decoder_margin`` speak of v, ``norm_value``, ``margin`` of ``W``.
    ``label_margins`` is the verdict on A.margin ("holds", "fails", "undecided"); ``nu`` what is proved of it over the
    supporting sequences. ``path`` is there where it was asked for.
    """

    verdict: str = "undecided"
    selection: Tuple[int, ...] = ()
    supporting: Optional[Tuple[int, ...]] = None
    relaxed: Optional[Tuple[int, ...]] = None
    decoder_norm: Optional[Interval] = None
    decoder_margin: Optional[Interval] = None
    norm_value: Optional[Interval] = None
    margin: Optional[Interval] = None
    support: Optional[Tuple[Constraint, ...]] = None
    label_margins: str = "undecided"
    nu: Optional[Fraction] = None
    path: Optional[JointPath] = None
    reason: str = ""
    v: Optional[Array] = field(default=None, repr=False, compare=False)
    W: Optional[Array] = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(instance: Instance, answer: Mapping[str, Any], certificate: str, near: Any) -> "JointCertified":
        near = near or {}
        soft = answer.get("label_margins") or {}
        decoder, attention = answer.get("decoder") or {}, answer.get("attention") or {}
        supporting, relaxed = decoder.get("supporting"), attention.get("relaxed")
        return JointCertified(
            instance=instance, certificate=certificate, answer=answer, verdict=answer["verdict"],
            selection=tuple(answer.get("selection", ())),
            supporting=None if supporting is None else tuple(supporting),
            relaxed=None if relaxed is None else tuple(relaxed), decoder_norm=interval(decoder.get("norm_value")),
            decoder_margin=interval(decoder.get("margin")), norm_value=interval(attention.get("norm_value")),
            margin=interval(attention.get("margin")), support=pairs(attention.get("support")),
            label_margins=soft.get("verdict", "undecided"),
            nu=Fraction(Decimal(soft["nu"])) if soft.get("nu") else None, path=JointPath.of(answer.get("path")),
            reason=answer.get("reason", ""), v=near.get("v"), W=near.get("W"))

    def _facts(self) -> List[Tuple[str, str]]:
        facts = [("verdict", self.verdict + (f" ({self.reason})" if self.reason else ""))]
        if self.decoder_margin is not None:
            facts.append(("label margin 1/||v*||", str(self.decoder_margin)))
        if self.supporting is not None:
            facts.append(("supporting sequences", str(len(self.supporting))))
        facts.append(("A.margin", self.label_margins + (f", nu = {float(self.nu):.6g}" if self.nu else "")))
        if self.margin is not None:
            facts.append(("margin 1/||W*||", str(self.margin)))
        if self.support is not None:
            facts.append(("support tokens", str(len(self.support))))
        if self.path is not None:
            bound = self.path.rate_constant
            facts.append(("joint path", self.path.verdict + (f", 1 - cos of W at most {float(bound):.4g}/R"
                                                             if bound is not None else f" ({self.path.reason})")))
        return facts + [("claims", ", ".join(self.claims) or "none")]

    def plot(self, ax: Any = None) -> Any:
        """Margins of all tokens and label margins of the decoder by sequence; returns the matplotlib axes."""
        from ..figures import joint

        return joint(self, ax)


@dataclass(frozen=True)
class JointPoint:
    """One enclosed step of joint training; ``one_minus_corr`` is W's with each problem that may be its limit."""

    t: int
    one_minus_corr: Mapping[str, Optional[Interval]]
    decoder_norm: Optional[Interval]
    decoder_one_minus_corr: Optional[Interval]
    decoder_margin: Optional[Interval]
    loss: Optional[Interval]
    least_label_margin: Optional[Interval]


@dataclass(frozen=True)
class JointRun:
    """What a run shows of the decoder trained with W.

    ``problems`` maps "plain", "shifted", "relaxed", those that may be W's limit, to "feasible", "infeasible" or
    "undecided"; ``nearest`` is the one that W is certainly nearest to at the last step. ``supporting`` are the
    sequences with label margin 1 at the decoder's solution, None while that is undecided.
    """

    supporting: Optional[Tuple[int, ...]]
    problems: Mapping[str, str]
    nearest: Optional[str]
    points: Tuple[JointPoint, ...] = field(repr=False)

    @staticmethod
    def of(answer: Mapping[str, Any]) -> "Optional[JointRun]":
        if not answer.get("joint"):
            return None
        supporting = answer.get("supporting")

        def of_point(point: Mapping[str, Any]) -> JointPoint:
            decoder = point["decoder"]
            return JointPoint(point["t"], {name: interval(one) for name, one in point["one_minus_corr"].items()},
                              interval(decoder["norm"]), interval(decoder["one_minus_corr"]),
                              interval(decoder["margin"]), interval(point["loss"]),
                              interval(point["least_label_margin"]))

        return JointRun(None if supporting is None else tuple(supporting),
                        {one["problem"]: one["verdict"] for one in answer["limits"]}, answer["nearest"],
                        tuple(map(of_point, answer["checkpoints"])))
