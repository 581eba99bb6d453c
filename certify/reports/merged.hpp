// Which tokens of an instance are equal, as the answers tell it.
#pragma once

#include <string>
#include <vector>

#include "certify/reports/json.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// [[group, [tokens]], ...], complete.
Json json_merged(const std::vector<TokenClass>& merged);

// "5 tokens merged into equal ones, in 2 sequences: sequence 0 (1 3 4), ...", the first few; empty when there
// are none.
std::string merged_text(const std::vector<TokenClass>& merged);

}  // namespace attest
