// How far the regularisation path strays from its ray (proofs/statements/SOUNDNESS.md section 7,
// path-residual): in the Euclidean norm minimisers W_r of the training loss over ||W|| <= r have ||W_r - <u,
// W_r> u|| <= X for all r >= R, u = W*/||W*||, so 1 - <u, W_r>/r falls like X^2/(2 r^2).
// Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <optional>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/loss.hpp"

namespace attest {

struct PathResidual {
  Rational from_radius;  // R: a dyadic
  Rational residual;  // X: a dyadic, not far above the length of the point that the path's residual tends to
  Rational rate_constant;     // c: a dyadic; 1 - <u, W_r>/r <= c/r^2 for all r >= R
  Rational least_eigenvalue;  // of the support's Gram matrix, at least; a dyadic
  Rational largest_square;    // of a ||Delta_c|| of the support
  ConstraintVector pull;      // that point, nearly
};

// For what T21 bounds from `from_radius` on. Nothing unless exactly the listed multipliers' constraints are
// tight, a few thousand at most and certainly independent, the head has one output, and doubles suffice to
// guess R.
std::optional<PathResidual> bound_path_residual(const TokenData& data, const Selection& selection,
                                                const MarginSolution& solution, Loss loss,
                                                const Rational& from_radius, const Budget& budget);

}  // namespace attest
