#include "numerics/margin/guess.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "numerics/margin/lifted_guess.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Coordinate ascent on sum lambda - ||sum lambda Delta||^2 / 2, one group at a time.
class CoordinateDescent {
 public:
  explicit CoordinateDescent(const ScaledConstraints& constraints)
      : constraints_(constraints),
        w_(RowMatrix::Zero(constraints.d(), constraints.e())),
        multiplier_(VectorXd::Zero(static_cast<Index>(constraints.size()))) {}

  const VectorXd& multiplier() const { return multiplier_; }

  // The pair of the present multipliers.
  DualPoint point() const {
    DualPoint point;
    point.multiplier = multiplier_;
    point.least_margin = approx_margins(constraints_, w_).minCoeff();
    const double square = w_.squaredNorm();
    point.lower = 2 * multiplier_.sum() - square;
    point.upper = point.least_margin > 0 ? square / (point.least_margin * point.least_margin)
                                         : std::numeric_limits<double>::infinity();
    return point;
  }

  // One pass over all groups; returns the largest violation of the optimality conditions met, relative to
  // margin 1.
  double sweep() {
    double violation = 0;
    VectorXd logit_gradient(constraints_.d());
    VectorXd change(constraints_.d());
    for (std::size_t i = 0; i + 1 < constraints_.first.size(); ++i) {
      const std::size_t begin = constraints_.first[i];
      const std::size_t end = constraints_.first[i + 1];
      const double query_norm = constraints_.query_norm_squared[static_cast<Index>(i)];
      if (begin == end || query_norm == 0) continue;
      const auto query = constraints_.query.row(static_cast<Index>(i));
      logit_gradient.noalias() = w_ * query.transpose();
      change.setZero();
      bool changed = false;
      for (int pass = 0; pass < 3; ++pass) {
        for (std::size_t c = begin; c < end; ++c) {
          const auto at = static_cast<Index>(c);
          if (pass > 0 && multiplier_[at] == 0) continue;
          const double norm = constraints_.norm_squared[at];
          if (norm == 0) continue;
          const auto row = constraints_.difference.row(at);
          const double rest = 1 - row.dot(logit_gradient);
          if (multiplier_[at] == 0 && rest <= 0) continue;
          const double step = std::max(-multiplier_[at], rest / norm);
          if (pass == 0) violation = std::max(violation, std::min(std::fabs(rest), std::fabs(step) * norm));
          multiplier_[at] += step;
          change += step * row.transpose();
          logit_gradient += (step * query_norm) * row.transpose();
          changed = true;
        }
      }
      if (changed) w_.noalias() += change * query;
    }
    return violation;
  }

 private:
  const ScaledConstraints& constraints_;
  RowMatrix w_;
  VectorXd multiplier_;
};

class BlockPivoting {
 public:
  BlockPivoting(const ScaledConstraints& constraints, const Budget& budget, MarginGuess& guess)
      : constraints_(constraints), budget_(budget), guess_(guess) {}

  // Exchanges all infeasible indices at once while that makes progress, single ones otherwise.
  void run(std::size_t most_factorisations) {
    std::size_t fewest = constraints_.size() + 1;
    int patience = 3;
    while (guess_.factorisations < most_factorisations) {
      budget_.poll();
      const std::size_t k = guess_.active.size();
      if (static_cast<Index>(k) > constraints_.d() * constraints_.e() ||
          !budget_.affords(16.0 * static_cast<double>(k) * static_cast<double>(k))) {
        return;
      }
      if (!solve()) return;
      const VectorXd margins =
          approx_margins(constraints_, approx_combination(constraints_, guess_.active, guess_.multiplier));
      std::vector<std::size_t> leaving;
      for (std::size_t a = 0; a < k; ++a) {
        if (guess_.multiplier[static_cast<Index>(a)] <= 0) leaving.push_back(guess_.active[a]);
      }
      std::vector<std::size_t> entering;
      for (std::size_t c = 0; c < constraints_.size(); ++c) {
        if (margins[static_cast<Index>(c)] < 1 - 1e-11 &&
            !std::binary_search(guess_.active.begin(), guess_.active.end(), c)) {
          entering.push_back(c);
        }
      }
      const std::size_t infeasible = leaving.size() + entering.size();
      if (infeasible == 0) {
        guess_.converged = true;
        return;
      }
      if (infeasible < fewest) {
        fewest = infeasible;
        patience = 3;
      } else if (patience > 0) {
        --patience;
      } else {
        keep_largest_only(leaving, entering);
      }
      exchange(leaving, entering);
    }
  }

 private:
  bool solve() {
    ++guess_.factorisations;
    guess_.gram = ActiveGram::factorise(constraints_, guess_.active);
    if (!guess_.gram) return false;
    guess_.multiplier = guess_.gram->approx_solve(VectorXd::Ones(static_cast<Index>(guess_.active.size())));
    return guess_.multiplier.allFinite();
  }

  static void keep_largest_only(std::vector<std::size_t>& leaving, std::vector<std::size_t>& entering) {
    if (entering.empty() || (!leaving.empty() && leaving.back() > entering.back())) {
      leaving = {leaving.back()};
      entering.clear();
    } else {
      entering = {entering.back()};
      leaving.clear();
    }
  }

  void exchange(const std::vector<std::size_t>& leaving, const std::vector<std::size_t>& entering) {
    std::vector<std::size_t> kept;
    std::set_difference(guess_.active.begin(), guess_.active.end(), leaving.begin(), leaving.end(),
                        std::back_inserter(kept));
    std::vector<std::size_t> next;
    std::merge(kept.begin(), kept.end(), entering.begin(), entering.end(), std::back_inserter(next));
    guess_.active = std::move(next);
  }

  const ScaledConstraints& constraints_;
  const Budget& budget_;
  MarginGuess& guess_;
};

}  // namespace

void pivot_to_optimum(const ScaledConstraints& constraints, std::size_t most_factorisations,
                      const Budget& budget, MarginGuess& guess) {
  guess.converged = false;
  BlockPivoting(constraints, budget, guess).run(guess.factorisations + most_factorisations);
}

namespace {

// Larger problems are too much for Lawson-Hanson's single exchanges.
bool is_small(const ScaledConstraints& constraints) {
  return constraints.d() * constraints.e() <= 400 && constraints.size() <= 20000;
}

void keep(MarginGuess& guess, DualPoint point) {
  const bool better = !guess.best || !(guess.best->least_margin > 0) ||
                      (point.least_margin > 0 && point.relative_gap() < guess.best->relative_gap());
  if (better) guess.best = std::move(point);
}

// Coordinate descent; true when it came close to an optimum. A violation that stays large after some sweeps
// will do so for hundreds more.
bool descend(const ScaledConstraints& constraints, const Budget& budget, MarginGuess& guess) {
  constexpr double kCloseEnough = 1e-3;  // then block pivoting needs one or two factorisations
  const std::size_t most_sweeps = is_small(constraints) ? 200 : 60;
  constexpr std::size_t kLookEvery = 10;
  CoordinateDescent descent(constraints);
  bool close = false;
  while (!close && guess.sweeps < most_sweeps) {
    budget.poll();
    budget.report("guess", static_cast<double>(guess.sweeps) / static_cast<double>(4 * most_sweeps));
    ++guess.sweeps;
    close = descent.sweep() < kCloseEnough;
    if (guess.sweeps % kLookEvery == 1) keep(guess, descent.point());
  }
  keep(guess, descent.point());
  guess.multiplier = descent.multiplier();
  return close;
}

std::vector<std::size_t> positive_entries(const VectorXd& multiplier) {
  std::vector<std::size_t> positive;
  for (Index c = 0; c < multiplier.size(); ++c) {
    if (multiplier[c] > 0) positive.push_back(static_cast<std::size_t>(c));
  }
  return positive;
}

// The positive entries, but the smallest ones beyond `most`: as many rows as unknowns can be independent.
std::vector<std::size_t> largest_entries(const VectorXd& multiplier, std::size_t most) {
  std::vector<std::size_t> positive = positive_entries(multiplier);
  if (positive.size() <= most) return positive;
  std::stable_sort(positive.begin(), positive.end(), [&](std::size_t a, std::size_t b) {
    return multiplier[static_cast<Index>(a)] > multiplier[static_cast<Index>(b)];
  });
  positive.resize(most);
  std::sort(positive.begin(), positive.end());
  return positive;
}

void settle_small(const ScaledConstraints& constraints, std::vector<std::size_t> positive,
                  const VectorXd& multiplier, const Budget& budget, MarginGuess& guess) {
  std::stable_sort(positive.begin(), positive.end(), [&](std::size_t a, std::size_t b) {
    return multiplier[static_cast<Index>(a)] > multiplier[static_cast<Index>(b)];
  });
  const std::vector<std::size_t> passive = guess_lifted_passive_set(constraints, positive, budget).at;
  guess.active = passive;
  pivot_to_optimum(constraints, 8, budget, guess);
  if (guess.converged) return;
  guess.active = passive;
  guess.gram.reset();
}

void settle_large(const ScaledConstraints& constraints, const VectorXd& start, const Budget& budget,
                  MarginGuess& guess) {
  const UnitRows rows(constraints);
  VectorXd last = start;
  const auto seen = [&](DualPoint point) {
    last = point.multiplier;
    keep(guess, std::move(point));
  };
  const DualOutcome outcome = solve_dual(rows, start, DualGoal::set, budget, seen);
  // What stalled has left its best behind.
  if (outcome == DualOutcome::stalled && guess.best && guess.best->least_margin > 0)
    last = guess.best->multiplier;
  guess.active = positive_entries(last);
  if (outcome == DualOutcome::vanishing) {
    guess.vanishing = true;
    guess.best->multiplier = last;
    return;
  }
  const std::vector<std::size_t> positive = guess.active;
  guess.active = largest_entries(last, rows.unknowns());
  pivot_to_optimum(constraints, 8, budget, guess);
  if (guess.converged) return;
  guess.gram.reset();
  if (positive.size() > rows.unknowns()) guess.active = positive;
  if (!guess.best || !(guess.best->least_margin > 0)) return;
  // Rows that depend on each other: the values are still unique as far as W goes.
  const VectorXd near = guess.best->multiplier;
  if (solve_dual(rows, near, DualGoal::gap, budget, seen) != DualOutcome::settled) return;
  guess.active = positive_entries(guess.best->multiplier);
}

}  // namespace

void guess_margin_solution(const ScaledConstraints& constraints, const Budget& budget, MarginGuess& guess) {
  const bool close = descend(constraints, budget, guess);
  const VectorXd multiplier = guess.multiplier;
  const std::vector<std::size_t> positive = positive_entries(multiplier);
  guess.active = positive;
  if (close || is_small(constraints)) pivot_to_optimum(constraints, 8, budget, guess);
  if (guess.converged) return;
  if (is_small(constraints)) {
    settle_small(constraints, positive, multiplier, budget, guess);
  } else {
    settle_large(constraints, multiplier, budget, guess);
  }
}

}  // namespace attest
