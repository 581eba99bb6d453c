"""Results: frozen values whose numbers are proved enclosures, with the certificate that proves them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .instance import Instance
from .tables import table
from .types import Array

__all__ = ["Interval", "Audit", "Certified", "JointCertified", "Path", "Run", "Forever", "Checkpoint", "Row",
           "Theorems", "Selections", "SetsCertified", "Checked"]

Constraint = Tuple[int, int]  # (sequence, token)


@dataclass(frozen=True)
class Interval:
    """A proved enclosure: the number lies between ``lo`` and ``hi``, both exact."""

    lo: Fraction
    hi: Fraction

    @property
    def mid(self) -> float:
        """A double near the middle."""
        return float((self.lo + self.hi) / 2)

    @property
    def width(self) -> Fraction:
        return self.hi - self.lo

    def __contains__(self, number: Any) -> bool:
        return self.lo <= Fraction(number) <= self.hi

    def __float__(self) -> float:
        return self.mid

    def __str__(self) -> str:
        """The digits that both ends share, "0.50650523853..."; both ends where they share few."""
        short = max(self.lo.numerator.bit_length(), self.lo.denominator.bit_length()) < 64
        if self.lo == self.hi and short and len(str(self.lo)) <= 20:
            return str(self.lo)
        lo, hi = _scientific(self.lo), _scientific(self.hi)
        shared = os.path.commonprefix([lo[0], hi[0]])[:18]
        if lo[1] != hi[1] or sum(c.isdigit() for c in shared) < 4:
            return f"[{_rounded(self.lo, ROUND_FLOOR)}, {_rounded(self.hi, ROUND_CEILING)}]"
        return _placed(shared, lo[1])

    def __repr__(self) -> str:
        return f"Interval({self})"


def _decimal(number: Fraction, digits: int, rounding: str) -> Decimal:
    context = Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _scientific(number: Fraction) -> Tuple[str, int]:
    """Digits with their sign, "-1.974...", and the exponent of 10."""
    rounded = _decimal(number, 40, ROUND_DOWN)
    if not rounded:
        return "0", 0
    digits = "".join(map(str, rounded.as_tuple().digits)).ljust(40, "0")
    return ("-" if rounded < 0 else "") + digits[0] + "." + digits[1:], rounded.adjusted()


def _rounded(number: Fraction, rounding: str) -> str:
    return format(_decimal(number, 6, rounding).normalize(), "g" if number else "f")


def _placed(shared: str, exponent: int) -> str:
    """Shared digits "1.974" at their place: "1.974...", "0.0001974...", "1.974...e-12"."""
    sign, digits = ("-", shared[1:]) if shared.startswith("-") else ("", shared)
    digits = digits.replace(".", "")
    if exponent < -4 or exponent >= len(digits) - 1:
        return f"{sign}{digits[0]}.{digits[1:]}...e{exponent:+d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}..."
    return f"{sign}{digits[:exponent + 1]}.{digits[exponent + 1:]}..."


def interval(value: Optional[Mapping[str, str]]) -> Optional[Interval]:
    if value is None:
        return None
    # by way of Decimal, which reads any number of digits: a loss gap may have ten thousand zeros
    return Interval(Fraction(Decimal(str(value["lo"]))), Fraction(Decimal(str(value["hi"]))))


def _classes(value: Optional[Sequence[Any]]) -> Tuple[Tuple[int, Tuple[int, ...]], ...]:
    return tuple((int(group), tuple(tokens)) for group, tokens in value or ())


def pairs(value: Optional[Sequence[Sequence[int]]]) -> Optional[Tuple[Constraint, ...]]:
    return None if value is None else tuple((int(g), int(t)) for g, t in value)


@dataclass(frozen=True)
class Result:
    """What all results have: the answer as JSON, the instance, the certificate.

    ``certificate`` is the text that ``attest-check`` verifies; empty when nothing was proved.
    """

    instance: Instance = field(repr=False)
    certificate: str = field(repr=False)
    answer: Any = field(repr=False)

    def to_json(self) -> str:
        """The JSON value that the command prints with ``--json``."""
        return json.dumps(self.answer, indent=2)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the certificate; a name that ends in .gz compresses it. Raises ValueError when there is none."""
        if not self.certificate:
            raise ValueError(self._no_certificate())
        data = self.certificate.encode("ascii")
        if os.fspath(path).endswith(".gz"):
            import gzip

            data = gzip.compress(data, mtime=0)
        temporary = f"{os.fspath(path)}.tmp-{os.getpid()}"
        try:
            with open(temporary, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        except BaseException:
            if os.path.exists(temporary):
                os.remove(temporary)
            raise

    def check(self) -> "Checked":
        """Has the independent checker verify the certificate against the instance.

        Raises ValueError when there is none.
        """
        from .api import check

        if not self.certificate:
            raise ValueError(self._no_certificate())
        return check(self.instance, self.certificate)

    def to_coq(self, path: Union[None, str, "os.PathLike[str]"] = None) -> str:
        """The certificate as theorems of Coq, the text of a file (``attest export --coq``), also written to ``path``.

        Compiled by ``coqc -Q THEORIES Attest FILE`` with the theories of proofs/coq. Raises ValueError where no claim
        can be stated.
        """
        from .api import to_coq

        text = to_coq(self.instance, self.certificate)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    @property
    def claims(self) -> Tuple[str, ...]:
        """The kinds of claim in the certificate."""
        return tuple(claim["kind"] for claim in self.answer.get("claims", ()))

    @property
    def merged(self) -> Tuple[Tuple[int, Tuple[int, ...]], ...]:
        """The equal tokens, (sequence, tokens) each, that were taken for the first of them."""
        return _classes(self.answer.get("merged"))

    def _no_certificate(self) -> str:
        said = self.answer if isinstance(self.answer, dict) else {}
        why = said.get("certificate_note") or said.get("reason")
        return "there is no certificate" + (f": {why}" if why else "")

    def _facts(self) -> List[Tuple[str, str]]:
        return []

    def _repr_html_(self) -> str:
        return table(f"attest: {type(self).__name__.lower()}", self._facts())


def _tristate(value: Optional[bool]) -> str:
    return "undecided" if value is None else "yes" if value else "no"


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
        if self.verdict == "feasible":
            facts += [("rank of W*", str(self.rank) if self.rank is not None else "undecided"),
                      ("strictly complementary", _tristate(self.strictly_complementary)),
                      ("locally optimal", _tristate(self.locally_optimal)),
                      ("globally optimal", _tristate(self.globally_optimal))]
        return facts + [("claims", ", ".join(self.claims) or "none")]

    def plot(self, ax: Any = None) -> Any:
        """Margins of all tokens by sequence, support tokens marked; returns the matplotlib axes."""
        from .figures import margins

        return margins(self, ax)


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
        from .figures import joint

        return joint(self, ax)


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
        from .figures import sets

        return sets(self, ax)


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
            equal_tokens=_classes(found.get("equal_tokens")), ties=_classes(found.get("ties")),
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
        from .figures import path

        return path(self, ax)


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
        from .figures import run

        return run(self, ax)


@dataclass(frozen=True)
class Row:
    """One theorem of the papers on this instance: "holds", "fails" or "undecided" (``attest verify``)."""

    id: str
    verdict: str
    statement: str
    conclusion: str
    reason: str
    hypotheses: Tuple[Mapping[str, str], ...] = field(repr=False, default=())
    head: str = "scalar"


def rows(value: Sequence[Mapping[str, Any]]) -> Tuple[Row, ...]:
    return tuple(Row(row["id"], row["verdict"], row.get("statement", ""), row.get("conclusion", ""),
                     row.get("reason", ""), tuple(row.get("hypotheses", ())), row.get("head", "scalar"))
                 for row in value)


@dataclass(frozen=True)
class Theorems(Result):
    """The theorems of the papers on an instance (``attest verify``): a sequence of its ``rows``."""

    rows: Tuple[Row, ...] = ()

    @staticmethod
    def of(instance: Instance, answer: Sequence[Any]) -> "Theorems":
        return Theorems(instance=instance, certificate="", answer=answer, rows=rows(answer))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, index: Any) -> Any:
        """The row of this number, or with this id."""
        if isinstance(index, str):
            return next(row for row in self.rows if row.id == index)
        return self.rows[index]

    @property
    def claims(self) -> Tuple[str, ...]:
        return ()

    @property
    def merged(self) -> Tuple[Tuple[int, Tuple[int, ...]], ...]:
        return ()

    def _facts(self) -> List[Tuple[str, str]]:
        return [(row.id, f"{row.verdict}: {row.conclusion if row.verdict == 'holds' else row.reason}")
                for row in self.rows]

    def plot(self, ax: Any = None) -> Any:
        """One mark a theorem, by its verdict; returns the matplotlib axes."""
        from .figures import theorems

        return theorems(self.rows, ax)


@dataclass(frozen=True)
class Selections(Result):
    """The locally optimal selections that were found (``attest selections``); ``complete`` when these are all."""

    complete: bool = False
    found: Tuple[Mapping[str, Any], ...] = ()

    @staticmethod
    def of(instance: Instance, answer: Mapping[str, Any], certificate: str, _: Any) -> "Selections":
        return Selections(instance=instance, certificate=certificate, answer=answer,
                          complete=bool(answer.get("complete", False)),
                          found=tuple({**one, "margin": interval(one["margin"]),
                                       "norm_value": interval(one["norm_value"])}
                                      for one in answer.get("selections", ())))

    def _facts(self) -> List[Tuple[str, str]]:
        return [("complete", _tristate(self.complete))] + [
            (str(list(one["selection"])), f"margin {one['margin']}") for one in self.found[:20]]

    def plot(self, ax: Any = None) -> Any:
        """The margins of the selections found, the widest first; returns the matplotlib axes."""
        from .figures import selections

        return selections(self, ax)


@dataclass(frozen=True)
class Checked:
    """What the independent checker verified: one line a claim, which says all that is claimed."""

    lines: Tuple[str, ...]
    vacuous: bool

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return table("attest: verified" + (", without a constraint" if self.vacuous else ""),
                     [(line.partition(" ")[0], line) for line in self.lines])
