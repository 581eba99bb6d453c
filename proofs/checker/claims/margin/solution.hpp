// Claim kinds feasible and optimal: exact evidence (GRAMMAR.md section 4, SOUNDNESS.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct Feasible : EvidenceOf<Feasible> {
  ConstraintVector separator;

  void read(Reader& in) { separator = in.vector("separator"); }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

struct Optimal : EvidenceOf<Optimal> {
  Rational stated;  // ||W*||^2
  ConstraintVector multipliers;

  static void words(auto& say, auto& self) { say("norm-squared", self.stated); }
  void read(Reader& in) {
    words(in, *this);
    multipliers = in.vector("multipliers");
  }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
