// The max-margin direction a run is compared with: u = w*/||w*|| of SVM(selection), in a run's own
// coordinates.
#pragma once

#include <optional>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/ball.hpp"
#include "numerics/runs/geometry.hpp"

namespace attest {

// An exact w~ = sum_i U_i z_i' with ||w~ - w*||_F <= radius, and an enclosure of ||w*||.
struct ReferenceDirection {
  Selection selection;                // of the TokenData
  std::vector<Rational> coordinates;  // groups of the geometry x d: U_i
  Rational radius;                    // 0 when w~ = w*
  Ball norm;                          // ||w*||, positive
};

// From a solved margin problem; nothing when it is infeasible, undecided or has no constraints. `bits`:
// accuracy of the norm. Throws BudgetReached.
std::optional<ReferenceDirection> reference_direction(const RunGeometry& geometry, const Selection& selection,
                                                      const MarginSolution& solution, long bits,
                                                      const Budget& budget = Budget());

}  // namespace attest
