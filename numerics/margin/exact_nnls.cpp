#include "numerics/margin/exact_nnls.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "numerics/numbers/modular_matrix.hpp"

namespace attest {
namespace {

[[noreturn]] void broken_invariant(const char* what) {
  std::fprintf(stderr, "attest: broken invariant: %s\n", what);
  std::abort();
}

class Pivoting {
 public:
  Pivoting(const LeastSquaresProblem& problem, const Integer& norm_squared, const Budget& budget)
      : problem_(problem), norm_squared_(norm_squared), budget_(budget), is_free_(problem.columns, false) {
    for (const std::size_t column : problem.free) is_free_[column] = true;
  }

  LeastSquaresSolution run(std::vector<std::size_t> start) {
    begin_with(std::move(start));
    LeastSquaresSolution solution;
    for (;;) {
      budget_.poll();
      solution.price = problem_.price(passive_, value_);
      const std::size_t entering = most_violated(solution.price);
      if (entering == problem_.columns) break;
      improve_with(entering);
    }
    for (std::size_t k = 0; k < passive_.size(); ++k) {
      if (value_.numerator[k] == 0) continue;  // only free columns can vanish here
      solution.at.push_back(passive_[k]);
      solution.value.numerator.push_back(value_.numerator[k]);
    }
    solution.value.denominator = value_.denominator;
    solution.exact_fit = norm_squared_ * value_.denominator == gain_;
    solution.pivots = pivots_;
    return solution;
  }

 private:
  // Passive set := free columns and an independent part of `start`, shrunk until all its coefficients are
  // positive.
  void begin_with(std::vector<std::size_t> start) {
    std::sort(start.begin(), start.end());
    start.erase(std::unique(start.begin(), start.end()), start.end());
    std::vector<std::size_t> candidates = problem_.free;
    for (const std::size_t column : start) {
      const bool excluded = !problem_.excluded.empty() && problem_.excluded[column];
      if (!excluded && !is_free_[column]) candidates.push_back(column);
    }
    if (candidates.size() > problem_.free.size()) {
      const std::uint64_t prime = word_prime(8);
      const std::vector<std::size_t> kept =
          independent_positions(residues(gram(candidates), prime), candidates.size(), prime, budget_);
      for (std::size_t k = 0; k < kept.size(); ++k) candidates[k] = candidates[kept[k]];
      candidates.resize(kept.size());
      // A free column lost to an unlucky prime comes back alone.
      if (!std::equal(problem_.free.begin(), problem_.free.end(), candidates.begin(),
                      candidates.begin() +
                          static_cast<std::ptrdiff_t>(std::min(problem_.free.size(), candidates.size())))) {
        candidates = problem_.free;
      }
    }
    std::sort(candidates.begin(), candidates.end());
    passive_ = std::move(candidates);
    for (;;) {
      value_ = solve();
      std::vector<std::size_t> positive;
      for (std::size_t k = 0; k < passive_.size(); ++k) {
        if (is_free_[passive_[k]] || value_.numerator[k] > 0) positive.push_back(passive_[k]);
      }
      if (positive.size() == passive_.size()) break;
      passive_ = std::move(positive);
    }
    gain_ = gain();
  }

  SharedVector solve() {
    budget_.poll();
    if (passive_.empty()) return {};
    const double seconds = predicted_solve_seconds(passive_.size(), problem_.inner_bits);
    const double left = budget_.remaining_seconds();
    if (left >= 0 && seconds > 4 * left + 1) {
      throw BudgetReached{"time: one exact solve of order " + std::to_string(passive_.size()) +
                          " needs about " + std::to_string(static_cast<long long>(std::ceil(seconds))) +
                          " s"};
    }
    std::vector<Integer> target;
    target.reserve(passive_.size());
    for (const std::size_t column : passive_) target.push_back(problem_.target(column));
    ++pivots_;
    auto solution = solve_exactly(gram(passive_), target, budget_);
    if (!solution) broken_invariant("dependent passive set in exact least squares");
    return std::move(*solution);
  }

  // The last one asked for is kept.
  const std::vector<Integer>& gram(const std::vector<std::size_t>& columns) {
    if (columns != gram_columns_) {
      gram_ = problem_.gram(columns);
      gram_columns_ = columns;
    }
    return gram_;
  }

  // denominator * <f, sum u E>; the squared residual is ||f||^2 - gain / denominator.
  Integer gain() const {
    Integer sum = 0;
    for (std::size_t k = 0; k < passive_.size(); ++k)
      sum += value_.numerator[k] * problem_.target(passive_[k]);
    return sum;
  }

  // The column with the largest price among those that may enter, or `columns` when none is positive.
  std::size_t most_violated(const std::vector<Integer>& price) const {
    std::size_t best = problem_.columns;
    for (std::size_t j = 0; j < problem_.columns; ++j) {
      if (price[j] <= 0 || is_free_[j] || (!problem_.excluded.empty() && problem_.excluded[j])) continue;
      if (std::binary_search(passive_.begin(), passive_.end(), j)) continue;
      if (best == problem_.columns || price[j] > price[best]) best = j;
    }
    return best;
  }

  // One outer step: enter the column, then follow the segments of the inner loop to the next passive set
  // whose least-squares solution is positive. Positions on the segments are only steering, so they are
  // rounded to `bits` fractional bits; that the objective dropped is then checked exactly and the step
  // repeated with more bits if not.
  void improve_with(std::size_t entering) {
    const std::vector<std::size_t> old_passive = passive_;
    const SharedVector old_value = value_;
    const Integer old_gain = gain_;
    for (std::size_t bits = 1024 + 2 * problem_.inner_bits;; bits *= 4) {
      passive_ = old_passive;
      const auto place = static_cast<std::size_t>(
          std::lower_bound(passive_.begin(), passive_.end(), entering) - passive_.begin());
      std::vector<Integer> point;
      for (const Integer& numerator : old_value.numerator) {
        point.push_back((numerator << static_cast<unsigned long>(bits)) / old_value.denominator);
      }
      passive_.insert(passive_.begin() + static_cast<std::ptrdiff_t>(place), entering);
      point.insert(point.begin() + static_cast<std::ptrdiff_t>(place), Integer(0));
      for (;;) {
        value_ = solve();
        if (!step_towards_value(point, bits)) break;
      }
      gain_ = gain();
      if (gain_ * old_value.denominator > old_gain * value_.denominator) return;
      if (bits > (std::size_t{1} << 26)) broken_invariant("objective of exact least squares does not drop");
    }
  }

  // Moves `point` towards value_ until a coefficient reaches zero and drops the columns that did. False when
  // value_ is positive already (the end of the inner loop).
  bool step_towards_value(std::vector<Integer>& point, std::size_t bits) {
    std::vector<Integer> goal(passive_.size());
    Integer numerator = 1;  // the least ratio point / (point - goal) among non-positive goals
    Integer denominator = 0;
    std::size_t blocking = passive_.size();
    for (std::size_t k = 0; k < passive_.size(); ++k) {
      goal[k] = (value_.numerator[k] << static_cast<unsigned long>(bits)) / value_.denominator;
      if (is_free_[passive_[k]] || value_.numerator[k] > 0) continue;
      const Integer distance = point[k] - goal[k];
      const Integer reach = distance > 0 ? point[k] : Integer(0);
      const Integer length = distance > 0 ? distance : Integer(1);
      if (blocking == passive_.size() || reach * denominator < numerator * length) {
        numerator = reach;
        denominator = length;
        blocking = k;
      }
    }
    if (blocking == passive_.size()) return false;
    std::vector<std::size_t> kept;
    std::vector<Integer> kept_point;
    for (std::size_t k = 0; k < passive_.size(); ++k) {
      const Integer moved = point[k] + (goal[k] - point[k]) * numerator / denominator;
      const bool drops = k == blocking || (value_.numerator[k] <= 0 && moved <= 0);
      if (!is_free_[passive_[k]] && drops) continue;
      kept.push_back(passive_[k]);
      kept_point.push_back(moved);
    }
    passive_ = std::move(kept);
    point = std::move(kept_point);
    return true;
  }

  const LeastSquaresProblem& problem_;
  const Integer norm_squared_;
  const Budget& budget_;
  std::vector<bool> is_free_;
  std::vector<std::size_t> passive_;
  SharedVector value_;
  std::vector<std::size_t> gram_columns_;
  std::vector<Integer> gram_;
  Integer gain_;
  std::size_t pivots_ = 0;
};

}  // namespace

LeastSquaresSolution solve_nonnegative_least_squares(const LeastSquaresProblem& problem,
                                                     const Integer& norm_squared,
                                                     std::vector<std::size_t> start, const Budget& budget) {
  return Pivoting(problem, norm_squared, budget).run(std::move(start));
}

}  // namespace attest
