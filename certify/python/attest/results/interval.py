"""Proved enclosures of numbers, and how they are written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, Mapping, Optional, Tuple


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
