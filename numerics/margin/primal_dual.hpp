// What is known of the solution of a margin problem, min N(W) subject to its rows, whatever the norm N and
// whatever proved it: w* near a combination of the rows' vectors, its multipliers, its norm. Runs and
// theorems read this and not the evidence.
#pragma once

#include <memory>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/ball.hpp"

namespace attest {

class PrimalDual {
 public:
  virtual ~PrimalDual() = default;

  // The certificate's word for N: "euclidean".
  virtual const char* norm() const = 0;
  // w~ = sum value_c Delta_c with N(w~ - w*) <= primal_radius(), 0 when w~ = w*.
  virtual const ConstraintVector& primal() const = 0;
  virtual Rational primal_radius() const = 0;
  // Multipliers within dual_radius() of the optimum's, each, and of all active rows; null when only the value
  // is known.
  virtual const ConstraintVector* dual() const = 0;
  virtual Rational dual_radius() const = 0;
  // Encloses N(w*)^2, which is the sum of the multipliers.
  virtual Ball value_squared(long bits) const = 0;
};

// Null unless the problem is feasible and solved, with a gap at least. The solution must outlive the answer.
std::unique_ptr<PrimalDual> primal_dual(const MarginSolution& solution);

}  // namespace attest
