// Claim kind smoothness: an explicit Lipschitz constant of the training loss's gradient (GRAMMAR.md section
// 4, SOUNDNESS.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct Smoothness : EvidenceOf<Smoothness> {
  Rational beta;

  static void words(auto& say, auto& self) { say("beta", self.beta); }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
