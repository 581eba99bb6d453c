"""Runs in floating point beside exact ones: what they keep, and from which step on they are something else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from .instance import Instance
from .types import Array

__all__ = ["Trajectory", "softmax"]


@dataclass(frozen=True)
class Trajectory:
    """Weights along a training run: ``t`` (m,) step numbers and ``W`` (m, d, e); exactly the floats that were there."""

    t: Array
    W: Array

    def __post_init__(self) -> None:
        if self.W.ndim != 3 or len(self.t) != len(self.W):
            raise ValueError("t has one entry for each of the (m, d, e) matrices W")

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes keys t and W to an .npz file."""
        np.savez(path, t=self.t, W=self.W)

    @staticmethod
    def load(path: Union[str, "os.PathLike[str]"]) -> "Trajectory":
        with np.load(path) as file:
            return Trajectory(file["t"], file["W"])

    def __len__(self) -> int:
        return len(self.t)


class Recorder:
    """Collects W while training goes on; see :func:`attest.torch.record`."""

    def __init__(self) -> None:
        self._t: List[int] = []
        self._W: List[Array] = []

    def add(self, W: Any, t: Optional[int] = None) -> None:
        """Keeps a copy of W, of step ``t`` (default: one more than the last)."""
        self._t.append(t if t is not None else (self._t[-1] + 1 if self._t else 0))
        self._W.append(np.array(W, copy=True))

    def trajectory(self) -> Trajectory:
        return Trajectory(np.asarray(self._t, dtype=np.int64), np.stack(self._W))


def softmax(instance: Instance, W: Any) -> Sequence[Array]:
    """The attention of a layer W (d, e) on each sequence, in doubles."""
    data = instance.features()
    first = data["first_row"]
    weights = []
    for i in range(len(first) - 1):
        logits = data["x"][int(first[i]):int(first[i + 1])] @ (np.asarray(W, dtype=float) @ data["z"][i])
        shifted = np.exp(logits - logits.max())
        weights.append(shifted / shifted.sum())
    return weights


def selected(instance: Instance, W: Any) -> Tuple[int, ...]:
    """The token with most attention in each sequence, in doubles."""
    return tuple(int(np.argmax(s)) for s in softmax(instance, W))
