// The range of scores.
#pragma once

#include <cstddef>
#include <utility>

#include "numerics/problem/scores.hpp"

namespace attest {

// The least and the largest of the entries [begin, end), one at least.
inline std::pair<Rational, Rational> score_range(const Scores& scores, std::size_t begin, std::size_t end) {
  std::size_t least = begin, greatest = begin;
  for (std::size_t k = begin + 1; k < end; ++k) {
    if (scores.compare(k, least) < 0) least = k;
    if (scores.compare(k, greatest) > 0) greatest = k;
  }
  return {scores[least], scores[greatest]};
}

}  // namespace attest
