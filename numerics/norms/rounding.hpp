// From balls to the numbers of a certificate: integers over a denominator, and rationals rounded outward.
#pragma once

#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/norms/optimum.hpp"
#include "numerics/norms/precise_rows.hpp"

namespace attest {

// floor(log2 |largest middle|) up to one too large; a very small number when all are 0.
long largest_exponent(const std::vector<Ball>& values);
// The integer nearest to the middle times 2^shift.
Integer nearest_integer(const Ball& value, long shift);

// Numerators over 2^shift of the balls' middles, the largest with about `bits` bits.
struct DyadicRow {
  long shift = 0;
  std::vector<Integer> numerator;
  // The numbers as balls of radius 0.
  std::vector<Ball> balls() const;
};
DyadicRow rounded(const std::vector<Ball>& values, long bits);

// Positive multipliers at constraints, over 2^(shift - exponent); entries that are 0 are left out.
ConstraintVector written_multipliers(const IntegerConstraints& constraints,
                                     const std::vector<std::size_t>& at, const DyadicRow& values,
                                     long exponent);

// The row as a matrix, divided by `scale` > 0 rounded down to so many bits, so that it grows, and by
// 2^exponent.
WrittenMatrix written_matrix(const DyadicRow& values, std::size_t rows, std::size_t columns,
                             const Rational& scale, long bits, long exponent);

// The least of the margins, rounded down; 0 when it is not certainly positive.
Rational least_margin(const std::vector<Ball>& margins);

Rational lower_dyadic(const Ball& value, long bits);
Rational upper_dyadic(const Ball& value, long bits);

}  // namespace attest
