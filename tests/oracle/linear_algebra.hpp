// Exact dense linear algebra by fraction-free elimination (Bareiss), and a linear-programming question
// answered by the simplex method with Bland's rule.
#pragma once

#include <optional>
#include <vector>

#include "tests/oracle/dataset.hpp"

namespace reference {

using Matrix = std::vector<Row>;

// x with A x = b for a square non-singular A (aborts when A is singular).
Row solve(const Matrix& A, const Row& b);

std::size_t rank(const Matrix& A);

// True when the symmetric matrix A has no negative eigenvalue.
bool positive_semidefinite(Matrix A);

// Some x >= 0 with A x = b that maximises x_target (or makes it positive, when it is unbounded); nothing when
// no x >= 0 solves A x = b.
std::optional<Row> maximise_entry(const Matrix& A, const Row& b, std::size_t target);

}  // namespace reference
