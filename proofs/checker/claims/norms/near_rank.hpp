// Claim kind norm-near-rank: every matrix with margins of at least 1 and nearly the least nuclear norm is
// near one of small rank (GRAMMAR.md section 4, SOUNDNESS.md section 8).
#pragma once

#include "proofs/checker/claims/norms/optimum.hpp"

namespace attest_check {

// M = W(multipliers), which `dual` is transposed, and, below it, scale (I - left right'): transposed, so that
// a row is a column of both. left and right are e x any.
ExactMatrix stacked(const ExactMatrix& dual, const Rational& scale, const ExactMatrix& left,
                    const ExactMatrix& right);

struct NearRank : EvidenceOf<NearRank> {
  Norm norm;  // nuclear
  Citation from;
  std::size_t rank = 0;
  Rational distance;
  ExactMatrix left, right;  // e x rank
  Rational dual_bound, slope, step;
  unsigned bits = 0;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
