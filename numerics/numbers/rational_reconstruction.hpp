// Fractions from their residues.
#pragma once

#include <optional>

#include "numerics/numbers/rational.hpp"

namespace attest {

// The least q > 0 with |q value - k modulus| <= N for a whole k, N = floor(sqrt((modulus - 1) / 2)), when q
// <= N and that numerator is coprime to q; 0 <= value < modulus. A fraction n/q in lowest terms, |n| <= N and
// q <= N, is found from its residue. Lehmer's variant of Euclid's algorithm: quadratic in the bits, a word at
// a time.
std::optional<Integer> reconstruct_denominator(const Integer& value, const Integer& modulus);

}  // namespace attest
