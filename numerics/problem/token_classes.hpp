// Tokens of a group whose scores do not tell which one is to be selected.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/problem/selection_problem.hpp"

namespace attest {

// Of each group whose best score is attained more than once, all the tokens present that attain it. Exact.
std::vector<TokenClass> best_score_ties(const TokenData& data);

}  // namespace attest
