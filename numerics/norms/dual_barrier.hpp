// Guesses of the solution of a margin problem in any norm, in doubles: the path of minimisers of
// potential(M(lambda)) - sum lambda - mu sum log lambda over lambda > 0 as mu falls, M(lambda) = sum lambda_c
// Delta_c. Newton steps with line search, and the path's tangent from one mu to the next. On the path the
// gradient W of the potential at M has margins 1 + mu / lambda_c. Nothing here is a verdict.
#pragma once

#include <Eigen/Core>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

// A convex function of M that stands for the dual norm: (1/q)||M||_q^q, or mu times a barrier of its unit
// ball.
class DualPotential {
 public:
  virtual ~DualPotential() = default;
  // Moves to M. False when M is outside the domain.
  virtual bool move(const RowMatrix& m, double mu) = 0;
  virtual double value() const = 0;
  virtual const RowMatrix& gradient() const = 0;
  // <Delta_c, D2 Delta_c'> for c' <= c.
  virtual void hessian(const ScaledConstraints& constraints, Eigen::MatrixXd& result) const = 0;
  // Is it proportional to mu?
  virtual bool barrier() const = 0;
  // A factor t for which t M is well inside the domain and near the least value on the ray with this sum of
  // multipliers.
  virtual double scale(const RowMatrix& m, double sum) const = 0;
};

struct BarrierPoint {
  Eigen::VectorXd multiplier, margin;
  RowMatrix dual, primal;  // M(multiplier), and the potential's gradient there
  double mu = 0;
  std::size_t steps = 0;
};

// Follows the path until mu (constraints + d + e) is below tolerance x the sum of the multipliers, or no
// progress is made.
BarrierPoint follow_dual_path(const ScaledConstraints& constraints, DualPotential& potential,
                              double tolerance, const Budget& budget);

}  // namespace attest
