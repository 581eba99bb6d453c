"""PyTorch models: their weights along training, exactly as they are.

    optimizer = torch.optim.SGD([model.W], lr=0.1, momentum=0.9)
    recorder = attest.torch.record(model.W, optimizer=optimizer)    # or "gd", step="1/10"; or model.K and model.Q
    for step in range(steps):
        recorder.keep()
        ...                                                        # backward, optimizer.step()
    attest.compare(recorder, X, Y, v)            # from which step on this is not the exact iteration
    attest.checkpoint(X, Y, v, W=recorder.trajectory().W[-1])

A layer in factors moves in another way than W: only runs of W are compared with exact ones.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Dict, Optional, Tuple, Union

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

    def __init__(self, sources: Tuple[Source, ...], followed: Any = None, /, **stated: Any) -> None:
        super().__init__(**stated)
        self._sources = sources
        self._followed, self._said = followed, {} if followed is None else stated_by(followed)

    def keep(self, t: Optional[int] = None) -> None:
        """Keeps the weights as of step ``t``. Raises ValueError when the optimiser's numbers have changed meanwhile."""
        if self._followed is not None and stated_by(self._followed) != self._said:
            raise ValueError("optimizer: its learning rate or momentum has changed since recording began")
        arrays = [_array(source) for source in self._sources]
        self.add(arrays[0] if len(arrays) == 1 else arrays[0].astype(np.float64) @ arrays[1].astype(np.float64).T, t)


def record(*sources: Source, **stated: Any) -> TorchRecorder:
    """A recorder of one weight W (d, e), or of K (d, m) and Q (e, m) whose product K Q' is the weight.

    Each source is a tensor, a parameter, or a callable that returns one. ``stated``: which run it is, as
    optimizer="ngd", step="1/10", loss="logistic" (:class:`attest.Trajectory`). ``optimizer`` may be a torch.optim.SGD:
    it then states rule, step and momentum itself (:func:`stated_by`).
    """
    if len(sources) not in (1, 2):
        raise ValueError("record takes W, or K and Q")
    optimizer = stated.get("optimizer")
    if not hasattr(optimizer, "param_groups"):
        return TorchRecorder(sources, None, **stated)
    return TorchRecorder(sources, optimizer, **{**stated, **stated_by(optimizer)})


# What SGD adds to the heavy ball, each switched off by its value here.
_BESIDES = {"dampening": 0, "weight_decay": 0, "nesterov": False, "maximize": False}


def stated_by(optimizer: Any) -> Dict[str, str]:
    """Rule, step and momentum of a torch.optim.SGD, as a trajectory states them.

    With constant learning rate and momentum B its iteration is b = B b + grad L, W = W - lr b, that of
    ``attest.run(optimizer="gd", step=lr, momentum=B)``. Numbers are the shortest decimals that stand for the floats:
    0.1 is 1/10. Raises ValueError for any other iteration: another optimiser, several groups of other numbers,
    Nesterov's momentum, dampening with momentum, weight decay.
    """
    if type(optimizer).__name__ != "SGD":
        raise ValueError(f"optimizer: {type(optimizer).__name__} is no iteration that attest follows, SGD is; "
                         "without optimizer= its weights are recorded all the same")
    groups = optimizer.param_groups
    momentum = groups[0].get("momentum", 0)
    for key, off in _BESIDES.items():
        used = [group[key] for group in groups if group.get(key, off) != off]
        if used and not (key == "dampening" and momentum == 0):
            raise ValueError(f"optimizer: SGD with {key}={used[0]} is no iteration that attest follows")
    if any((group["lr"], group.get("momentum", 0)) != (groups[0]["lr"], momentum) for group in groups):
        raise ValueError("optimizer: its groups have different learning rates or momenta")
    return {"optimizer": "gd", "step": _decimal(groups[0]["lr"]), "schedule": "constant",
            "momentum": _decimal(momentum)}


def _decimal(number: Any) -> str:
    """The shortest decimal for a float, as an exact fraction."""
    return str(Fraction(repr(float(number))))


__all__ = ["Trajectory", "TorchRecorder", "record", "stated_by"]
