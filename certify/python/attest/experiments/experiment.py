"""What an experiment is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

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

    ``instance`` is what the certificate is about: an Instance, or the NextToken that has it. ``verified`` are the kinds
    of the claims that the independent checker has verified.
    """

    row: Row
    certificate: str = ""
    curve: Mapping[str, Sequence[float]] = field(default_factory=dict)
    reason: str = ""
    instance: Any = None
    verified: Tuple[str, ...] = ()

    def check(self) -> "Outcome":
        """The same once the independent checker has verified the certificate. Raises CheckFailure."""
        of_sentences = isinstance(self.instance, attest.NextToken)
        found = self.instance.check() if of_sentences else attest.check(self.instance, self.certificate)
        return replace(self, verified=tuple(line.split()[2] for line in found.lines))  # "claim 1 optimal ..."


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


def margin_problem(instance: Any, run: Any, norm: str, pulse: Pulse) -> Any:
    """Certified: the problem in this norm of the tokens that a run selects, of the best ones where it has not settled.

    Of runs that no certificate holds this is what can be checked: the limit's direction, not that it is the limit.
    """
    settled = bool(run.selection) and None not in run.selection
    return attest.certify(instance, select=run.selection if settled else None, norm=norm, progress=pulse)


def share(part: int, whole: int) -> str:
    return f"{part} of {whole}"
