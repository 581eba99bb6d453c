// Claim kind norm-path: from which radius on, and how closely, the minimisers of the training loss over the
// balls of another norm follow the dual matrix of its margin problem (GRAMMAR.md section 4, T21 in
// SOUNDNESS.md section 7).
#pragma once

#include "proofs/checker/claims/norms/optimum.hpp"

namespace attest_check {

struct NormPath : EvidenceOf<NormPath> {
  Norm norm;
  Citation from;
  Rational radius, constant;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
