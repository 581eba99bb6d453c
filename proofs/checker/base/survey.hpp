// What is known of all numbers of an array.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

namespace attest_check {

struct Survey {
  std::size_t first_not_finite = SIZE_MAX;  // its index
  // Is every number dyadic with a mantissa of one word? Of those that are the least exponent, or 0 if that is
  // less, and a bound of the magnitudes: less than 2^bits.
  bool all_small = true;
  std::int32_t least_exponent = 0;
  long bits = LONG_MIN / 2;

  // Adds mantissa * 2^exponent.
  void add_small(std::int64_t mantissa, std::int32_t exponent);
  // Adds what is known of other numbers.
  void add(const Survey& others);
};

// Of all processes' shares.
Survey survey_of_all(const Survey& own);

}  // namespace attest_check
