// What a linear scan of the rows of a margin problem says: rows that are zero, and pairs of opposite rows.
// Either proves it infeasible (theory.md T4, T19(c)), and explains it best.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// A few rows that no W separates, with their exact Farkas vector: numerators > 0 (rows = 0: any sign),
// positive on a row >= 1, sum value_c Delta_c = 0.
struct Conflict {
  ConstraintVector farkas;
  std::vector<std::size_t> groups;  // that the rows lie in, increasing
};

struct MarginPrescan {
  std::vector<std::size_t> zero_queries;  // groups that have rows and z_i = 0, increasing: all of them
  std::vector<Constraint> zero_rows;      // rows >= 1 with Delta_c = 0, increasing: all of them
  // No group is in two of these. First one zero row of every group that has one, then pairs of opposite rows
  // (Delta_a = -k Delta_b, k > 0; a row = 0 is opposite to itself) of one group, then of two groups; as many
  // of each kind as there are when the kinds before are taken first and rows of equal direction are matched
  // in order.
  std::vector<Conflict> conflicts;
};

// Exact, deterministic. Every zero row and, unless two fingerprints modulo 2^61 - 1 collide, every direction
// with opposite rows is seen. Time O(tokens d + groups e + rows log rows).
MarginPrescan prescan_margin_problem(const TokenData& data, const Selection& selection, const Budget& budget);

// The same for rows of any sense, as solve_margin_rows() takes them.
MarginPrescan prescan_margin_rows(const TokenData& data, const std::vector<MarginRow>& rows,
                                  const Budget& budget);

// The conflict of a Farkas vector.
Conflict make_conflict(ConstraintVector farkas);

}  // namespace attest
