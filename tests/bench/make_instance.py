#!/usr/bin/env python3
"""make_instance.py NAME FOLDER [SEED]: writes FOLDER/NAME.npz, one of the standard instances S1..S6.

Unit-normalised Gaussian rows of X, z and v in binary64 (cross-attention, e = d), labels at random. S1..S3 leave the
selection to the scores; S4..S6 have the selection of a planted teacher: alpha_i = argmax_t <x_it, W z_i> for a
Gaussian W.
"""
import pathlib
import sys

import numpy as np

SIZES = {"S1": (6, 8, 10), "S2": (20, 16, 32), "S3": (100, 32, 64), "S4": (1000, 64, 64),
         "S5": (10000, 8, 64), "S6": (4000, 64, 64)}


def unit(array):
    return array / np.linalg.norm(array, axis=-1, keepdims=True)


def make(name, seed=0):
    n, tokens, d = SIZES[name]
    random = np.random.default_rng([seed, n, tokens, d])
    data = {"X": unit(random.standard_normal((n, tokens, d))), "z": unit(random.standard_normal((n, d))),
            "v": unit(random.standard_normal(d)), "Y": random.choice(np.array([-1, 1]), n)}
    if name in ("S4", "S5", "S6"):
        teacher = random.standard_normal((d, d))
        data["alpha"] = np.argmax(np.einsum("itd,de,ie->it", data["X"], teacher, data["z"]), axis=1)
    return data


def selection(data):
    if "alpha" in data:
        return data["alpha"]
    return np.argmax(data["Y"][:, None] * (data["X"] @ data["v"]), axis=1)


def differences(data):
    """Rows (dx, z) of every constraint: two arrays, constraints x d."""
    left, right = [], []
    for i, alpha in enumerate(selection(data)):
        others = np.delete(np.arange(data["X"].shape[1]), alpha)
        left.append(data["X"][i, alpha] - data["X"][i, others])
        right.append(np.repeat(data["z"][i][None], len(others), axis=0))
    return np.concatenate(left), np.concatenate(right)


if __name__ == "__main__":
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    np.savez(folder / f"{name}.npz", **make(name, int(sys.argv[3]) if len(sys.argv) > 3 else 0))
