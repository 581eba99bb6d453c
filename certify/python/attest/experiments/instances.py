"""Random instances of the papers' kind."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np


def unit(array: Any) -> Any:
    return array / np.linalg.norm(array, axis=-1, keepdims=True)


def gaussian(seed: int, n: int, T: int, d: int) -> Dict[str, Any]:
    """X, z, v unit-normalised Gaussians in binary64, labels at random."""
    random = np.random.default_rng([seed, n, T, d])
    return {"X": unit(random.standard_normal((n, T, d))), "z": unit(random.standard_normal((n, d))),
            "v": unit(random.standard_normal(d)), "Y": random.choice(np.array([-1, 1]), n)}


def gaussian_prompt(seed: int, n: int, T: int, d: int) -> Dict[str, Any]:
    """The prompt model: keys of their own in place of the queries."""
    data = gaussian(seed, n, T, d)
    del data["z"]
    random = np.random.default_rng([seed, n, T, d, 1])
    return {**data, "K": unit(random.standard_normal((n, T, d)))}
