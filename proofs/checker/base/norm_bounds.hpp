// Upper bounds of norms of an exact matrix, in integers with directed roundings: entrywise l_r norms with a
// rational exponent, and the spectral norm. The procedures are stated in GRAMMAR.md section 8 and proved in
// SOUNDNESS.md section 8.
#pragma once

#include <cstddef>
#include <vector>

#include "proofs/checker/base/exact.hpp"

namespace attest_check {

// Row-major entries numerator / denominator.
struct ExactMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<Integer> numerator;
  Integer denominator = 1;

  Rational entry(std::size_t k) const { return fraction(numerator[k], denominator); }
  // Sum of the squares, and of the magnitudes; the largest magnitude.
  Rational norm_squared() const;
  Rational sum_of_magnitudes() const;
  Rational largest_magnitude() const;
};

// True only if sum |entry|^exponent <= bound^exponent. exponent > 1, bound > 0; `bits` fractional bits.
bool power_norm_at_most(const ExactMatrix& matrix, const Rational& exponent, const Rational& bound,
                        unsigned bits);

// True only if the largest singular value is at most `bound` > 0.
bool spectral_norm_at_most(const ExactMatrix& matrix, const Rational& bound, unsigned bits);

}  // namespace attest_check
