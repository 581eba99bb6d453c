// Claim kinds norm-support-within and norm-locally-optimal: which constraints can have margin 1 at the
// solution in a strictly convex norm (GRAMMAR.md section 4, SOUNDNESS.md section 8).
#pragma once

#include "proofs/checker/claims/norms/optimum.hpp"

namespace attest_check {

// All constraints with margin 1 at the solution are among those listed.
struct NormSupportWithin : EvidenceOf<NormSupportWithin> {
  Norm norm;
  Citation from;
  std::vector<Constraint> listed;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

struct NormSupportFact : Fact {
  const NormSupportWithin* said = nullptr;
};

// All of them have a positive score gap.
struct NormLocallyOptimal : EvidenceOf<NormLocallyOptimal> {
  Norm norm;
  Citation from;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
