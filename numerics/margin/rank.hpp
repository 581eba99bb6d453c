// The exact rank of W*, with evidence a checker can repeat (certificate claim `rank`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/margin/solution.hpp"

namespace attest {

// Lower bound: rank of W* modulo a prime (exact optimum), or lambda_min(B'B) > radius^2 for columns B
// (enclosure). Upper bound: a count or the rank of small exact data.
struct RankEvidence {
  enum class Lower { none, modulus, lambda_min };
  enum class Upper { groups, left_dimension, right_dimension, queries, tokens, elimination };

  std::size_t rank = 0;
  Lower lower = Lower::none;
  std::uint64_t modulus = 0;         // Lower::modulus
  Rational lambda_min;               // Lower::lambda_min, a proved dyadic bound
  std::vector<std::size_t> columns;  // Lower::lambda_min, strictly increasing
  Upper upper = Upper::groups;
};

// The rank of W* with evidence, when both bounds are found and meet; exact. `solution` must hold `exact` or
// `enclosed`. Throws BudgetReached, before an elimination that would not end in time too.
std::optional<RankEvidence> rank_of_optimum(const TokenData& data, const Selection& selection,
                                            const MarginSolution& solution, const Budget& budget = Budget());

}  // namespace attest
