"""PyTorch models: their weights along training, exactly as they are.

    recorder = attest.torch.record(lambda: model.W, optimizer="gd", step="1/10")  # or model.K and model.Q
    for step in range(steps):
        recorder.keep()
        ...
    attest.compare(recorder, X, Y, v)            # from which step on this is not the exact iteration
    attest.checkpoint(X, Y, v, W=recorder.trajectory().W[-1])

A layer in factors moves in another way than W: only runs of W are compared with exact ones.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple, Union

import numpy as np

from .trajectories import Recorder, Trajectory
from .types import Array

Source = Union[Callable[[], Any], Any]


def _array(source: Source) -> Array:
    value = source() if callable(source) else source
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
    return np.asarray(value)


class TorchRecorder(Recorder):
    """Keeps W, or K and Q with their product in binary64, whenever ``keep`` is called."""

    def __init__(self, sources: Tuple[Source, ...], **stated: Any) -> None:
        super().__init__(**stated)
        self._sources = sources

    def keep(self, t: Optional[int] = None) -> None:
        arrays = [_array(source) for source in self._sources]
        self.add(arrays[0] if len(arrays) == 1 else arrays[0].astype(np.float64) @ arrays[1].astype(np.float64).T, t)


def record(*sources: Source, **stated: Any) -> TorchRecorder:
    """A recorder of one weight W (d, e), or of K (d, m) and Q (e, m) whose product K Q' is the weight.

    Each source is a tensor, a parameter, or a callable that returns one. ``stated``: which run it is, as
    optimizer="ngd", step="1/10", loss="logistic" (:class:`attest.Trajectory`).
    """
    if len(sources) not in (1, 2):
        raise ValueError("record takes W, or K and Q")
    return TorchRecorder(tuple(sources), **stated)


__all__ = ["Trajectory", "TorchRecorder", "record"]
