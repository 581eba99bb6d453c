// Claim kind optimal-enclosure: the solution of the margin problem within a distance (GRAMMAR.md section 4,
// SOUNDNESS.md).
#pragma once

#include <variant>

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// Form gap: a feasible matrix and dual multipliers.
struct GapEvidence {
  Rational lo, hi;  // of ||W*||^2
  Rational distance_squared;
  ConstraintVector primal, dual;

  static void words(auto& say, auto& self) {
    say("norm-squared", self.lo, self.hi, "distance-squared", self.distance_squared);
  }
};

// Form lambda-min: the support with multipliers near the solution's.
struct BallEvidence {
  Rational lo, hi;  // of ||W*||^2
  Rational radius, multiplier_radius;
  EigenvalueBound eigenvalue;
  ConstraintVector multipliers;

  static void words(auto& say, auto& self) {
    say("norm-squared", self.lo, self.hi, "radius", self.radius);
    say("multiplier-radius", self.multiplier_radius);
  }
};

struct OptimalEnclosure : EvidenceOf<OptimalEnclosure> {
  std::variant<GapEvidence, BallEvidence> form;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
