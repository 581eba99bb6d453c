"""The experiments of the papers, repeated with certified answers: ``attest experiment NAME``.

Each is a list of cases (an instance, a rule), a function that answers one of them with proof, a figure and a verdict
beside what the paper states. The driver keeps one row and one certificate a case in a folder, so that the same command
goes on where it was stopped; no case is left out: those without an answer are listed with the reason.
"""

from __future__ import annotations

from typing import Dict

from . import (conditions, factors, floats, joint, joint_paths, limits, mirror, mirror_rates, next_token, paths,
               ranks, rates, sparsity, tokens)
from .experiment import Case, Experiment, Outcome

__all__ = ["Case", "Experiment", "Outcome", "EXPERIMENTS"]

EXPERIMENTS: Dict[str, Experiment] = {
    one.name: one for one in (limits.LOCAL_CONVERGENCE, limits.LIMIT_SHARES, limits.GLOBAL_SHARES, limits.PROMPT,
                              ranks.RANKS, paths.REGULARISATION_PATHS, paths.NORM_PATHS, rates.RATES, sparsity.SPARSITY,
                              floats.FLOAT_RUNS, mirror.MIRROR_NORMS, mirror_rates.MIRROR_RATES, factors.FACTORS,
                              tokens.SEVERAL_TOKENS, conditions.GLOBAL_CONDITIONS, joint_paths.LABEL_MARGINS,
                              joint_paths.JOINT_PATHS, joint.JOINT_LIMITS, joint.JOINT_FOREVER,
                              next_token.NEXT_TOKEN)}
