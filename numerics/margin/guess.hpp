// A floating-point guess of the active set and multipliers of a margin problem. Nothing here is a verdict.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "numerics/margin/active_gram.hpp"
#include "numerics/margin/augmented_lagrangian.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

struct MarginGuess {
  std::vector<std::size_t> active;  // constraint numbers, increasing: proposed support
  Eigen::VectorXd multiplier;       // of the scaled problem, one for each active constraint
  bool converged = false;  // active-set iteration ended with the signs of an optimum in double precision
  std::optional<ActiveGram> gram;  // of the active set, when it could be factorised
  std::size_t sweeps = 0;          // of coordinate descent
  std::size_t factorisations = 0;
  std::optional<DualPoint> best;  // of the pairs seen: the one of least gap, else the last one
  bool vanishing = false;         // `best` is a combination that nearly vanishes: probably infeasible
};

// Block dual coordinate descent by group with W kept dense; where that does not settle, lifted Lawson-Hanson
// for small problems and the method of multipliers for large ones; then block principal pivoting on the Gram
// matrix of the active constraints (Kostreva; Portugal, Judice, Vicente). When it throws BudgetReached,
// `guess` holds what was seen.
void guess_margin_solution(const ScaledConstraints& constraints, const Budget& budget, MarginGuess& guess);

// Block principal pivoting from the active set in `guess`, at most `most_factorisations` of them.
void pivot_to_optimum(const ScaledConstraints& constraints, std::size_t most_factorisations,
                      const Budget& budget, MarginGuess& guess);

}  // namespace attest
