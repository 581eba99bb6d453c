"""The max-margin problem of attention as a scikit-learn estimator."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .api import certify
from .instance import Instance, held
from .results import Certified
from .types import Array


class AttentionSVM(BaseEstimator):
    """Hard-margin SVM that separates one selected token of each sequence from the others, solved with proof.

    Parameters
    ----------
    norm : "fro", "nuc" or "lP" with P > 1, as for :func:`attest.certify`
    form : "auto", "exact" or "enclosure"
    time_limit : float, seconds, 0 for none
    v, query : decoder and query token, as for :func:`attest.instance`
        Of all calls that are given none: where scikit-learn makes them, as in a ``GridSearchCV``.

    Attributes
    ----------
    W_ : (d, e) array
        The max-margin matrix, rounded to doubles.
    margin_ : Interval
        The margin 1/||W*||, enclosed.
    selection_ : (n,) array
    support_ : (m, 2) array
        (sequence, token) of the support tokens.
    certified_ : Certified
        The whole answer with its certificate.

    >>> svm = attest.AttentionSVM().fit([[[1, 0], [0, 1]]], [1], v=[1, 0], query=0)
    >>> svm.predict([[[3, 0], [1, 1]]], query=0)
    array([0])
    """

    def __init__(self, norm: str = "fro", form: str = "auto", time_limit: float = 0, v: Any = None,
                 query: Any = None) -> None:
        self.norm = norm
        self.form = form
        self.time_limit = time_limit
        self.v = v
        self.query = query

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["3darray"], "requires_y": True}

    def _held(self, X: Any, Y: Any, v: Any, keys: Dict[str, Any]) -> Instance:
        if isinstance(X, (Instance, str, os.PathLike)):
            return held(X, Y, v, **keys)
        if self.query is not None and not {"query", "z", "K"} & keys.keys():
            keys = {**keys, "query": self.query}
        return held(X, Y, self.v if v is None else v, **keys)

    def fit(self, X: Any, Y: Any = None, v: Any = None, select: Optional[Any] = None, **keys: Any) -> "AttentionSVM":
        """Solves the problem; arguments as for :func:`attest.certify`.

        Raises ValueError when no W separates the selected tokens, or when that is undecided.
        """
        found: Certified = certify(self._held(X, Y, v, keys), select=select, norm=self.norm, form=self.form,
                                   time_limit=self.time_limit)
        self.certified_ = found
        if found.verdict != "feasible" or found.W is None:
            raise ValueError(f"{found.verdict}: " + (found.reason or "no W separates the selected tokens"))
        self.W_ = found.W
        self.margin_ = found.margin
        self.selection_ = np.asarray(found.selection)
        self.support_ = np.asarray(found.support or (), dtype=int).reshape(-1, 2)
        self.n_features_in_ = self.W_.shape[0]
        return self

    def predict(self, X: Any, Y: Any = None, v: Any = None, **keys: Any) -> Array:
        """The token that attention with W_ selects in each sequence, in doubles.

        Labels and decoder may be left out: the selection does not depend on them.
        """
        check_is_fitted(self)
        if not isinstance(X, (Instance, str, os.PathLike)):
            Y = np.ones(len(X), dtype=int) if Y is None else Y
            v = np.zeros(np.shape(X[0])[-1]) if v is None and self.v is None else v
        data = self._held(X, Y, v, keys).features()
        first, chosen = data["first_row"], []
        for i in range(len(first) - 1):
            rows = slice(int(first[i]), int(first[i + 1]))
            logits = data["x"][rows] @ (self.W_ @ data["z"][i])
            logits[data["counts"][rows] == 0] = -np.inf  # an equal token before it stands for it
            chosen.append(int(np.argmax(logits)))
        return np.array(chosen)

    def score(self, X: Any, Y: Any = None, v: Any = None, **keys: Any) -> float:
        """Share of the sequences in which W_ selects a token with the best score Y_i v'x."""
        check_is_fitted(self)
        instance = self._held(X, Y, v, keys)
        data = instance.features()
        first, scores = data["first_row"], data["scores"]
        chosen = self.predict(instance)
        best = [scores[int(first[i]) + t] >= scores[int(first[i]):int(first[i + 1])].max()
                for i, t in enumerate(chosen)]
        return float(np.mean(best))
