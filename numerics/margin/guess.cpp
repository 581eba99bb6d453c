#include "numerics/margin/guess.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

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

MarginGuess guess_margin_solution(const ScaledConstraints& constraints, const Budget& budget) {
  constexpr std::size_t kMostSweeps = 200;
  constexpr double kCloseEnough = 1e-3;  // then block pivoting needs one or two factorisations
  MarginGuess guess;
  CoordinateDescent descent(constraints);
  while (guess.sweeps < kMostSweeps) {
    budget.poll();
    budget.report("guess", static_cast<double>(guess.sweeps) / kMostSweeps);
    ++guess.sweeps;
    if (descent.sweep() < kCloseEnough) break;
  }
  const VectorXd& multiplier = descent.multiplier();
  std::vector<std::size_t> positive;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (multiplier[static_cast<Index>(c)] > 0) positive.push_back(c);
  }
  guess.active = positive;
  pivot_to_optimum(constraints, 8, budget, guess);
  if (guess.converged) return guess;

  std::stable_sort(positive.begin(), positive.end(), [&](std::size_t a, std::size_t b) {
    return multiplier[static_cast<Index>(a)] > multiplier[static_cast<Index>(b)];
  });
  const std::vector<std::size_t> passive = guess_lifted_passive_set(constraints, positive, budget).at;
  guess.active = passive;
  pivot_to_optimum(constraints, 8, budget, guess);
  if (!guess.converged) {
    guess.active = passive;
    guess.gram.reset();
  }
  return guess;
}

}  // namespace attest
