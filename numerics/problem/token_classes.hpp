// Tokens of a group that cannot be told apart: by their features, whatever W is, or by the best score.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/problem/selection_problem.hpp"

namespace attest {

// Tokens of one group that have something in common: two at least, increasing.
struct TokenClass {
  std::size_t group = 0;
  std::vector<std::size_t> tokens;
  friend bool operator==(const TokenClass&, const TokenClass&) = default;
};

// Tokens with equal feature rows (of X; of K in prompt problems), hence equal logits for every W (theory.md
// T18). Classes by group, then by their least token. Exact; O(total tokens d).
std::vector<TokenClass> equal_token_classes(const TokenData& data);

// Of each group whose best score is attained more than once, all the tokens that attain it. Exact.
std::vector<TokenClass> best_score_ties(const TokenData& data);

}  // namespace attest
