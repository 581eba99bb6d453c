// The rate shapes a run claim can be about (RUNS.md section 1).
#pragma once

#include <string_view>

#include "proofs/checker/base/interval.hpp"

namespace attest_check {

// A step t with its functions, enclosed once for all shapes.
struct RateTime {
  explicit RateTime(std::size_t t);
  Interval step, root, log;  // t, sqrt(t), and log(t) for t > 1
};

struct RateShape {
  std::string_view name;
  bool uses_logarithm;  // defined from t = 2 on, otherwise from t = 1
  Interval (*value)(const RateTime& t);
};

// The shape of this name, or null.
const RateShape* find_rate_shape(std::string_view name);

}  // namespace attest_check
