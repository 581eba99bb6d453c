// Claim kind margin-at-most: what is feasible has a norm of at least 1 / bound (GRAMMAR.md section 4,
// SOUNDNESS.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct MarginAtMost : EvidenceOf<MarginAtMost> {
  Rational bound;
  ConstraintVector combination;

  static void words(auto& say, auto& self) { say("bound", self.bound); }
  void read(Reader& in) {
    words(in, *this);
    combination = in.vector("combination");
  }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
