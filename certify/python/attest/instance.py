"""Instances: datasets of sequences, exact whatever the arrays' number format is."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _attest
from .errors import InputError
from .tables import table
from .types import Array

__all__ = ["Instance", "instance", "load"]

_EXACT_DOUBLES = 1 << 53


def _as_array(value: Any) -> Any:
    """NumPy's view of a tensor or array; other values stay as they are."""
    if hasattr(value, "detach"):  # torch
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":  # NumPy has none; binary32 holds every bfloat16
            value = value.float()
    if hasattr(value, "__array__") and not isinstance(value, (list, tuple, np.generic)):
        return np.asarray(value)
    return value


def _text(entry: Any, key: str) -> str:
    """One number as the exact text that the readers take."""
    if isinstance(entry, str):
        return entry.strip()
    if isinstance(entry, (bool, np.bool_)):
        return str(int(entry))
    if isinstance(entry, (int, np.integer)):
        return str(int(entry))
    if hasattr(entry, "as_integer_ratio"):  # float, numpy's floats, Fraction (3.8+), Decimal
        try:
            numerator, denominator = entry.as_integer_ratio()
        except (OverflowError, ValueError):
            raise InputError(f"key {key}: {entry} is not a finite number", key=key) from None
        return f"{numerator}/{denominator}" if denominator != 1 else str(numerator)
    if isinstance(entry, Fraction):
        return str(entry)
    raise InputError(f"key {key}: {type(entry).__name__} is not a number", key=key)


def _entries(array: Array, key: str) -> Any:
    """The entries in C order: binary64 where that holds each of them exactly, else texts."""
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        return np.ascontiguousarray(array, dtype=np.float64).reshape(-1)
    if kind == "b" or (kind in "iu" and (array.size == 0 or _holds(array))):
        return np.ascontiguousarray(array, dtype=np.float64).reshape(-1)
    if kind in "iu" or kind in "fO":
        return [_text(entry, key) for entry in array.reshape(-1)]
    if kind in "SU":
        return [str(entry) for entry in array.reshape(-1)]
    raise InputError(f"key {key}: an array of {array.dtype} holds no real numbers", key=key)


def _holds(array: Array) -> bool:
    return bool(array.max() <= _EXACT_DOUBLES) and bool(array.min() >= -_EXACT_DOUBLES)


def _ragged(value: Any) -> bool:
    """Is this a list of sequences of different lengths, each a matrix?"""
    if not isinstance(value, (list, tuple)) or not value:
        return False
    lengths = set()
    for sequence in value:
        try:
            lengths.add(len(sequence))
        except TypeError:
            return False
    return len(lengths) > 1


# Lists of a number for each token (Y, y and alpha where every token is a query).
_NUMBER_A_TOKEN = ("scores", "offsets", "Y", "y", "alpha")


def _raw(key: str, value: Any) -> Any:
    """What the extension module takes for one key: a text, or (shape, entries, lengths)."""
    value = _as_array(value)
    if isinstance(value, str):
        return value
    if _ragged(value) and key in ("X", "K") + _NUMBER_A_TOKEN:
        matrices = [np.asarray(_as_array(sequence), dtype=_dtype(sequence)) for sequence in value]
        if key in _NUMBER_A_TOKEN:
            matrices = [matrix.reshape(-1, 1) if matrix.ndim == 1 else matrix for matrix in matrices]
        for i, matrix in enumerate(matrices):
            if matrix.ndim != 2 or matrix.shape[1] != matrices[0].shape[1]:
                raise InputError(f"key {key}, index [{i}]: expected a matrix of tokens x {matrices[0].shape[-1]}",
                                 key=key, index=f"[{i}]")
        kinds = {matrix.dtype for matrix in matrices}
        joined = np.concatenate(matrices) if len(kinds) == 1 else np.concatenate(
            [matrix.astype(object) for matrix in matrices])
        return ([len(matrices), 0, int(joined.shape[1])], _entries(joined, key), [len(m) for m in matrices])
    if key == "counts" and _ragged(value):  # one list of all tokens
        value = [count for sequence in value for count in sequence]
    array = value if isinstance(value, np.ndarray) else np.asarray(value, dtype=_dtype(value))
    return (list(array.shape), _entries(array, key), None)


def _dtype(value: Any) -> Any:
    """object where NumPy would round or make texts of what a list holds (Fraction, int beyond 2^53, str)."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, np.ndarray):
            if item.dtype.kind == "O":
                return object
        elif isinstance(item, (list, tuple)):
            stack.extend(item)
        elif isinstance(item, str) or (isinstance(item, Fraction) or type(item).__name__ == "Decimal"):
            return object
        elif isinstance(item, int) and abs(item) > _EXACT_DOUBLES:
            return object
    return None


class Instance:
    """A dataset of sequences with labels and a decoder, held as exact numbers.

    Made by :func:`instance` from arrays or by :func:`load` from a file. Immutable.
    """

    __slots__ = ("_held",)

    def __init__(self, held: "_attest.Instance") -> None:
        self._held = held

    @property
    def sha256(self) -> str:
        """SHA-256 of the canonical text: what certificates name."""
        return self._held.sha256

    @property
    def lengths(self) -> Tuple[int, ...]:
        """Tokens of each sequence."""
        return tuple(self._held.lengths)

    def info(self) -> Mapping[str, Any]:
        """Sizes, number formats, ties and predicted memory, as ``attest info --json`` says them."""
        answer: Mapping[str, Any] = json.loads(self._held.info())
        return answer

    def save(self, path: Union[str, "os.PathLike[str]"], *, force: bool = False) -> None:
        """Writes the instance without loss: ``.npz``, ``.json``, ``.json.gz``, or a folder of ``.npy``.

        ``force`` replaces an existing file of another kind. Raises InputError when the format cannot hold a number.
        """
        self._held.write(os.fspath(path), force)

    def features(self) -> Mapping[str, Array]:
        """The selection problem, rounded to doubles.

        ``x`` (tokens, d), ``z`` (n, e), ``scores`` (tokens,), ``first_row`` (n + 1,): rows of sequence i are
        first_row[i] to first_row[i + 1], the feature of a token is x z' (theory.md section 0). ``counts`` (tokens,):
        how often the token stands in its sequence, 0 where an equal one before it stands for it. ``offsets`` (tokens,),
        where the instance has offsets: the attention of a token is as counts e^(x'Wz + offsets).
        """
        return self._held.problem()

    def __len__(self) -> int:
        return len(self.lengths)

    def __repr__(self) -> str:
        info = self.info()
        return (f"<attest.Instance {info['setting']}: {info['sequences']} sequences of {_span(info)} tokens, "
                f"dimension {info['dimension']}, sha256 {self.sha256[:12]}...>")

    def _repr_html_(self) -> str:
        info = self.info()
        return table("attest: instance", [("setting", info["setting"]), ("sequences", str(info["sequences"])),
                                          ("tokens of each", _span(info)), ("dimension", str(info["dimension"])),
                                          ("sha256", self.sha256)])


def _span(info: Mapping[str, Any]) -> str:
    tokens = info["tokens"]
    return f"{tokens['min']}" if tokens["min"] == tokens["max"] else f"{tokens['min']} to {tokens['max']}"


def instance(X: Any, Y: Any = None, v: Any = None, *, z: Any = None, K: Any = None, query: Any = None,
             scores: Any = None, lengths: Any = None, counts: Any = None, offsets: Any = None, alpha: Any = None,
             W0: Any = None, **more: Any) -> Instance:
    """An instance from arrays, every number exact.

    Parameters
    ----------
    X : (n, T, d) array or list of n (T_i, d) arrays
        Tokens.
    Y : (n,) array
        Labels, 1 or -1.
    v : (d,) array
        Decoder: the score of token x of sequence i is Y_i v'x.
    z : (n, e) array, optional
        Query vectors: cross-attention.
    K : like X with (..., m), optional
        Keys: the prompt model, whose parameter is a vector of R^m.
    query : int or "last", optional
        Self-attention: which token of each sequence is its query (default the first); -1 is the last of each.
    scores : (n, T) array or list of n lists, optional
        The scores themselves, instead of Y and v.
    lengths : (n,) array, optional
        Tokens of each sequence where X is padded.
    setting : "seq2seq" or "causal", optional
        Every token is a query, with its own entry of Y (n, T), or list of n lists; v may be (T, d).
    counts : (n, T) array, list of n lists, or one list of all tokens, optional
        How often each token stands in its sequence; equal tokens are taken for one anyway.
    offsets : (n, T) array or list of n lists, optional
        What is added to the logits of the tokens, such as biases by position.
    alpha : (n,) array, optional
        The selection to ask about; default the best scores.
    W0 : (d, e) array, optional
        The start of runs with ``init="instance"``, or a trained layer.

    Arrays may be NumPy arrays of any real type, torch tensors, lists, and lists of ``fractions.Fraction``, ``Decimal``
    or texts as ``"1/3"``. Raises InputError (a ValueError) naming key and index.

    >>> attest.instance([[["1/3", 0], [0, 1]]], [1], [1, 0], query=0)
    <attest.Instance self-attention: 1 sequences of 2 tokens, dimension 2, sha256 ...>
    """
    given = {"X": X, "Y": Y, "v": v, "z": z, "K": K, "query": query, "scores": scores, "lengths": lengths,
             "counts": counts, "offsets": offsets, "alpha": alpha, "W0": W0, **more}
    raw = {key: _raw(key, value) for key, value in given.items() if value is not None}
    return Instance(_attest.Instance.of(raw))


def load(path: Union[str, "os.PathLike[str]"], *, memory_limit: int = 0) -> Instance:
    """The instance in a file: ``.npz``, ``.safetensors``, ``.json``, ``.json.gz`` or a folder of ``.npy`` files.

    Raises InputError.
    """
    return Instance(_attest.Instance.read(os.fspath(path), memory_limit))


def held(X: Any, Y: Any = None, v: Any = None, **keys: Any) -> Instance:
    """What the functions of the package take first: an Instance, a path, or arrays."""
    given: Sequence[str] = [key for key, value in dict(Y=Y, v=v, **keys).items() if value is not None]
    if isinstance(X, Instance) or isinstance(X, (str, os.PathLike)):
        if given:
            raise InputError(f"key {given[0]}: the instance is given already", key=given[0])
        return X if isinstance(X, Instance) else load(X)
    return instance(X, Y, v, **keys)
