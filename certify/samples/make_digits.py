#!/usr/bin/env python3
"""Make the embedded samples from the handwritten digits that come with scikit-learn (see README.md).

usage: make_digits.py OUT.npz [--images N] [--patch P] [--classes A B] [--unit]

The first N images of the two classes, in dataset order, are cut into P x P patches, row by row: tokens of P*P integers
0..16. Class A has label -1, class B label +1. The score vector is the integer vector
v = n_A * (sum of all patches of class B) - n_B * (sum of all patches of class A).
With --unit the pixels are divided by 16 and v by 2^16, both exactly: optimisers then take steps of ordinary size.
"""
import argparse

import numpy as np
from sklearn.datasets import load_digits


def make(images: int, patch: int, classes: tuple[int, int], unit: bool) -> dict[str, np.ndarray]:
    digits = load_digits()
    chosen = np.flatnonzero(np.isin(digits.target, classes))[:images]
    blocks = 8 // patch
    pixels = digits.images[chosen].astype(np.int64)
    X = pixels.reshape(-1, blocks, patch, blocks, patch).swapaxes(2, 3).reshape(-1, blocks * blocks, patch * patch)
    Y = np.where(digits.target[chosen] == classes[1], 1, -1)
    totals = X.sum(axis=1)
    v = (Y == -1).sum() * totals[Y == 1].sum(axis=0) - (Y == 1).sum() * totals[Y == -1].sum(axis=0)
    X, v = (X / 16, v / 2**16) if unit else (X.astype(np.uint8), v.astype(np.int64))
    return {"X": X, "Y": Y.astype(np.int8), "v": v, "query": np.int64(0)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--images", type=int, default=40)
    parser.add_argument("--patch", type=int, default=4, choices=[1, 2, 4])
    parser.add_argument("--classes", type=int, nargs=2, default=[0, 1])
    parser.add_argument("--unit", action="store_true")
    options = parser.parse_args()
    np.savez_compressed(options.out, **make(options.images, options.patch, tuple(options.classes), options.unit))
