// Exact solution of a square integer system by p-adic (Dixon) lifting on a word-size prime.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// A rational vector with one shared denominator: entry j is numerator[j] / denominator, denominator > 0. The
// content of all of them together is 1.
struct SharedVector {
  Integer denominator = 1;
  std::vector<Integer> numerator;
};

// The solution of A x = b, A the k x k row-major integer matrix, or nothing when A is singular modulo every
// one of a few fixed primes near 2^60 (then it is singular, or unlucky with probability about k 2^-60 for
// each prime).
//
// The result is proved, not only reconstructed: with q x = n modulo p^m and |A n - q b| < p^m entrywise the
// two sides, which agree modulo p^m, are equal. Cost O(k^3) words once, then O(k^2 words(A)) for each 60-bit
// digit; the solution of a k x k Gram system with B-bit entries has about 0.9 k B bits.
std::optional<SharedVector> solve_exactly(const std::vector<Integer>& matrix,
                                          std::span<const Integer> right_side, const Budget& budget);

// Seconds solve_exactly is predicted to take for a k x k Gram system with entries of `bits` bits; a guess,
// used to choose between tiers and to refuse hopeless work early.
double predicted_solve_seconds(std::size_t k, std::size_t bits);

}  // namespace attest
