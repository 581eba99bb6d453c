"""Next-token prediction on sentences: collocation, partial orders, both stages' margin problems (paper E)."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _attest
from .api import Progress, _call, _exact, check
from .instance import _as_array
from .options import one_of
from .results import Checked, Constraint, Interval, Row, interval, pairs, rows
from .tables import table

__all__ = ["NextToken", "Prediction", "Stage", "ntp"]

STAGES = ("feed-forward", "attention")
Sentences = Union[str, "os.PathLike[str]", Sequence[Sequence[Any]]]


@dataclass(frozen=True)
class Stage:
    """The margin problem of one stage, as :class:`attest.Certified` has it; ``certificate`` is about the sentences."""

    verdict: str
    norm_value: Optional[Interval]
    margin: Optional[Interval]
    support: Optional[Tuple[Constraint, ...]]
    rank: Optional[int]
    reason: str
    certificate: str = field(repr=False)

    @staticmethod
    def of(answer: Optional[Mapping[str, Any]], certificate: str) -> "Optional[Stage]":
        if answer is None:
            return None
        return Stage(answer["verdict"], interval(answer.get("norm_value")), interval(answer.get("margin")),
                     pairs(answer.get("support")), answer.get("rank"), answer.get("reason", ""), certificate)


@dataclass(frozen=True)
class Prediction:
    """What another sentence ends in, and what the limit of training predicts; None where that is not determined."""

    line: int
    expected: str
    predicted: Optional[str]


@dataclass(frozen=True)
class NextToken:
    """Next-token prediction on sentences, decided with proof (``attest ntp``).

    ``verdict`` is "feasible" where both stages' problems are, "infeasible", "conflict" (no collocation fits the
    sentences: ``answer["collocation"]["conflict"]``) or "undecided". ``collocation`` has the pairs (token, next token),
    ``strict`` whether every query's order is a strict partial one (None without a collocation), ``theorems`` are the
    rows of paper E. ``training`` is the certificate of both stages' training with one-hot embeddings and of ``shift``.
    """

    verdict: str
    collocation: Tuple[Tuple[str, str], ...]
    strict: Optional[bool]
    feed_forward: Optional[Stage]
    attention: Optional[Stage]
    shift: Tuple[Prediction, ...]
    theorems: Tuple[Row, ...] = field(repr=False)
    answer: Any = field(repr=False)
    sentences: bytes = field(repr=False)
    training: str = field(default="", repr=False)

    @staticmethod
    def of(answer: Mapping[str, Any], certificates: Sequence[str], sentences: bytes) -> "NextToken":
        order = answer.get("order")
        return NextToken(
            answer["verdict"], tuple((x, y) for x, y in (answer.get("collocation") or {}).get("pairs", ())),
            None if order is None else order["verdict"] == "strict",
            Stage.of(answer.get("feed_forward"), certificates[0]), Stage.of(answer.get("attention"), certificates[1]),
            tuple(Prediction(one["line"], one["sentence_ends_in"], one["predicted"])
                  for one in answer.get("shift", ())),
            rows(answer.get("theorems", ())), answer, sentences, certificates[2])

    def to_json(self) -> str:
        """The JSON value that the command prints with ``--json``."""
        return json.dumps(self.answer, indent=2)

    def save(self, prefix: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the sentences, PREFIX.npz, and the certificates, PREFIX-feed-forward.cert, PREFIX-attention.cert and
        PREFIX-training.cert.

        Raises ValueError where nothing is certified.
        """
        for ending, data in self.files().items():
            Path(os.fspath(prefix) + ending).write_bytes(data)

    def files(self) -> Dict[str, bytes]:
        """What :meth:`save` writes, by the end of the name."""
        if not self.sentences:
            raise ValueError("no collocation fits: there is nothing to certify")
        return {".npz": self.sentences, **{f"-{name}.cert": text.encode("ascii")
                                           for name, text in self._certificates().items()}}

    def _certificates(self) -> Dict[str, str]:
        texts = [stage.certificate if stage is not None else "" for stage in (self.feed_forward, self.attention)]
        return {name: text for name, text in zip((*STAGES, "training"), (*texts, self.training)) if text}

    def check(self) -> Checked:
        """Has the independent checker verify the certificates against the sentences."""
        with tempfile.TemporaryDirectory() as folder:
            prefix = os.path.join(folder, "text")
            self.save(prefix)
            found = [check(f"{prefix}.npz", text) for text in self._certificates().values()]
        return Checked(tuple(line for one in found for line in one.lines), all(one.vacuous for one in found))

    def _facts(self) -> List[Tuple[str, str]]:
        facts = [("verdict", self.verdict), ("collocation", ", ".join(f"{x} -> {y}" for x, y in self.collocation)),
                 ("orders", "undecided" if self.strict is None else "strict" if self.strict else "with a cycle")]
        for name, stage in zip(STAGES, (self.feed_forward, self.attention)):
            if stage is not None:
                facts.append((f"{name} stage", stage.verdict + (f", ||W*|| = {stage.norm_value}"
                                                                if stage.norm_value is not None else "")))
        return facts + [(row.id, row.verdict) for row in self.theorems]

    def _repr_html_(self) -> str:
        return table("attest: next token", self._facts())

    def plot(self, ax: Any = None) -> Any:
        """A mark for each statement of paper E by its verdict; returns the matplotlib axes."""
        from .figures import theorems

        return theorems(self.theorems, ax)


def _line(sentence: Sequence[Any]) -> str:
    words = [sentence] if isinstance(sentence, str) else [str(token) for token in sentence]
    for word in words:
        if "\n" in word or (not isinstance(sentence, str) and (not word or any(c.isspace() for c in word))):
            raise ValueError(f"{word!r} is no token: a word without white space is")
    return " ".join(words)


def _file(given: Optional[Sentences], folder: str, name: str) -> str:
    """The path of a text, or of one written with a sentence a line; empty for None."""
    if given is None:
        return ""
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    path = os.path.join(folder, name)
    Path(path).write_text("".join(_line(sentence) + "\n" for sentence in given), encoding="utf-8", newline="\n")
    return path


def _kind(sentences: Sentences) -> str:
    if isinstance(sentences, (str, os.PathLike)):
        return "words"
    ids = all(not isinstance(one, str) and all(isinstance(token, (int, np.integer)) for token in one)
              for one in sentences)
    return "ids" if ids else "words"


def ntp(sentences: Sentences, *, tokens: str = "", embeddings: Any = None, collocation: Optional[Sentences] = None,
        shift: Optional[Sentences] = None, step: Any = "1/10", time_limit: float = 0, memory_limit: int = 0,
        progress: Union[None, bool, Progress] = None) -> NextToken:
    """Which token attention has to select for next-token prediction on sentences, and whether it can (paper E).

    Parameters
    ----------
    sentences : path of a text with a sentence a line, or list of sentences
        A sentence is a text of words, or a list of words or of token ids; its last token is the next one of the others.
    tokens : "words", "bytes" or "ids"
        What a token is; by default ids for lists of whole numbers, else words.
    embeddings : (V, d) array or path of an .npy file, optional
        A row a token, by id or in the order in which tokens first come; default one-hot.
    collocation : sentences of two tokens, optional
        Which token comes next to which; default what the sentences of two tokens say, then what is found to fit.
    shift : other sentences, optional
        Whose last tokens are predicted.
    step : number or text, exact
        Of normalised gradient descent, for the rows about training.

    Returns a :class:`NextToken`. Raises InputError (a ValueError), KeyboardInterrupt.

    >>> found = attest.ntp(["dog barks", "cat meows", "the cat sees the dog barks", "a dog and cat meows"])
    >>> found.verdict, found.strict, found.check().vacuous
    ('feasible', True, False)
    """
    with tempfile.TemporaryDirectory() as folder:
        files: Dict[str, str] = {"file": _file(sentences, folder, "sentences.txt"),
                                 "collocation": _file(collocation, folder, "collocation.txt"),
                                 "shift": _file(shift, folder, "shift.txt"), "embeddings": "",
                                 "prefix": os.path.join(folder, "answer")}
        if isinstance(embeddings, (str, os.PathLike)):
            files["embeddings"] = os.fspath(embeddings)
        elif embeddings is not None:
            files["embeddings"] = os.path.join(folder, "embeddings.npy")
            np.save(files["embeddings"], _as_array(embeddings))
        kind = one_of("tokens", tokens or _kind(sentences), ("words", "bytes", "ids"))
        answer, _, _ = _attest.ntp(files, kind, _exact(step, "step"), _call(time_limit, memory_limit, progress))
        written = [Path(f"{files['prefix']}-{name}.cert") for name in (*STAGES, "training")]
        certificates = [path.read_text(encoding="ascii") if path.exists() else "" for path in written]
        data = Path(f"{files['prefix']}.npz")
        return NextToken.of(json.loads(answer), certificates, data.read_bytes() if data.exists() else b"")
