"""A trained layer: what is proved about its attention and its further training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Tuple

from .instance import Instance
from .results import Constraint, Forever, Interval, Result, forever, interval, pairs

__all__ = ["Attention", "FurtherTraining", "Layer"]


@dataclass(frozen=True)
class Attention:
    """The softmax of one sequence: ``nearest`` has the largest logit (``tied``: others with the same)."""

    nearest: int
    tied: Tuple[int, ...]
    weights: Tuple[Optional[Interval], ...]
    one_minus_s: Optional[Interval]


@dataclass(frozen=True)
class FurtherTraining:
    """Training from the layer on by one rule: ``forever`` is what is proved about all of it.

    ``needed_margin`` is measured, not proved: the level of all margins at which a theorem would seem to apply.
    """

    optimizer: str
    step: str
    loss: str
    forever: Forever
    needed_margin: Optional[float]


@dataclass(frozen=True)
class Layer(Result):
    """What is proved about a trained layer on a dataset (``attest checkpoint``); ``summary`` says it in words.

    ``verdict`` is "holds" when a theorem about all further training applies, "open" or "undecided" when not;
    ``blocked_by`` and ``blocking`` ((sequence, token), the worst first) then say what stands against one.
    """

    verdict: str = "undecided"
    summary: str = ""
    selection: Tuple[int, ...] = ()
    norm_value: Optional[Interval] = None
    one_minus_corr: Optional[Interval] = None
    attention: Tuple[Attention, ...] = field(default=(), repr=False)
    blocked_by: Optional[str] = None
    blocking: Tuple[Constraint, ...] = ()
    training: Tuple[FurtherTraining, ...] = field(default=(), repr=False)
    reason: str = ""

    @staticmethod
    def of(instance: Instance, answer: Mapping[str, Any], certificate: str) -> "Layer":
        attention = tuple(Attention(one["nearest"], tuple(one["tied"]), tuple(map(interval, one["attention"])),
                                    interval(one["one_minus_s"])) for one in answer.get("sequences", ()))
        training = tuple(FurtherTraining(one["optimizer"], one["step"], one["loss"], forever(one),
                                         one.get("needed_margin")) for one in answer.get("forever", ()))
        return Layer(instance=instance, certificate=certificate, answer=answer, verdict=answer["verdict"],
                     summary=answer.get("summary", ""), selection=tuple(answer.get("selection", ())),
                     norm_value=interval(answer.get("norm")), one_minus_corr=interval(answer.get("one_minus_corr")),
                     attention=attention, blocked_by=answer.get("blocked_by"),
                     blocking=pairs(answer.get("blocking")) or (), training=training,
                     reason=answer.get("reason", ""))

    def __bool__(self) -> bool:
        return self.verdict == "holds"

    def _facts(self) -> List[Tuple[str, str]]:
        facts = [("verdict", self.verdict), ("in words", self.summary or self.reason),
                 ("||W||", str(self.norm_value)), ("selection", str(list(self.selection)))]
        for one in self.training:
            later = (f"{one.forever.theorem}: {one.forever.rate}" if one.forever else f"open: {one.forever.reason}")
            facts.append((f"{one.optimizer}, step {one.step}", later))
        return facts + [("claims", ", ".join(self.claims) or "none")]

    def plot(self, ax: Any = None) -> Any:
        """Attention by sequence and token, the blocking tokens marked; returns the matplotlib axes."""
        from .figures import layer

        return layer(self, ax)
