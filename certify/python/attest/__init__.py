"""attest: proofs about what softmax attention's training selects, from arrays to certificates.

    import attest
    found = attest.certify(X, Y, v)        # max-margin problem, exact
    found.margin, found.support            # proved
    found.check()                          # by the independent checker
    attest.run(X, Y, v, step="1/10").forever

Arrays are taken exactly, whatever their number format; numbers in results are proved enclosures (:class:`Interval`).
Figures need matplotlib, :class:`AttentionSVM` scikit-learn, ``attest.torch`` PyTorch: nothing else does.
"""

from typing import Any

from ._attest import version as __version__
from .api import audit, certify, certify_all, check, path, run, selections, verify
from .errors import CheckFailure, InputError
from .instance import Instance, instance, load
from .results import (Audit, Certified, Checked, Checkpoint, Forever, Interval, Path, Row, Run, Selections)

__all__ = ["AttentionSVM", "Audit", "Certified", "CheckFailure", "Checked", "Checkpoint", "Forever", "InputError", "Instance",
           "Interval", "Path", "Row", "Run", "Selections", "audit", "certify", "certify_all", "check", "instance", "load",
           "path", "run", "selections", "verify"]


def __getattr__(name: str) -> Any:
    if name == "AttentionSVM":  # imports scikit-learn
        from .estimator import AttentionSVM

        return AttentionSVM
    raise AttributeError(f"module 'attest' has no attribute {name!r}")
