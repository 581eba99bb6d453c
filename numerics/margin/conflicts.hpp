// Why a selection is infeasible, and how many groups that is the fault of (theory.md T19(c,d)): conflicts
// that share no group say how many must go at least, a set of groups without which the rest is separable how
// many at most.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// A few rows that no W separates, with their exact Farkas vector: numerators > 0, sum value_c Delta_c = 0.
struct Conflict {
  ConstraintVector farkas;
  std::vector<std::size_t> groups;  // that the rows lie in, increasing
};

// The groups that are left out, and some W with all margins of all others >= 1.
struct DropSet {
  std::vector<std::size_t> groups;  // increasing
  ConstraintVector separator;       // signed coefficients: W = sum value_c Delta_c
};

}  // namespace attest
