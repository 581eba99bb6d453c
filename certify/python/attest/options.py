"""Options of the functions: words, whole numbers, lists of tokens, as the command would take them."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Optional, Sequence

from . import _attest
from .errors import InputError

__all__ = ["FORMS", "LOSSES", "MIRROR_RULES", "RULES", "bits_of_enclosures", "one_of", "refused", "schedule_word",
           "tokens", "whole"]

FORMS = ("auto", "exact", "enclosure")
LOSSES = ("logistic", "exponential", "correlation", "cross-entropy")
RULES = tuple(_attest.rules)
MIRROR_RULES = ("md", "nmd")
SCHEDULES = ("constant", "inverse", "invsqrt")


def refused(key: str, reason: str) -> InputError:
    """The error of an option."""
    return InputError(f"key {key}: {reason}", key=key, reason=reason)


def one_of(key: str, value: Any, words: Sequence[str]) -> str:
    """The word itself. Raises InputError for any other."""
    if value not in words:
        raise refused(key, f"{value!r} is none of {', '.join(filter(None, words))}")
    return str(value)


def schedule_word(key: str, value: Any) -> str:
    """One of the schedules, or power:E, which joint runs take."""
    return value if isinstance(value, str) and value.startswith("power:") else one_of(key, value, SCHEDULES)


def whole(key: str, value: Any, least: int, most: Optional[int] = None) -> int:
    """An integer within the bounds; floats that are whole are taken. Raises InputError."""
    if not isinstance(value, Integral) and not (isinstance(value, float) and value.is_integer()):
        raise refused(key, f"{value!r} is no whole number")
    number = int(value)
    if number < least or (most is not None and number > most):
        raise refused(key, f"{number} is not {f'at least {least}' if most is None else f'from {least} to {most}'}")
    return number


def bits_of_enclosures(value: Any) -> int:
    return whole("precision", value, 16, 65536)


def tokens(key: str, value: Optional[Sequence[Any]]) -> str:
    """A token of each sequence as the text "2,0,1"; empty for None."""
    if value is None:
        return ""
    words = []
    for i, token in enumerate(value):
        token = token.item() if hasattr(token, "item") else token  # an entry of an array or a tensor
        if not isinstance(token, Integral):
            raise InputError(f"key {key}, index [{i}]: {token!r} is no token", key=key, index=f"[{i}]")
        words.append(str(int(token)))
    return ",".join(words)
