// Exact products of every row of a matrix with one vector, fast enough for millions of entries.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// result[r] = sum_j matrix[r * width + j] * vector[j], exactly. matrix: rows x width, row-major; vector:
// width >= 1. Binary64 data are accumulated in fixed point, without a rational per term (64 terms cost about
// 0.5 microseconds).
std::vector<Rational> row_products(const ExactArray& matrix, std::size_t width, const ExactArray& vector);

}  // namespace attest
