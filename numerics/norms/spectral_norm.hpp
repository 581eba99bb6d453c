// Proof of an upper bound of the largest singular value, in integers.
#pragma once

#include <vector>

#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// True only if every matrix in the rows x columns balls has a spectral norm of at most `bound` > 0, with room
// for the checker's own procedure to find the same with `bits` bits (GRAMMAR.md section 8).
bool proves_spectral_norm(const std::vector<Ball>& matrix, std::size_t rows, std::size_t columns,
                          const Rational& bound, unsigned bits);

}  // namespace attest
