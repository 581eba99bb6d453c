// Claim kind norm-solution: the only matrix of least nuclear norm with margins of at least 1, its rank and
// its support (GRAMMAR.md section 4, T24 in SOUNDNESS.md section 8).
#pragma once

#include "proofs/checker/claims/norms/optimum.hpp"

namespace attest_check {

// The solution is left right' of exact factors that are within `radius` of those given, as the equations of
// T24 at (K, Q, multipliers, 0) show.
struct NuclearSolution : EvidenceOf<NuclearSolution> {
  Norm norm;  // nuclear
  std::size_t rank = 0;
  Rational distance;
  GivenMatrix primal;            // K and Q, of `rank` columns
  ExactMatrix inverse;           // e x rank; times Q' nearly the projection onto Q's columns
  ConstraintVector multipliers;  // at the support
  // What bounds the square roots of: |K|^2 + |Q|^2, the sum of ||Delta_c||^2 over the support, |F|^2 and
  // |inverse|^2.
  Rational radius, factors, rows, residual, inverse_norm;
  Rational smallest, columns, dual_bound, slope;  // of L L', of K'K + Q'Q, and as in norm-near-rank
  unsigned bits = 0;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
