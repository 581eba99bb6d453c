// Claim kind regularisation-path: from which radius on, and how closely, the minimisers of the training loss
// over balls follow the direction of W* (GRAMMAR.md section 4, T21 in SOUNDNESS.md section 7).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct RegularisationPath : EvidenceOf<RegularisationPath> {
  Citation from;
  Rational radius, constant;

  static void words(auto& say, auto& self) {
    say("from", self.from, "from-radius", self.radius, "rate-constant", self.constant);
  }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
