#include "numerics/margin/augmented_lagrangian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "numerics/margin/tiled_cholesky.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kFirstPenalty = 10;  // rows have length one: a number without unit
constexpr double kVanishing = 1e-11;  // ||sum mu_c a_c|| / ||mu||: margins below it are not looked for
constexpr double kNear = 0.1;         // a relative gap from which on a set that stays may be the right one
constexpr int kMostPasses = 1500;
constexpr int kMostRounds = 60;
constexpr int kMostSystems = 400;
constexpr int kMostInner = 40;
constexpr int kPatience = 5;  // rounds without a smaller gap
constexpr double kLargestPenalty =
    1e8;  // dependent rows have a Gram matrix that only its inverse keeps regular

class DualSolver {
 public:
  DualSolver(const UnitRows& rows, DualGoal goal, const Budget& budget,
             const std::function<void(DualPoint)>& seen)
      : rows_(rows), goal_(goal), budget_(budget), seen_(seen), offset_(rows.offset()) {}

  DualOutcome run(const VectorXd& start) {
    multiplier_ = start.cwiseQuotient(offset_);
    if (goal_ == DualGoal::set) approach();
    return multiply();
  }

 private:
  // Accelerated projected gradient with restarts (Beck and Teboulle; O'Donoghue and Candes), until the
  // positive multipliers are few enough for Newton systems and no longer change much.
  void approach() {
    const double lipschitz = 1.02 * largest_eigenvalue();
    VectorXd point = multiplier_, previous = multiplier_;
    double momentum = 1;
    Index before = positive(multiplier_);
    for (int pass = 1; pass <= kMostPasses; ++pass) {
      budget_.poll();
      const VectorXd gradient = offset_ - rows_.margins(rows_.combination(point));
      const VectorXd next = (point + gradient / lipschitz).cwiseMax(0);
      if ((point - next).dot(next - previous) > 0) momentum = 1;
      const double following = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
      point = next + ((momentum - 1) / following) * (next - previous);
      previous = next;
      momentum = following;
      if (pass % 50 != 0) continue;
      const Index now = positive(previous);
      multiplier_ = previous;
      report(rows_.combination(previous), pass / static_cast<double>(10 * kMostPasses));
      const bool few = static_cast<double>(now) <= 1.25 * static_cast<double>(rows_.unknowns());
      if (few && std::abs(now - before) <= now / 10) break;
      // Many more rows than unknowns stay violated: probably infeasible, and systems in the unknowns do.
      if (pass >= 300 && std::abs(now - before) <= now / 50) break;
      before = now;
    }
    multiplier_ = previous;
  }

  static Index positive(const VectorXd& values) { return (values.array() > 0).count(); }

  double largest_eigenvalue() const {
    VectorXd v = VectorXd::Ones(offset_.size());
    double estimate = 1;
    for (int round = 0; round < 30; ++round) {
      v.normalize();
      v = rows_.margins(rows_.combination(v));
      estimate = v.norm();
    }
    return estimate > 0 ? estimate : 1;
  }

  DualOutcome multiply() {
    w_ = rows_.combination(multiplier_);
    double sigma = kFirstPenalty;
    std::vector<bool> set = positive_set(multiplier_);
    double least_gap = 1;
    int patience = kPatience;
    for (int round = 0; round < kMostRounds && systems_ < kMostSystems; ++round) {
      const int inner = minimise(sigma);
      multiplier_ = bracket(sigma).cwiseMax(0);
      const RowMatrix w = rows_.combination(multiplier_);
      const double gap = report(w, 0.1 + 0.9 * round / kMostRounds);
      if (w.norm() <= kVanishing * multiplier_.norm()) return DualOutcome::vanishing;
      std::vector<bool> next = positive_set(multiplier_);
      const bool same = next == set;
      set = std::move(next);
      // Large penalties magnify rounding errors: a gap may grow again while the set is right. More rows than
      // unknowns are not the set of an optimum, unless it is degenerate.
      patience = gap < 0.5 * least_gap ? kPatience : patience - 1;
      least_gap = std::min(least_gap, gap);
      const bool few = static_cast<std::size_t>(positive(multiplier_)) <= rows_.unknowns();
      const bool told = goal_ == DualGoal::set && same && few && least_gap < kNear;
      if (told || gap < 1e-11) return DualOutcome::settled;
      if (goal_ == DualGoal::gap && patience == 0) return DualOutcome::stalled;
      sigma *= inner <= 3 ? 3 : inner <= 6 ? 2 : 1.4;
      if (goal_ == DualGoal::gap) sigma = std::min(sigma, kLargestPenalty);
    }
    return DualOutcome::stalled;
  }

  static std::vector<bool> positive_set(const VectorXd& values) {
    std::vector<bool> set(static_cast<std::size_t>(values.size()));
    for (Index c = 0; c < values.size(); ++c) set[static_cast<std::size_t>(c)] = values[c] > 0;
    return set;
  }

  VectorXd bracket(double sigma) const { return multiplier_ + sigma * (offset_ - margins_); }

  // Minimises phi at this penalty; returns the number of Newton systems.
  int minimise(double sigma) {
    margins_ = rows_.margins(w_);
    for (int inner = 1;; ++inner) {
      budget_.poll();
      const VectorXd now = bracket(sigma);
      std::vector<std::size_t> at;
      for (Index c = 0; c < now.size(); ++c) {
        if (now[c] > 0) at.push_back(static_cast<std::size_t>(c));
      }
      RowMatrix target;
      if (!newton_point(at, sigma, target)) return inner;
      const RowMatrix direction = target - w_;
      const VectorXd change = rows_.margins(direction);
      const double step = line_search(now, sigma, direction, change);
      w_ += step * direction;
      margins_ += step * change;
      const VectorXd then = bracket(sigma);
      const bool settled = step == 1 && positive_set(then) == positive_set(now);
      const bool still = step * direction.norm() <= 1e-12 * w_.norm();
      if (settled || still || inner >= kMostInner || systems_ >= kMostSystems) return inner;
    }
  }

  // The minimiser of phi's quadratic piece on which exactly the rows `at` count: a system in their
  // multipliers or in the unknowns, whichever is smaller.
  bool newton_point(const std::vector<std::size_t>& at, double sigma, RowMatrix& target) {
    ++systems_;
    const auto k = static_cast<Index>(std::min(at.size(), rows_.unknowns()));
    budget_.reserve(24.0 * static_cast<double>(k) * static_cast<double>(k), "Newton system");
    // About 10 Gflop a second: one that would be interrupted is not begun.
    budget_.needs_seconds(std::pow(static_cast<double>(k), 3) / 3e10, "a Newton system");
    VectorXd weight = VectorXd::Zero(offset_.size());
    if (at.size() <= rows_.unknowns()) {
      MatrixXd matrix = rows_.gram(at, budget_);
      matrix.diagonal().array() += 1 / sigma;
      if (!factorise_cholesky(matrix, &budget_)) return false;
      VectorXd value(k);
      for (Index a = 0; a < k; ++a) {
        const auto c = static_cast<Index>(at[static_cast<std::size_t>(a)]);
        value[a] = multiplier_[c] / sigma + offset_[c];
      }
      solve(matrix, value);
      for (Index a = 0; a < k; ++a) weight[static_cast<Index>(at[static_cast<std::size_t>(a)])] = value[a];
      target = rows_.combination(weight);
    } else {
      MatrixXd matrix = rows_.normal_matrix(at, budget_);
      matrix.diagonal().array() += 1 / sigma;
      if (!factorise_cholesky(matrix, &budget_)) return false;
      for (const std::size_t c : at) {
        const auto row = static_cast<Index>(c);
        weight[row] = multiplier_[row] / sigma + offset_[row];
      }
      target = rows_.combination(weight);
      Eigen::Map<VectorXd> value(target.data(), target.size());
      solve(matrix, value);
    }
    return target.allFinite();
  }

  static void solve(const MatrixXd& factor, Eigen::Ref<VectorXd> value) {
    factor.triangularView<Eigen::Lower>().solveInPlace(value);
    factor.triangularView<Eigen::Lower>().transpose().solveInPlace(value);
  }

  // The minimiser of phi along the direction, at most 1: its derivative is piecewise linear and increasing.
  double line_search(const VectorXd& now, double sigma, const RowMatrix& direction,
                     const VectorXd& change) const {
    const double along = (w_.array() * direction.array()).sum();
    const double square = direction.squaredNorm();
    const auto slope = [&](double step) {
      return along + step * square - ((now - sigma * step * change).array().max(0) * change.array()).sum();
    };
    if (slope(1) <= 1e-9 * std::fabs(along)) return 1;
    double low = 0, high = 1;
    for (int round = 0; round < 50 && high - low > 1e-3 * high; ++round) {
      const double middle = (low + high) / 2;
      (slope(middle) > 0 ? high : low) = middle;
    }
    return low > 0 ? low : high;
  }

  // Hands the pair of the current multipliers over; returns its relative gap.
  double report(const RowMatrix& w, double fraction) {
    budget_.report("guess", fraction);
    DualPoint point;
    point.multiplier = multiplier_.cwiseProduct(offset_);
    point.least_margin = rows_.margins(w).cwiseQuotient(offset_).minCoeff();
    const double square = w.squaredNorm();
    point.lower = 2 * point.multiplier.sum() - square;
    point.upper = point.least_margin > 0 ? square / (point.least_margin * point.least_margin)
                                         : std::numeric_limits<double>::infinity();
    const double gap = point.least_margin > 0 ? point.relative_gap() : 1;
    seen_(std::move(point));
    return gap;
  }

  const UnitRows& rows_;
  const DualGoal goal_;
  const Budget& budget_;
  const std::function<void(DualPoint)>& seen_;
  const VectorXd& offset_;
  VectorXd multiplier_;  // mu, of the unit rows
  RowMatrix w_;
  VectorXd margins_;  // of w_
  int systems_ = 0;
};

}  // namespace

DualOutcome solve_dual(const UnitRows& rows, const VectorXd& start, DualGoal goal, const Budget& budget,
                       const std::function<void(DualPoint)>& seen) {
  return DualSolver(rows, goal, budget, seen).run(start);
}

}  // namespace attest
