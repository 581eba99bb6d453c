// Enclosures of real numbers as plain decimal strings, rounded outward in exact integer arithmetic.
#pragma once

#include <cstddef>
#include <string>

#include "numerics/margin/solution.hpp"

namespace attest {

struct DecimalEnclosure {
  std::string lo, hi;  // "0.00123..." without exponent; "Infinity" is possible
};

// [sqrt(squared.lo), sqrt(squared.hi)], 0 <= lo <= hi, with `digits` significant digits.
DecimalEnclosure decimal_square_root(const Interval& squared, std::size_t digits);

// [1/sqrt(squared.hi), 1/sqrt(squared.lo)]; an end at 0 becomes "Infinity".
DecimalEnclosure decimal_inverse_square_root(const Interval& squared, std::size_t digits);

// The digits both ends share, for people: "0.001234..." or lo when they agree.
std::string shared_digits(const DecimalEnclosure& enclosure, std::size_t most_digits);

}  // namespace attest
