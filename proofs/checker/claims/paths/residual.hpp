// Claim kind path-residual: from which radius on, and how close, the minimisers of the training loss over
// balls stay to the ray through W* (GRAMMAR.md section 4, SOUNDNESS.md section 7).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct PathResidual : EvidenceOf<PathResidual> {
  Citation from;
  Rational radius, residual;
  EigenvalueBound eigenvalue;  // of the Gram matrix of the support
  ConstraintVector pull;       // p = sum pull_c Delta_c, nearly

  static void words(auto& say, auto& self) {
    say("from", self.from, "from-radius", self.radius, "residual", self.residual);
  }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
