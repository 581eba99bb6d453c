// Claim kind mirror-forever: where mirror descent goes from a step of a run on (GRAMMAR.md section 4, T17).
#pragma once

#include "proofs/checker/claims/mirror/region.hpp"
#include "proofs/checker/claims/mirror/run.hpp"
#include "proofs/checker/claims/norms/support.hpp"

namespace attest_check {

struct MirrorForever : EvidenceOf<MirrorForever> {
  Norm norm;
  Citation support, run;
  std::size_t step = 0;
  MirrorConclusion conclusion;
  ConstraintVector multipliers;  // about mu
  EigenvalueBound eigenvalue;    // of the Gram matrix of the support
  MirrorRegionPlan plan;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;

 private:
  std::vector<Interval> enclosed_multipliers(const Claim& claim, const MirrorDirection& direction) const;
};

}  // namespace attest_check
