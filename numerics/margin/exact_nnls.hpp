// Non-negative least squares over the rationals: Lawson-Hanson pivoting with exact solves.
//
// Minimise ||sum_j u_j E_j - f|| over u_j >= 0 (u_j of any sign for free columns), given only inner products.
// The entering column is never dependent on the passive set and the objective strictly drops from one passive
// set to the next, so the method is finite and cannot cycle, whatever ties, duplicates or rank deficiencies
// the data have.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/exact_linear_solve.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// All callbacks are exact. Columns are numbered 0 .. columns - 1.
struct LeastSquaresProblem {
  std::size_t columns = 0;
  std::size_t inner_bits = 0;  // upper bound of the bits of any inner product
  // k x k row-major <E_i, E_j> over the columns listed (any order).
  std::function<std::vector<Integer>(std::span<const std::size_t>)> gram;
  // <E_j, f>.
  std::function<Integer(std::size_t)> target;
  // denominator * <E_j, f - sum_k (numerator_k / denominator) E_at[k]> for every column j; `at` strictly
  // increasing.
  std::function<std::vector<Integer>(std::span<const std::size_t> at, const SharedVector& value)> price;
  // Columns that must not be entered (empty: all may be).
  std::vector<bool> excluded;
  // Linearly independent columns whose coefficient may have any sign; they stay in the passive set.
  std::vector<std::size_t> free;
};

struct LeastSquaresSolution {
  std::vector<std::size_t> at;  // passive columns, strictly increasing; linearly independent
  SharedVector value;           // their coefficients; non-zero, and positive on columns that are not free
  std::vector<Integer> price;   // of every column, there; zero where it is normal to the residual
  bool exact_fit = false;       // the residual is zero
  std::size_t pivots = 0;       // exact solves made
};

// The minimiser (of which the fitted vector is unique, the coefficients need not be). `start` proposes
// passive columns; any dependent, excluded or negative ones among them are dropped first. `norm_squared` is
// <f, f>. Throws BudgetReached.
LeastSquaresSolution solve_nonnegative_least_squares(const LeastSquaresProblem& problem,
                                                     const Integer& norm_squared,
                                                     std::vector<std::size_t> start, const Budget& budget);

}  // namespace attest
