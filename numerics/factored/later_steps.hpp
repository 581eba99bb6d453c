// What holds at all later steps of gradient descent on (K,Q), from one point (proofs/statements/FACTORED.md,
// theorem T22): the loss tends to its infimum, and the margin keeps a share of the size of the factors, and
// so of the best margin there is in the nuclear norm. Nothing is said of the limit of W/||W||. Symbols:
// proofs/statements/GLOSSARY.md.
#pragma once

#include <optional>
#include <string>

#include "numerics/factored/observer.hpp"

namespace attest {

// Enclosures of the theorem's constants at the point, S = L - L*, t0 its step.
struct FactoredLaterSteps {
  Ball loss_gap;        // S at t0
  Ball loss_growth;     // mu: S_t <= 1/(1/S_t0 + mu (t - t0))
  Ball margin_floor;    // a: every margin is at least a (||K_t||^2 + ||Q_t||^2)/2 >= a ||W_t||_*
  Ball share;           // a over the best margin in the nuclear norm; not finite where that is not known
  Ball excess;          // E
  Ball level;           // l
  Ball balance_drift;   // of K'K - Q'Q in the nuclear norm, over all later steps together
  Selection selection;  // the best tokens, to which all attention goes
  Ball attention;       // s of the best token of every group, at least
};

// Of constant steps of gd. Nothing, with the reason, where the theorem does not apply at this point.
std::optional<FactoredLaterSteps> factored_later_steps(const TokenData& data, const Features& features,
                                                       const FactoredSpec& spec, const FactoredLimits& limits,
                                                       const FactoredObservation& seen, std::string& reason);

}  // namespace attest
