// The range of scores.
#pragma once

#include <cstddef>
#include <utility>

#include "numerics/problem/scores.hpp"

namespace attest {

// The least and the largest of the entries [begin, end), one at least.
inline std::pair<Rational, Rational> score_range(const Scores& scores, std::size_t begin, std::size_t end) {
  std::pair<Rational, Rational> range{scores[begin], scores[begin]};
  for (std::size_t k = begin + 1; k < end; ++k) {
    Rational score = scores[k];
    if (score < range.first) {
      range.first = std::move(score);
    } else if (score > range.second) {
      range.second = std::move(score);
    }
  }
  return range;
}

}  // namespace attest
