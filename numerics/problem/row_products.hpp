// Exact products of every row of a matrix with one vector, fast enough for millions of entries.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// Calls visit(sum_j matrix[r * width + j] * vector[j]) for every row r in order, exactly. matrix: rows x
// width, row-major; vector: width >= 1. Binary64 data are accumulated in fixed point, without a rational per
// term (64 terms cost about 0.5 microseconds).
void for_row_products(const ExactArray& matrix, std::size_t width, const ExactArray& vector,
                      const std::function<void(Rational)>& visit);

// result[r] = sum_j matrix[r * width + j] * vector[j], likewise.
std::vector<Rational> row_products(const ExactArray& matrix, std::size_t width, const ExactArray& vector);

}  // namespace attest
