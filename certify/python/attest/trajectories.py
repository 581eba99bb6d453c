"""Runs in floating point beside exact ones: what they keep, and from which step on they are something else."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .instance import Instance
from .types import Array

__all__ = ["Trajectory", "Recorder", "softmax"]


STATED = ("optimizer", "step", "schedule", "momentum", "loss")


@dataclass(frozen=True)
class Trajectory:
    """Weights along a training run: ``t`` (m,) step numbers and ``W`` (m, d, e); exactly the floats that were there.

    ``stated`` says which run it is: optimizer, step, schedule, momentum, loss, as texts, where they are known. What it
    states is compared with what :func:`attest.compare` is asked about.
    """

    t: Array
    W: Array
    stated: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.W.ndim != 3 or self.t.ndim != 1 or len(self.t) != len(self.W):
            raise ValueError("t has one entry for each of the (m, d, e) matrices W")
        if self.W.dtype.kind != "f" or self.W.dtype.itemsize > 8:
            raise ValueError(f"W holds {self.W.dtype}, not floating-point numbers of at most 64 bits")
        if len(self.t) and (np.any(np.diff(self.t) <= 0) or self.t[0] < 0):
            raise ValueError("the steps t increase from 0 or later")
        for key in self.stated:
            if key not in STATED:
                raise ValueError(f"a trajectory states {', '.join(STATED)}, not {key}")

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes keys t and W, and what is stated, to an .npz file."""
        np.savez(path, t=self.t, W=self.W, **{key: np.array(text) for key, text in self.stated.items()})

    @staticmethod
    def load(path: Union[str, "os.PathLike[str]"]) -> "Trajectory":
        with np.load(path) as file:
            return Trajectory(file["t"], _matrices(file["W"]), {key: str(file[key]) for key in STATED if key in file})

    def __len__(self) -> int:
        return len(self.t)


def _matrices(W: Array) -> Array:
    """A prompt's vectors are matrices of one column."""
    return W[..., np.newaxis] if W.ndim == 2 else W


def trajectory(given: Any) -> Trajectory:
    """A Trajectory of what :func:`attest.compare` takes for one: it, a recorder, a path, or a pair (t, W)."""
    if isinstance(given, Trajectory):
        return given
    if isinstance(given, Recorder):
        return given.trajectory()
    if isinstance(given, (str, os.PathLike)):
        return Trajectory.load(given)
    t, W = given
    return Trajectory(np.asarray(t), _matrices(np.asarray(W)))


class Recorder:
    """Collects W while training goes on; see :func:`attest.torch.record`."""

    def __init__(self, **stated: Any) -> None:
        self._stated = {key: str(value) for key, value in stated.items()}
        self._t: List[int] = []
        self._W: List[Array] = []

    def add(self, W: Any, t: Optional[int] = None) -> None:
        """Keeps a copy of W, of step ``t`` (default: one more than the last)."""
        self._t.append(t if t is not None else (self._t[-1] + 1 if self._t else 0))
        self._W.append(np.array(W, copy=True))

    def trajectory(self) -> Trajectory:
        return Trajectory(np.asarray(self._t, dtype=np.int64), _matrices(np.stack(self._W)), dict(self._stated))


def softmax(instance: Instance, W: Any) -> Sequence[Array]:
    """The attention of a layer W (d, e) on each sequence, in doubles; equal tokens' goes to the first of them."""
    data = instance.features()
    first = data["first_row"]
    weights = []
    for i in range(len(first) - 1):
        logits = data["x"][int(first[i]):int(first[i + 1])] @ (np.asarray(W, dtype=float) @ data["z"][i])
        if "offsets" in data:
            logits = logits + data["offsets"][int(first[i]):int(first[i + 1])]
        shifted = data["counts"][int(first[i]):int(first[i + 1])] * np.exp(logits - logits.max())
        weights.append(shifted / shifted.sum())
    return weights


def selected(instance: Instance, W: Any) -> Tuple[int, ...]:
    """The token with most attention in each sequence, in doubles."""
    return tuple(int(np.argmax(s)) for s in softmax(instance, W))
