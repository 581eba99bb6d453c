// The rank of all solutions of a margin problem in the nuclear norm, as far as the dual matrix of an optimum
// that is nearly one proves it.
#pragma once

#include <optional>

#include "numerics/norms/optimum.hpp"

namespace attest {

// What the claim norm-near-rank shows (GRAMMAR.md section 4): with M the optimum's combination of
// multipliers, P = left right' and x any vector, |M x / dual_bound|^2 + slope^2 |x - P x|^2 <= |x|^2; so
// every W with margins >= 1 and a nuclear norm of at most value.hi differs from W P' by at most distance.
struct NearRankEvidence {
  Rational distance;
  WrittenMatrix left, right;
  Rational dual_bound, slope, step;
  unsigned bits = 0;
};

// Every solution is this near, in the nuclear norm, to a matrix of this rank.
struct NearRank {
  std::size_t rank = 0;
  Rational distance;
  // Of a larger distance that a checker finds without singular values; nothing where none is small, or where
  // no solution has a larger rank anyway.
  std::optional<NearRankEvidence> evidence;
};

// From the singular values of the optimum's M over its bound B: with s_i those of rank + 1 and more at most s
// < 1, every solution W of singular values sigma_i has LO <= <M/B, W> <= sum sigma_i - (1 - s) sum_{i > rank}
// sigma_i (von Neumann), so the last sum is at most (HI - LO)/(1 - s). Nothing where s is not proved to be
// below 1, or the bound is not below LO.
std::optional<NearRank> near_rank(const TokenData& data, const Selection& selection,
                                  const NormOptimum& optimum);

}  // namespace attest
