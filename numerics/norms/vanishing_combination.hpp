// Which of some inequalities <row, x> >= 0 are equalities wherever they hold on a subspace, with a proof.
#pragma once

#include <optional>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/integer_constraints.hpp"

namespace attest {

// sum equal_k equations_k + sum positive_k inequalities_k = 0; no positive_k is negative, and some are not 0:
// then these inequalities are equalities where the equations hold.
struct VanishingCombination {
  std::vector<Integer> equal, positive;
};

// `kernel` is a basis, not empty, of the x with <row, x> = 0 for all equations, which are some. A linear
// program in doubles proposes, what is returned is exact; nothing where none is found. Throws BudgetReached.
std::optional<VanishingCombination> vanishing_combination(
    const std::vector<std::vector<Integer>>& equations, const std::vector<std::vector<Integer>>& inequalities,
    const std::vector<std::vector<Integer>>& kernel, const Budget& budget);

}  // namespace attest
