// The rate shapes a run claim can be about (RUNS.md section 1).
#pragma once

#include <string_view>

#include "proofs/checker/interval.hpp"

namespace attest_check {

struct RateShape {
  std::string_view name;
  bool uses_logarithm;  // defined from t = 2 on, otherwise from t = 1
  Interval (*value)(const Interval& t);
};

// The shape of this name, or null.
const RateShape* find_rate_shape(std::string_view name);

}  // namespace attest_check
