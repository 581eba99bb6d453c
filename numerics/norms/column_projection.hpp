// What is nearly the projection onto the columns of a matrix, as a product of two matrices.
#pragma once

#include <optional>
#include <vector>

#include "numerics/norms/optimum.hpp"

namespace attest {

// C (C'C)^-1 for C = matrix, whose columns are independent, to so many bits: a guess; nothing where these
// numbers do not suffice for it.
std::optional<WrittenMatrix> dual_basis(const WrittenMatrix& matrix, long bits);

// slope (I - left right'), row by row; exact.
std::vector<Rational> across_projection(const WrittenMatrix& left, const WrittenMatrix& right,
                                        const Rational& slope);

}  // namespace attest
