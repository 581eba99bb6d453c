"""What an experiment is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Sequence

import attest

Row = Dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One question: its parameters, ``seed`` among them."""

    parameters: Mapping[str, Any]

    @property
    def name(self) -> str:
        return "-".join(f"{key}{value}" for key, value in self.parameters.items())


@dataclass(frozen=True)
class Outcome:
    """Its answer: a row of the table, the certificate, a curve for the figure, and why it is none, if so.

    ``instance`` is what the certificate is about: an Instance, or the NextToken that has it.
    """

    row: Row
    certificate: str = ""
    curve: Mapping[str, Sequence[float]] = field(default_factory=dict)
    reason: str = ""
    instance: Any = None

    def check(self) -> None:
        """Has the independent checker verify the certificate. Raises CheckFailure."""
        if isinstance(self.instance, attest.NextToken):
            self.instance.check()
        else:
            attest.check(self.instance, self.certificate)


# Called now and then by what takes long; raises where the experiment is to end.
Pulse = Callable[[str, float], None]


@dataclass(frozen=True)
class Experiment:
    """``claim`` is what the paper states; ``settings`` whatever the answers depend on beside the case."""

    name: str
    papers: str
    claim: str
    seeds: int
    settings: Mapping[str, Any]
    cases: Callable[[int], List[Case]]
    conduct: Callable[[Case, Pulse], Outcome]
    verdict: Callable[[List[Outcome]], str]
    draw: Callable[[List[Outcome], Any], None]


def share(part: int, whole: int) -> str:
    return f"{part} of {whole}"
