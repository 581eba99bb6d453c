#include "numerics/margin/robust_radius.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/margin/primal_dual.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/numbers/quotient.hpp"
#include "numerics/problem/integer_constraints.hpp"

namespace attest {
namespace {

constexpr unsigned radius_bits = 64;

// A bound of ||W||^2 for some W with all margins >= 1: what a certificate of the solution proves.
std::optional<Rational> separating_norm_squared(const TokenData& data, const Selection& selection,
                                                const MarginSolution& solution, const Budget& budget) {
  if (solution.feasibility != Feasibility::feasible) return std::nullopt;
  if (solution.exact) return solution.exact->norm_squared;
  if (solution.enclosed || solution.gap) return solution.norm_squared.hi;
  if (!solution.separator) return std::nullopt;
  const IntegerConstraints rows(data, selection);
  std::vector<std::size_t> at;
  std::size_t c = 0;
  for (const Constraint& wanted : solution.separator->constraint) {
    while (rows.constraint(c) != wanted) ++c;
    at.push_back(c);
  }
  const std::vector<Integer> products = rows.products(at, solution.separator->numerator, budget);
  Integer sum = 0;
  for (std::size_t k = 0; k < at.size(); ++k) sum += solution.separator->numerator[k] * products[at[k]];
  return rows.gram_scale() * sum / (solution.separator->denominator * solution.separator->denominator);
}

class Radius {
 public:
  Radius(const TokenData& data, const Selection& selection, bool queries_move)
      : data_(data), selection_(selection), queries_move_(queries_move) {}

  // The root of 2 N rho^2 + N (2 Z + D) rho = 1 (without the square: of 2 N Z rho = 1), rounded down.
  std::optional<Rational> lower(const Rational& norm_squared, const Budget& budget) const {
    Rational longest_query = 0, longest_difference = 0;
    PassedGroups passed(data_);
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      budget.poll();
      passed.before(i);
      longest_query = std::max(
          longest_query, exact_dot(data_.query_factor, i, data_.query_factor, i, data_.right_dimension));
      if (!queries_move_) continue;
      for (std::size_t t = 0; t < data_.tokens(i); ++t)
        longest_difference = std::max(longest_difference, squared(difference(i, t)));
    }
    const Rational norm = root_above(norm_squared), query = root_above(longest_query);
    const Rational once = norm * (2 * query + root_above(longest_difference));
    if (once == 0) return std::nullopt;
    const Rational root = queries_move_ ? 2 / (once + root_above(once * once + 8 * norm)) : 1 / once;
    return dyadic_below(root * (1 - power_of_two(-40)), radius_bits);
  }

  // Half the distance of the rows' nearest winner and loser, or less where multipliers show it.
  Rational upper(const ConstraintVector* multipliers) const {
    Rational best = nearest_pair();
    if (multipliers == nullptr || multipliers->size() == 0) return best;
    if (all_queries_one()) return std::min(best, to_infeasible(*multipliers, 0, multipliers->size()));
    double least = std::numeric_limits<double>::infinity();
    std::size_t from = 0, to = 0;  // of the group that looks nearest
    for (std::size_t begin = 0, end = 0; begin < multipliers->size(); begin = end) {
      while (end < multipliers->size() &&
             multipliers->constraint[end].group == multipliers->constraint[begin].group)
        ++end;
      const double distance = approx_to_infeasible(*multipliers, begin, end);
      if (!(distance < least)) continue;
      least = distance, from = begin, to = end;
    }
    return from == to ? best : std::min(best, to_infeasible(*multipliers, from, to));
  }

 private:
  static Rational root_above(const Rational& squared) { return dyadic_above_sqrt(squared, radius_bits); }
  static Rational squared(const std::vector<Rational>& x) {
    Rational sum = 0;
    for (const Rational& entry : x) sum += entry * entry;
    return sum;
  }

  std::vector<Rational> difference(std::size_t group, std::size_t token) const {
    const std::size_t d = data_.left_dimension;
    const std::size_t winner = data_.row(group, selection_[group]) * d, loser = data_.row(group, token) * d;
    std::vector<Rational> dx(d);
    for (std::size_t j = 0; j < d; ++j)
      dx[j] = data_.token_factor.exact(winner + j) - data_.token_factor.exact(loser + j);
    return dx;
  }

  bool all_queries_one() const {
    if (data_.right_dimension != 1) return false;
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      if (data_.query_factor.exact(i) != 1) return false;
    }
    return true;
  }

  Rational nearest_pair() const {
    double least = std::numeric_limits<double>::infinity();
    Constraint nearest;
    PassedGroups passed(data_);
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      passed.before(i);
      for (std::size_t t = 0; t < data_.tokens(i); ++t) {
        if (t == selection_[i] || !data_.present(i, t)) continue;
        double sum = 0;
        for (std::size_t j = 0; j < data_.left_dimension; ++j) {
          const double dx = entry(i, selection_[i], j) - entry(i, t, j);
          sum += dx * dx;
        }
        if (!(sum < least)) continue;
        least = sum;
        nearest = {i, t};
      }
    }
    return root_above(squared(difference(nearest.group, nearest.token))) / 2;
  }

  double entry(std::size_t group, std::size_t token, std::size_t j) const {
    return data_.token_factor.approx(data_.row(group, token) * data_.left_dimension + j);
  }

  // ||sum lambda_c dx_c|| / (2 sum lambda_c) over entries [begin, end), rounded up.
  Rational to_infeasible(const ConstraintVector& lambda, std::size_t begin, std::size_t end) const {
    std::vector<Rational> sum(data_.left_dimension);
    Rational total = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const std::vector<Rational> dx = difference(lambda.constraint[k].group, lambda.constraint[k].token);
      // Any multipliers will do: short ones are cheap.
      const Rational value = dyadic_quotient(lambda.numerator[k], lambda.denominator);
      total += value;
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += value * dx[j];
    }
    return dyadic_above(root_above(squared(sum)) / (2 * total), radius_bits);
  }

  double approx_to_infeasible(const ConstraintVector& lambda, std::size_t begin, std::size_t end) const {
    std::vector<double> sum(data_.left_dimension);
    double total = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t group = lambda.constraint[k].group;
      const double value = approx_quotient(lambda.numerator[k], lambda.denominator);
      total += value;
      for (std::size_t j = 0; j < sum.size(); ++j)
        sum[j] += value * (entry(group, selection_[group], j) - entry(group, lambda.constraint[k].token, j));
    }
    double square = 0;
    for (const double x : sum) square += x * x;
    return std::sqrt(square) / (2 * total);
  }

  const TokenData& data_;
  const Selection& selection_;
  const bool queries_move_;
};

}  // namespace

std::optional<Interval> robust_radius(const TokenData& data, const Selection& selection,
                                      const MarginSolution& solution, bool queries_move,
                                      const Budget& budget) {
  if (constraint_count(data) == 0) return std::nullopt;
  const std::optional<Rational> norm_squared = separating_norm_squared(data, selection, solution, budget);
  if (!norm_squared) return std::nullopt;
  const Radius radius(data, selection, queries_move);
  const std::optional<Rational> lo = radius.lower(*norm_squared, budget);
  if (!lo) return std::nullopt;
  const auto known = primal_dual(solution);
  const ConstraintVector* multipliers = known == nullptr ? nullptr : known->dual();
  if (multipliers == nullptr && solution.gap) multipliers = &solution.gap->dual;
  return Interval{*lo, std::max(*lo, radius.upper(multipliers))};
}

}  // namespace attest
