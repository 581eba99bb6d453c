"""The papers' theorems on an instance, and the selections that training may end in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, List, Mapping, Sequence, Tuple

from ..instance import Instance
from .interval import interval
from .result import Result, tristate


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
        from ..figures import theorems

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
        return [("complete", tristate(self.complete))] + [
            (str(list(one["selection"])), f"margin {one['margin']}") for one in self.found[:20]]

    def plot(self, ax: Any = None) -> Any:
        """The margins of the selections found, the widest first; returns the matplotlib axes."""
        from ..figures import selections

        return selections(self, ax)
