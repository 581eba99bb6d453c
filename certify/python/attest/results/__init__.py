"""Results: frozen values whose numbers are proved enclosures, with the certificate that proves them."""

from .interval import Interval, interval
from .joint import JointCertified, JointPath, JointPoint, JointRun
from .margin import Audit, Certified, Drop, Path, SetsCertified
from .result import Checked, Constraint, Result, pairs
from .run import Checkpoint, Forever, Run, SetsPoint, SetsRun, forever
from .theorems import Row, Selections, Theorems, rows

__all__ = ["Audit", "Certified", "Checked", "Checkpoint", "Constraint", "Drop", "Forever", "Interval",
           "JointCertified", "JointPath", "JointPoint", "JointRun", "Path", "Result", "Row", "Run", "Selections",
           "SetsCertified", "SetsPoint", "SetsRun", "Theorems", "forever", "interval", "pairs", "rows"]
