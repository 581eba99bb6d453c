#include "numerics/norms/dual_barrier.hpp"

#include <cmath>
#include <numeric>

#include "numerics/numbers/decompositions.hpp"

namespace attest {
namespace {

using Vector = Eigen::VectorXd;

constexpr double fall = 0.1;             // of mu from one centre to the next
constexpr std::size_t most_steps = 300;  // of Newton's method for one mu, few but at the first
// Newton's decrement squared, in units of mu: where full steps converge quadratically, which is near enough
// to go on, and where the last centre ends, whose W must have the margins of the path.
constexpr double close_enough = 0.02, closest = 1e-13;
constexpr std::size_t most_last_steps = 8;

class DualPath {
 public:
  DualPath(const ScaledConstraints& constraints, DualPotential& potential, const Budget& budget)
      : constraints_(constraints), potential_(potential), budget_(budget), all_(constraints.size()) {
    const auto size = static_cast<double>(all_.size());
    budget.reserve(3 * sizeof(double) * size * size, "the Hessian of the dual problem");
    std::iota(all_.begin(), all_.end(), 0);
    lambda_ = Vector::Ones(static_cast<Eigen::Index>(all_.size()));
    lambda_ *= potential_.scale(combination(lambda_), lambda_.sum());
    // A barrier's path begins near its analytic centre, where Newton's steps are full ones.
    mu_ = (potential_.barrier() ? 100 : 1) * lambda_.mean();
  }

  BarrierPoint follow(double tolerance) {
    const double size =
        static_cast<double>(all_.size()) + static_cast<double>(constraints_.d() + constraints_.e());
    BarrierPoint best;
    while (centre()) {
      const bool last = mu_ * size <= tolerance * lambda_.sum();
      if (last) centre_closely();
      best.multiplier = lambda_;
      best.dual = combination(lambda_);
      best.primal = potential_.gradient();
      best.margin = margin_;
      best.mu = mu_;
      best.steps = steps_;
      if (last) break;
      advance();
    }
    return best;
  }

 private:
  RowMatrix combination(const Vector& lambda) const { return approx_combination(constraints_, all_, lambda); }

  double barrier_value(const Vector& lambda) const {
    return potential_.value() - lambda.sum() - mu_ * lambda.array().log().sum();
  }

  // At the potential's point: the gradient, and the factor of the Hessian. False when that fails.
  bool factorise() {
    margin_ = approx_margins(constraints_, potential_.gradient());
    gradient_ = margin_.array() - 1 - mu_ / lambda_.array();
    potential_.hessian(constraints_, hessian_);
    hessian_.diagonal().array() += mu_ / lambda_.array().square();
    for (double ridge = 0; ridge < 1e-3; ridge = ridge == 0 ? 1e-15 : 100 * ridge) {
      budget_.poll();
      Eigen::MatrixXd lifted = hessian_;
      lifted.diagonal() *= 1 + ridge;
      factor_.compute(lifted);
      if (factor_.info() == Eigen::Success) return true;
    }
    return false;
  }

  // The largest part of a step that keeps multipliers positive, at most 1.
  double room(const Vector& step) const {
    const double shrink = (-step.array() / lambda_.array()).maxCoeff();
    return shrink > 0.95 ? 0.95 / shrink : 1;
  }

  // Newton's method for the present mu.
  bool centre() {
    if (!potential_.move(combination(lambda_), mu_)) return false;
    double value = barrier_value(lambda_);
    for (std::size_t step = 0; step < most_steps; ++step, ++steps_) {
      budget_.poll();
      if (!factorise()) return false;
      const Vector direction = -factor_.solve(gradient_);
      const double descent = gradient_.dot(direction);
      if (!(descent < 0) || -descent <= close_enough * mu_) return -descent <= close_enough * mu_;
      double length = room(direction);
      for (;; length /= 2) {
        if (length < 1e-12) {  // rounding has the last word
          potential_.move(combination(lambda_), mu_);
          return -descent <= mu_;
        }
        const Vector candidate = lambda_ + length * direction;
        if (!potential_.move(combination(candidate), mu_)) continue;
        const double found = barrier_value(candidate);
        if (found <= value + 0.1 * length * descent) {
          lambda_ = candidate;
          value = found;
          break;
        }
      }
    }
    return false;
  }

  // Full steps near the centre, as long as they gain.
  void centre_closely() {
    double decrement = close_enough * mu_;
    for (std::size_t step = 0; step < most_last_steps && factorise(); ++step, ++steps_) {
      budget_.poll();
      const Vector direction = -factor_.solve(gradient_);
      const double found = -gradient_.dot(direction);
      if (!(found >= closest * mu_ && found < decrement)) break;
      decrement = 0.5 * found;
      const Vector candidate = lambda_ + room(direction) * direction;
      if (!potential_.move(combination(candidate), mu_)) break;
      lambda_ = candidate;
    }
    potential_.move(combination(lambda_), mu_);
    margin_ = approx_margins(constraints_, potential_.gradient());
  }

  // Along the tangent to a smaller mu. The factor is that of the centre.
  void advance() {
    Vector change = -1 / lambda_.array();  // of the gradient by mu
    if (potential_.barrier()) change.array() += margin_.array() / mu_;
    const double next = fall * mu_;
    const Vector step = -factor_.solve(change) * (next - mu_);
    double length = room(step);
    mu_ = next;
    for (; length > 1e-3; length /= 2) {
      if (potential_.move(combination(lambda_ + length * step), mu_)) {
        lambda_ += length * step;
        break;
      }
    }
  }

  const ScaledConstraints& constraints_;
  DualPotential& potential_;
  const Budget& budget_;
  std::vector<std::size_t> all_;
  Vector lambda_, gradient_, margin_;
  Eigen::MatrixXd hessian_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  double mu_ = 1;
  std::size_t steps_ = 0;
};

}  // namespace

BarrierPoint follow_dual_path(const ScaledConstraints& constraints, DualPotential& potential,
                              double tolerance, const Budget& budget) {
  return DualPath(constraints, potential, budget).follow(tolerance);
}

}  // namespace attest
