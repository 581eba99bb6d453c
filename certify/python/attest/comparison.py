"""A floating-point run beside the exact one: from which step on it is something else."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, List, Mapping, Optional, Tuple

from .instance import Instance
from .results import Interval, Result, Run, interval

__all__ = ["ComparedStep", "Comparison"]


@dataclass(frozen=True)
class ComparedStep:
    """One recorded matrix V beside the exact W_t; ``distance``, ``share`` and ``norm`` are None where V is not finite.

    ``share`` is ||V - W_t|| / ||W_t|| (None where W_t may be 0), ``beyond`` whether it is more than the share that was
    asked about (None: not decided). ``other_tokens`` are (sequence, token at V, token at W_t) where both have one token
    with the largest logit and not the same one; ``open`` counts the sequences where one of them has none.
    """

    t: int
    distance: Optional[Interval]
    share: Optional[Interval]
    norm: Optional[Interval]
    exact_norm: Optional[Interval]
    beyond: Optional[bool]
    other_tokens: Tuple[Tuple[int, int, int], ...]
    open: int

    @staticmethod
    def of(value: Mapping[str, Any]) -> "ComparedStep":
        return ComparedStep(value["t"], interval(value["distance"]), interval(value["share"]), interval(value["norm"]),
                            interval(value["exact_norm"]), value["beyond"],
                            tuple((one["group"], one["recorded"], one["exact"]) for one in value["other_tokens"]),
                            value["open"])


@dataclass(frozen=True)
class Comparison(Result):
    """From which step on a recorded run is no longer the exact iteration (``attest run --compare``).

    All of it is proved, for the recorded numbers as they are; that they came from this rule, step, loss and start is
    the caller's word, but for what the trajectory states of itself. ``first_beyond`` is the first recorded step with
    ||V - W_t|| > ``share`` ||W_t||, ``beyond_from`` the first from which on every one is, ``within_until`` the last up
    to which none is; ``first_other_tokens`` and ``other_tokens_from`` likewise for other tokens. None: no such step.
    ``run`` is the exact run, whose certificate this is.
    """

    share: Fraction = Fraction(1, 100)
    within_until: Optional[int] = None
    first_beyond: Optional[int] = None
    beyond_from: Optional[int] = None
    first_other_tokens: Optional[int] = None
    other_tokens_from: Optional[int] = None
    steps: Tuple[ComparedStep, ...] = field(default=(), repr=False)
    run: Optional[Run] = field(default=None, repr=False)
    reason: str = ""

    @staticmethod
    def of(instance: Instance, answer: Mapping[str, Any], certificate: str, trace: Any) -> "Comparison":
        said = answer.get("comparison") or {}
        return Comparison(
            instance=instance, certificate=certificate, answer=answer, share=Fraction(said.get("share", "1/100")),
            within_until=said.get("within_until"), first_beyond=said.get("first_beyond"),
            beyond_from=said.get("beyond_from"), first_other_tokens=said.get("first_other_tokens"),
            other_tokens_from=said.get("other_tokens_from"), steps=tuple(map(ComparedStep.of, said.get("steps", ()))),
            run=Run.of(instance, answer, certificate, trace), reason=answer.get("reason", ""))

    def _facts(self) -> List[Tuple[str, str]]:
        assert self.run is not None
        limit = f"by more than {self.share} of ||W_t||"
        facts = [("exact run", f"{self.run.optimizer}, step {self.answer.get('step')}, {self.answer.get('loss')} loss, "
                               f"{self.run.steps} steps"), ("compared steps", str(len(self.steps)))]
        facts.append(("leaves it " + limit, _since(self.first_beyond, self.beyond_from)))
        if self.steps and self.steps[-1].norm is not None:
            last = self.steps[-1]
            facts.append((f"norm at step {last.t}", f"{last.norm}, the true one is {last.exact_norm}"))
        facts.append(("other tokens", _since(self.first_other_tokens, self.other_tokens_from)))
        return facts + ([("reason", self.reason)] if self.reason else [])

    def plot(self, ax: Any = None) -> Any:
        """Distance and norm of the recorded run against ||W_t||, and where it selects others; returns the axes."""
        from .figures import comparison

        return comparison(self, ax)


def _since(first: Optional[int], on: Optional[int]) -> str:
    if first is None:
        return "at no compared step"
    if first == on:
        return f"from step {on} on"
    return f"first at step {first}" + (f", from step {on} on at all" if on is not None else ", not at all later ones")
