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


def planted(seed: int, n: int, T: int, d: int, model: str = "attention") -> Dict[str, Any]:
    """The first token of each sequence is Y_i v with noise, of norm 1, the others are Gaussian of norm 1/2."""
    data = gaussian(seed, n, T, d) if model == "attention" else gaussian_prompt(seed, n, T, d)
    random = np.random.default_rng([seed, n, T, d, 2])
    X, Y = data["X"] / 2, np.resize([-1, 1], n)
    X[:, 0] = unit(Y[:, None] * data["v"] + random.standard_normal((n, d)) * 0.3 / np.sqrt(d))
    return {**data, "X": X, "Y": Y}


def orthogonal(seed: int, n: int, T: int, noise: float) -> Dict[str, Any]:
    """Orthonormal tokens but for noise; the best of a class are one token, all others score 0; query: the first."""
    random = np.random.default_rng([seed, n, T, 3])
    Y, best = np.resize([-1, 1], n), random.integers(1, T, n)
    tokens = np.eye(2 + n * T)
    X = tokens[2:].reshape(n, T, -1).copy()
    for i in range(n):
        X[i, best[i]] = tokens[0 if Y[i] > 0 else 1]
    X += noise * random.standard_normal(X.shape) / np.sqrt(X.shape[2])
    return {"X": X, "Y": Y, "v": tokens[0] - tokens[1], "query": 0}
