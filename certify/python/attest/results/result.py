"""What all results have, and what the independent checker says."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, List, Optional, Sequence, Tuple, Union

from ..instance import Instance
from ..tables import table

Constraint = Tuple[int, int]  # (sequence, token)


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
        from ..api import check

        if not self.certificate:
            raise ValueError(self._no_certificate())
        return check(self.instance, self.certificate)

    def to_coq(self, path: Union[None, str, "os.PathLike[str]"] = None) -> str:
        """The certificate as theorems of Coq, the text of a file (``attest export --coq``), also written to ``path``.

        Compiled by ``coqc -Q THEORIES Attest FILE`` with the theories of proofs/coq. Raises ValueError where no claim
        can be stated.
        """
        from ..api import to_coq

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
        return classes(self.answer.get("merged"))

    def _no_certificate(self) -> str:
        said = self.answer if isinstance(self.answer, dict) else {}
        why = said.get("certificate_note") or said.get("reason")
        return "there is no certificate" + (f": {why}" if why else "")

    def _facts(self) -> List[Tuple[str, str]]:
        return []

    def _repr_html_(self) -> str:
        return table(f"attest: {type(self).__name__.lower()}", self._facts())


def classes(value: Optional[Sequence[Any]]) -> Tuple[Tuple[int, Tuple[int, ...]], ...]:
    return tuple((int(group), tuple(tokens)) for group, tokens in value or ())


def pairs(value: Optional[Sequence[Sequence[int]]]) -> Optional[Tuple[Constraint, ...]]:
    return None if value is None else tuple((int(g), int(t)) for g, t in value)


def tristate(value: Optional[bool]) -> str:
    return "undecided" if value is None else "yes" if value else "no"


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
