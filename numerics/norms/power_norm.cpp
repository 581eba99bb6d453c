// Entrywise norms ||W||_p, 1 < p: the dual problem is to maximise sum lambda - (1/q)||M(lambda)||_q^q over
// lambda >= 0, and W = sign(M)|M|^(q-1) at its solution. A path of doubles guesses the active constraints,
// Newton's method makes their margins 1 to any precision, and what comes out is scaled until it is feasible
// and measured on both sides (theory.md T5).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/norms/active_multipliers.hpp"
#include "numerics/norms/dual_barrier.hpp"
#include "numerics/norms/entrywise_hessian.hpp"
#include "numerics/norms/prepared_problem.hpp"
#include "numerics/norms/rounding.hpp"
#include "numerics/numbers/decompositions.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

constexpr double potential_tolerance = 1e-8;
constexpr double least_condition = 1e-11;       // of a Hessian whose constraints are independent
constexpr std::size_t most_choices = 12;        // of choosing the active constraints
constexpr std::size_t most_newton_steps = 400;  // Newton steps of one choice

double as_double(const Rational& value) {
  return mpq_get_d(value.backend().data());
}

unsigned long small(const Integer& value) {
  return value.convert_to<unsigned long>();
}

// (1/q)||M||_q^q.
class PowerPotential final : public DualPotential {
 public:
  explicit PowerPotential(double q) : q_(q) {}

  bool move(const RowMatrix& m, double) override {
    const auto size = m.array().abs();
    value_ = size.pow(q_).sum() / q_;
    gradient_ = m.array().sign() * size.pow(q_ - 1);
    // Second derivatives are infinite at 0 for q < 2: bounded there, so that a step stays a step.
    const double least = 1e-12 * size.maxCoeff();
    weight_ = (q_ - 1) * size.max(least).pow(q_ - 2);
    return std::isfinite(value_);
  }
  double value() const override { return value_; }
  const RowMatrix& gradient() const override { return gradient_; }
  void hessian(const ScaledConstraints& constraints, Eigen::MatrixXd& result) const override {
    entrywise_hessian(constraints, weight_, result);
  }
  bool barrier() const override { return false; }
  double scale(const RowMatrix& m, double sum) const override {
    return std::pow(sum / m.array().abs().pow(q_).sum(), 1 / (q_ - 1));
  }
  const RowMatrix& weight() const { return weight_; }

 private:
  double q_, value_ = 0;
  RowMatrix gradient_, weight_;
};

// |x|^(power/order) for every x in the ball; 0 <= result.
Ball magnitude_power(const Ball& x, unsigned long power, unsigned long order, long bits) {
  Ball size = abs(x);
  const bool touches = !certainly_positive(size);
  if (touches) {  // between 0 and the value at the end
    arf_t end;
    arf_init(end);
    arb_get_abs_ubound_arf(end, x.raw(), bits);
    arb_set_arf(size.raw(), end);
    arf_clear(end);
  }
  if (arb_is_zero(size.raw()) != 0) return Ball();
  Ball result;
  arb_root_ui(result.raw(), size.raw(), order, bits);
  arb_pow_ui(result.raw(), result.raw(), power, bits);
  return touches ? hull(Ball(0), result, bits) : result;
}

class PowerSolver {
 public:
  PowerSolver(const PreparedProblem& problem, NormAnswer& answer)
      : problem_(problem),
        answer_(answer),
        p_(problem.request.norm.exponent),
        q_(problem.request.norm.dual_exponent()),
        bits_(problem.gap_bits() + 96),
        rows_(problem.constraints, problem.scaled.exponent, bits_),
        potential_(as_double(q_)) {
    answer_.precision_bits = bits_;
  }

  void run() {
    start_from(problem_.near);
    const BarrierPoint point =
        follow_dual_path(problem_.scaled, potential_, potential_tolerance, problem_.budget);
    if (point.multiplier.size() == 0) return;
    answer_.path = "barrier";
    start(point);
    evaluate();
    prove();
    answer_.path = "barrier+newton";
    for (std::size_t round = 0; round < most_choices; ++round) {
      refine();
      evaluate();
      prove();
      const Ball nearly_one = sub(Ball(1), scale_by_power_of_two(Ball(1), 24 - bits_), 64);
      if (!choose_again(active_, lambda_, margin_, nearly_one)) break;
    }
  }

 private:
  // The Euclidean solution: an interval to begin with.
  void start_from(const std::vector<double>& multipliers) {
    active_.clear();
    lambda_.clear();
    for (std::size_t c = 0; c < multipliers.size(); ++c) {
      if (multipliers[c] <= 0) continue;
      active_.push_back(c);
      lambda_.emplace_back(multipliers[c]);
    }
    answer_.path = "euclidean";
    primal_ = rows_.combination(active_, lambda_);
    prove();
    active_.clear();
    lambda_.clear();
  }

  // Constraints whose multiplier outweighs their slack.
  void start(const BarrierPoint& point) {
    const double largest = point.multiplier.maxCoeff();
    for (Eigen::Index c = 0; c < point.multiplier.size(); ++c) {
      if (point.multiplier[c] / largest <= point.margin[c] - 1) continue;
      active_.push_back(static_cast<std::size_t>(c));
      lambda_.emplace_back(point.multiplier[c]);
    }
  }

  // M, W and all margins at the multipliers: middles only.
  void evaluate() {
    dual_ = rows_.combination(active_, lambda_);
    forget_radii(dual_);
    primal_.clear();
    const Rational power = 1 / (p_ - 1);
    for (const Ball& x : dual_) {
      const Ball size = magnitude_power(x, small(numerator(power)), small(denominator(power)), bits_);
      primal_.push_back(arf_sgn(arb_midref(x.raw())) < 0 ? neg(size) : size);
    }
    forget_radii(primal_);
    margin_ = rows_.margins(primal_);
  }

  // 1 - margin at the active constraints, and the exponent of the largest.
  long residuals(std::vector<Ball>& residual) const {
    residual.clear();
    for (const std::size_t c : active_) residual.push_back(sub(Ball(1), margin_[c], bits_));
    return largest_exponent(residual);
  }

  bool factorise() {
    RowMatrix m(problem_.scaled.d(), problem_.scaled.e());
    for (std::size_t k = 0; k < dual_.size(); ++k) m.data()[k] = dual_[k].approx_mid();
    potential_.move(m, 0);
    Eigen::MatrixXd all;
    potential_.hessian(problem_.scaled, all);
    const auto size = static_cast<Eigen::Index>(active_.size());
    Eigen::MatrixXd own(size, size);
    for (Eigen::Index k = 0; k < size; ++k) {
      for (Eigen::Index j = 0; j < size; ++j) {
        own(k, j) = all(static_cast<Eigen::Index>(active_[static_cast<std::size_t>(k)]),
                        static_cast<Eigen::Index>(active_[static_cast<std::size_t>(j)]));
      }
    }
    scale_ = own.diagonal().cwiseSqrt().cwiseInverse();
    if (!scale_.allFinite()) return false;
    own = scale_.asDiagonal() * own * scale_.asDiagonal();
    factor_.compute(own);
    dependent_ = factor_.info() != Eigen::Success || factor_.rcond() < least_condition;
    if (dependent_) {
      least_squares_.setThreshold(least_condition);
      least_squares_.compute(own);
    }
    return true;
  }

  // Newton's step; where active constraints depend on each other, the least one.
  Eigen::VectorXd step_for(const Eigen::VectorXd& residual) const {
    const Eigen::VectorXd right = scale_.asDiagonal() * residual;
    Eigen::VectorXd found;
    if (dependent_) {
      found = least_squares_.solve(right);
    } else {
      found = factor_.solve(right);
    }
    return scale_.asDiagonal() * found;
  }

  // Newton's method for margins 1 on the active constraints, with the Hessian's factor in doubles: each step
  // gains what that factor is worth, and a step that gains nothing is the last.
  void refine() {
    evaluate();
    std::vector<Ball> residual;
    long size = residuals(residual);
    for (std::size_t step = 0, fruitless = 0; step < most_newton_steps && fruitless < 3; ++step) {
      problem_.budget.poll();
      if (size < 16 - bits_) return;
      if ((size > -40 || fruitless > 0 || step == 0) && !factorise()) return;
      Eigen::VectorXd right(static_cast<Eigen::Index>(active_.size()));
      for (std::size_t k = 0; k < active_.size(); ++k)
        right[static_cast<Eigen::Index>(k)] = scale_by_power_of_two(residual[k], -size).approx_mid();
      const Eigen::VectorXd change = step_for(right);
      if (!change.allFinite()) return;
      const std::vector<Ball> before = lambda_;
      // A step far from the solution is shortened until residuals fall.
      long found = size;
      double length = 1;
      for (; length > 1e-4; length /= 4) {
        for (std::size_t k = 0; k < active_.size(); ++k) {
          lambda_[k] =
              add(before[k], scale_by_power_of_two(Ball(length * change[static_cast<Eigen::Index>(k)]), size),
                  bits_);
        }
        forget_radii(lambda_);
        evaluate();
        found = residuals(residual);
        if (found < size || (found == size && length == 1)) break;
      }
      if (length <= 1e-4) {
        lambda_ = before;
        evaluate();
        found = residuals(residual);
      }
      fruitless = found < size ? 0 : fruitless + 1;
      size = found;
    }
  }

  // ||entries||_(power / order), enclosed.
  Ball norm_of(const std::vector<Ball>& entries, const Rational& exponent) const {
    const unsigned long power = small(numerator(exponent)), order = small(denominator(exponent));
    Ball sum;
    for (const Ball& x : entries) sum = add(sum, magnitude_power(x, power, order, bits_), bits_);
    return magnitude_power(sum, order, power, bits_);
  }

  // What the checker's procedure accepts: its error is at most power + 2 units for each entry.
  Rational confirmed(const Ball& norm, const Rational& exponent) const {
    const Rational entries(rows_.d() * rows_.e());
    const Rational slack = 2 * entries * (Rational(numerator(exponent)) + 2) *
                           power_of_two(-static_cast<long>(problem_.checker_bits()));
    return dyadic_above(norm.upper() * (1 + slack), static_cast<unsigned>(bits_));
  }

  // Measures both sides, W and the multipliers, and keeps the interval if it is the narrowest.
  void prove() {
    const long bits = problem_.gap_bits() + 48, exponent = problem_.scaled.exponent;
    const DyadicRow primal = rounded(primal_, bits), dual = rounded(lambda_, bits);
    NormOptimum found;
    found.bits = problem_.checker_bits();
    found.multipliers = written_multipliers(problem_.constraints, active_, dual, exponent);
    if (found.multipliers.size() == 0) return;
    const WrittenMultipliers kept(dual, bits_);
    const Ball dual_norm = norm_of(rows_.combination(active_, kept.value), q_);
    if (!dual_norm.is_finite() || dual_norm.upper() <= 0) return;
    found.dual_bound = confirmed(dual_norm, q_);
    const std::vector<Ball> w = primal.balls();
    std::vector<Ball> margins = rows_.margins(w);
    const Rational least = least_margin(margins);
    if (least == 0) return;
    found.left = written_matrix(primal, rows_.d(), rows_.e(), least, bits, exponent);
    const Rational divisor = dyadic_below(least, static_cast<unsigned>(bits));
    const Rational unit = power_of_two(-exponent);
    found.value.hi =
        dyadic_above(confirmed(norm_of(w, p_), p_) / divisor * unit, static_cast<unsigned>(bits_));
    found.value.lo = lower_dyadic(div(kept.sum, Ball(found.dual_bound, bits_), bits_), bits_) * unit;
    if (!is_narrowest(answer_, found)) return;
    for (Ball& margin : margins) margin = div(margin, Ball(divisor, bits_), bits_);
    locate(found, margins);
    answer_.optimum = std::move(found);
  }

  // The distance of the solution, and what follows of its margins (SOUNDNESS.md section 8).
  void locate(NormOptimum& found, const std::vector<Ball>& margins) const {
    const Rational &lo = found.value.lo, &hi = found.value.hi;
    Ball distance;
    if (p_ <= 2) {
      distance = sqrt(Ball(2 * (hi * hi - lo * lo) / (p_ - 1), bits_), bits_);
    } else {
      const unsigned long a = small(numerator(p_)), c = small(denominator(p_));
      const Ball gap(p_ * (hi - lo), bits_);
      Ball product;
      arb_pow_ui(product.raw(), Ball(2 * hi, bits_).raw(), a - c, bits_);
      Ball power;
      arb_pow_ui(power.raw(), gap.raw(), c, bits_);
      distance = magnitude_power(mul(product, power, bits_), 1, a, bits_);
    }
    found.distance = upper_dyadic(distance, 64);
    const Ball reach = scale_by_power_of_two(Ball(*found.distance, bits_), problem_.scaled.exponent);
    std::vector<Constraint> within;
    found.locally_optimal = true;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      const Ball least = sub(margins[c], mul(reach, rows_.sum_of_magnitudes(c), bits_), bits_);
      if (certainly_positive(sub(least, Ball(1), bits_))) continue;
      within.push_back(problem_.constraints.constraint(c));
      if (score_gap(problem_.data, problem_.constraints.row(c)) <= 0) found.locally_optimal = false;
    }
    found.support_within = std::move(within);
  }

  const PreparedProblem& problem_;
  NormAnswer& answer_;
  const Rational p_, q_;
  const long bits_;
  const PreciseRows rows_;
  PowerPotential potential_;
  Eigen::LLT<Eigen::MatrixXd> factor_;  // of the scaled Hessian
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> least_squares_;
  Eigen::VectorXd scale_;
  bool dependent_ = false;
  std::vector<std::size_t> active_;
  std::vector<Ball> lambda_, dual_, primal_, margin_;
};

}  // namespace

void solve_power_norm(const PreparedProblem& problem, NormAnswer& answer) {
  PowerSolver(problem, answer).run();
}

}  // namespace attest
