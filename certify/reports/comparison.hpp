// What the comparison of a recorded run with the exact one tells.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/comparison.hpp"
#include "certify/reports/json.hpp"

namespace attest {

// The key `comparison` of a run.
Json json_comparison(const Comparison& comparison);

// A statement and what it says: "leaves the exact run", "by more than 1/100 of ||W_t|| from step 80 on, ...".
struct ComparisonLine {
  std::string what, value;
};

// For people: what was compared, from where on it is elsewhere, its norm at the last step, the tokens it
// selects.
std::vector<ComparisonLine> comparison_lines(const Comparison& comparison);

}  // namespace attest
