// T12 and T12n: lock-in by loss (DYNAMICS.md section 7). Once the loss is so small that no group can afford
// to leave its best token, descent alone keeps every later step there; no attention has to be saturated yet.
#pragma once

#include <optional>

#include "numerics/forever/forever_proof.hpp"

namespace attest {

// Do the hypotheses seem to hold, and, with `dominating`, to keep more than half of every group's attention
// on the selected token? A guess, cheap enough for every step.
bool seems_locked_in(const SelectionFacts<double>& facts, const StartPoint<double>& start,
                     const LaterSteps& steps, bool dominating);

// T12 for gradient descent with steps of at most 1/beta (T6), T12n for normalised gradient descent; other
// rules and selections that are not the unique best tokens: nothing. Every hypothesis is certified.
std::optional<ForeverProof> prove_lock_in(const SelectionFacts<BallNumber>& facts,
                                          const StartPoint<BallNumber>& start, const LaterSteps& steps);

}  // namespace attest
