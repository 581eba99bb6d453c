// The regularisation path for every radius (T21, proofs/statements/SOUNDNESS.md section 7): minimisers W_r of
// the training loss over balls N(W) <= r of a norm satisfy 1 - <n, W_r>/r <= K/r for all r >= R, whatever
// minimisers are taken: n solves the dual margin problem. In the Euclidean norm it is W*/||W*||.
// Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <optional>

#include "numerics/norms/optimum.hpp"
#include "numerics/problem/loss.hpp"

namespace attest {

struct PathBound {
  // Contains the least radius at which no selected token can lose half of its attention.
  Interval least_radius;
  Rational from_radius;     // R: a dyadic, at least that radius
  Interval rate;            // contains T21's constant at R
  Rational rate_constant;   // K: a dyadic, at least that constant
  Rational claim_constant;  // the same for the n that a certificate has; in the Euclidean norm this is K
};

// Of heads of several outputs: the first token over which the selected one of its group has no gap, or, of
// ReLU units, over which its gap may be lost on the way (DYNAMICS.md section 11). T21 asks for there being
// none.
std::optional<Constraint> path_rival(const TokenData& data, const Selection& selection);

// Nothing when the multipliers are not known (form gap), or too loosely. The selection takes the unique best
// token of every group, of several outputs one without a path_rival(); some group has two tokens, and
// `solution` is its feasible margin problem's.
std::optional<PathBound> bound_regularisation_path(const TokenData& data, const Selection& selection,
                                                   const MarginSolution& solution, Loss loss);

// The same in another norm: for every combination n of the Delta_c that solves the dual problem (multipliers
// >= 0, their sum the least norm, dual norm at most 1), and, with claim_constant/r + 1 - lo/hi of the
// optimum's value in place of K/r, for the optimum's own n: its multipliers' combination over the bound of
// its dual norm (claim norm-path). In the nuclear norm the latter is true of W = K Q' for minimisers (K,Q)
// over |K|^2 + |Q|^2 <= 2r, too, of as many columns as the optimum's factors or more; the former for min(d,
// e) columns or more. Nothing when its value may be 0.
std::optional<PathBound> bound_regularisation_path(const TokenData& data, const Selection& selection,
                                                   const NormOptimum& optimum, Loss loss);

}  // namespace attest
