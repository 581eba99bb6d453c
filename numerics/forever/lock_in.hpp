// T12 and T12n: lock-in by loss (DYNAMICS.md section 7). Once the loss is so small that no group can afford
// to leave its best token, descent alone keeps every later step there; no attention has to be saturated yet.
#pragma once

#include <optional>

#include "numerics/forever/theorem.hpp"

namespace attest {

// Is there a lock-in of this selection and its head by steps of this length?
template <typename Number>
bool locks_in(const SelectionFacts<Number>& facts, StepLength length) {
  return facts.least_loss && without_loss_gap(length);
}

// Both: selections that are the unique best tokens. The evidence is in the floors of the proof's conclusion.

// T12: gradient descent with steps of at most 1/beta (T6).
struct LockIn {
  static constexpr TheoremFamily family = TheoremFamily::lock_in;
  static constexpr const char* name = "T12";
  static constexpr bool sharp = false;
  static std::optional<ForeverProof> prove(const TheoremPoint& point);
};

// T12n: normalised gradient descent.
struct NormalisedLockIn {
  static constexpr TheoremFamily family = TheoremFamily::lock_in;
  static constexpr const char* name = "T12n";
  static constexpr bool sharp = false;
  static std::optional<ForeverProof> prove(const TheoremPoint& point);
};

}  // namespace attest
