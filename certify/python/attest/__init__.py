"""attest: proofs about what softmax attention's training selects, from arrays to certificates.

    import attest
    found = attest.certify(X, Y, v)        # max-margin problem, exact
    found.margin, found.support            # proved
    found.check()                          # by the independent checker
    attest.run(X, Y, v, step="1/10").forever

Arrays are taken exactly, whatever their number format; numbers in results are proved enclosures (:class:`Interval`).
Figures need matplotlib, :class:`AttentionSVM` scikit-learn, ``attest.torch`` PyTorch: nothing else does.
"""

from importlib import import_module
from typing import Any

from ._attest import version as __version__
from .api import (audit, certify, certify_all, certify_joint, certify_sets, check, checkpoint, compare, path, run,
                  selections, to_coq, verify)
from .comparison import ComparedStep, Comparison
from .errors import CheckFailure, InputError
from .instance import Instance, instance, load
from .layer import Attention, FurtherTraining, Layer
from .next_token import NextToken, Prediction, Stage, ntp
from .results import (Audit, Certified, Checked, Checkpoint, Forever, Interval, JointCertified, JointPath,
                      JointPoint, JointRun, Path, Row, Run, Selections, SetsCertified, SetsPoint, SetsRun, Theorems)
from .trajectories import Recorder, Trajectory

__all__ = ["__version__", "Attention", "AttentionSVM", "Audit", "audit", "Certified", "certify", "certify_all",
           "certify_joint", "certify_sets", "check", "Checked", "CheckFailure", "Checkpoint", "checkpoint", "compare",
           "ComparedStep", "Comparison", "Forever", "FurtherTraining", "InputError", "Instance", "instance", "Interval",
           "JointCertified", "JointPath", "JointPoint", "JointRun", "Layer", "load", "NextToken", "ntp", "Path", "path",
           "Prediction", "Recorder", "Row", "Run", "run", "Selections", "selections", "SetsCertified", "SetsPoint",
           "SetsRun", "Stage", "Theorems", "to_coq", "Trajectory", "verify"]


def __getattr__(name: str) -> Any:
    """What needs scikit-learn, PyTorch or matplotlib is imported when it is asked for."""
    if name == "AttentionSVM":
        from .estimator import AttentionSVM

        return AttentionSVM
    if name in ("experiments", "figures", "torch"):
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'attest' has no attribute {name!r}")
