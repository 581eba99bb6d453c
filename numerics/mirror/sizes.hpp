// Sizes of enclosed numbers, for the searches and proofs of this folder.
#pragma once

#include <algorithm>
#include <limits>

namespace attest {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most_pair_entries = 4e6;  // of differences of two constraint vectors

// At least |x|; `low` and `high` are the number's ends.
template <typename Number>
double size_above(const Number& x) {
  return std::max(-low(x), high(x));
}

}  // namespace attest
