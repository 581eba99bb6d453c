// The exact answer to SVM(choice): minimise ||w|| subject to <Delta_c, w> >= 1 for every constraint c.
//
// The solver is the dual active-set method of Goldfarb and Idnani (1983) with lowest-index choices, over the
// rationals. Every answer is checked against the optimality conditions (or Gordan's alternative) on the dense
// vectors before it is returned; a wrong answer aborts.
#pragma once

#include <optional>
#include <vector>

#include "tests/oracle/dataset.hpp"

namespace reference {

struct MarginAnswer {
  std::vector<Pair>
      constraints;  // every (group, token) with token not selected, increasing; of equal tokens the first
  std::vector<Row> differences;  // Delta_c, dense, one per constraint
  std::vector<Number> gaps;      // score_gap, one per constraint
  bool feasible = false;
  Row farkas;                        // infeasible: >= 0, not zero, sum farkas_c Delta_c = 0
  Row multipliers;                   // feasible: >= 0, one solution
  Row solution;                      // feasible: w*, dense
  Number norm_squared;               // feasible
  std::vector<Number> margins;       // feasible: <Delta_c, w*>
  std::vector<std::size_t> support;  // feasible: positions in `constraints` with margin exactly 1
  std::size_t solution_rank = 0;     // feasible: rank of w* as a matrix
  bool locally_optimal = false;
  bool globally_optimal = false;  // selected token is the strict argmax of its group, for every group

  std::optional<std::size_t> position(const Pair& constraint) const;
  // sum_c coefficients_c Delta_c, dense.
  Row combination(const Row& coefficients) const;
};

MarginAnswer solve_margin(const Dataset& data, const Choice& choice);

// Whether some multiplier vector of the feasible problem is positive at support constraint `position`: exact
// linear programming on the support's Gram matrix.
bool multiplier_can_be_positive(const MarginAnswer& answer, std::size_t position);

// Whether some multiplier vector is positive on all of the support (feasible problems).
bool strictly_complementary(const MarginAnswer& answer);

}  // namespace reference
