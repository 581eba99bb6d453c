#include "numerics/margin/exact.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "numerics/margin/exact_nnls.hpp"
#include "numerics/numbers/modular_matrix.hpp"

namespace attest {
namespace {

using boost::multiprecision::denominator;
using boost::multiprecision::numerator;

// value.denominator less the numerators of the rows >= 1 among `at`.
Integer less_sum(const IntegerConstraints& constraints, std::span<const std::size_t> at,
                 const SharedVector& value) {
  Integer rest = value.denominator;
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (asks_one(constraints, at[k])) rest -= value.numerator[k];
  }
  return rest;
}

// Lawson-Hanson on the lifted system E_c = (D_c; s_c), f = (0; 1), s_c the right-hand side of row c, 1 or 0:
// an exact fit is a Farkas vector; otherwise u / (1 - sum s_c u_c) are the multipliers of the margin problem
// min
// ||W||, <D_c, W> >= s_c (or = 0: free columns). `free`: independent rows = 0; the others of them never
// enter.
LeastSquaresProblem lifted_problem(const IntegerConstraints& constraints, std::vector<std::size_t> free,
                                   const Budget& budget) {
  LeastSquaresProblem problem;
  problem.columns = constraints.size();
  problem.inner_bits = constraints.gram_bits() + 1;
  problem.gram = [&](std::span<const std::size_t> at) {
    std::vector<Integer> matrix = constraints.gram_matrix(at, budget);
    for (std::size_t k = 0; k < matrix.size(); ++k) {
      if (asks_one(constraints, at[k / at.size()]) && asks_one(constraints, at[k % at.size()]))
        matrix[k] += 1;
    }
    return matrix;
  };
  problem.target = [&](std::size_t c) { return Integer(asks_one(constraints, c) ? 1 : 0); };
  problem.price = [&](std::span<const std::size_t> at, const SharedVector& value) {
    const Integer rest = less_sum(constraints, at, value);
    std::vector<Integer> price = constraints.products(at, value.numerator, budget);
    for (std::size_t c = 0; c < price.size(); ++c)
      price[c] = asks_one(constraints, c) ? Integer(rest - price[c]) : Integer(-price[c]);
    return price;
  };
  problem.excluded.resize(constraints.size());
  for (std::size_t c = 0; c < constraints.size(); ++c) problem.excluded[c] = is_equality(constraints, c);
  for (const std::size_t c : free) problem.excluded[c] = false;
  problem.free = std::move(free);
  return problem;
}

// Rows = 0 that are independent, all that are unless `prime` is unlucky.
std::vector<std::size_t> independent_equalities(const IntegerConstraints& constraints, std::uint64_t prime,
                                                const Budget& budget) {
  std::vector<std::size_t> rows;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (is_equality(constraints, c)) rows.push_back(c);
  }
  if (rows.empty()) return rows;
  std::vector<std::size_t> kept = independent_positions(
      residues(constraints.gram_matrix(rows, budget), prime), rows.size(), prime, budget);
  for (std::size_t& position : kept) position = rows[position];
  return kept;
}

// The lifted system's solution and the equalities that hold with it: all of them.
struct LiftedFit {
  LeastSquaresSolution fit;
  std::vector<std::size_t> free;
};
LiftedFit solve_lifted(const IntegerConstraints& constraints, const std::vector<std::size_t>& start,
                       const Budget& budget) {
  for (std::size_t attempt = 0;; ++attempt) {
    LiftedFit found;
    found.free = independent_equalities(constraints, word_prime(9 + attempt), budget);
    found.fit = solve_nonnegative_least_squares(lifted_problem(constraints, found.free, budget), Integer(1),
                                                start, budget);
    if (found.fit.exact_fit) return found;
    bool hold = true;
    for (std::size_t c = 0; c < constraints.size(); ++c)
      hold = hold && (!is_equality(constraints, c) || found.fit.price[c] == 0);
    if (hold) return found;  // else one left out was independent: another prime
  }
}

// Decides whether tight constraint `at` can carry a positive multiplier: minimises
// ||D_at + sum_{j in zero \ at} u_j D_j + sum_{j in positive} a_j D_j|| over u >= 0 and a free. A zero
// minimum shifts the multipliers along a kernel vector of the support; otherwise the residual d has <D_j, d>
// = 0 on `positive`, hence <w*, d> = 0, <D_j, d> >= 0 on the rest of the support and <D_at, d> = ||d||^2 > 0.
// Independent rows = 0 count to the support and to `positive`, whatever their multipliers.
struct Shift {
  bool possible = false;
  std::vector<std::size_t> at;  // constraint numbers, increasing, with the coefficients of the sum above
  SharedVector value;
};

class ComplementarityDecision {
 public:
  ComplementarityDecision(const IntegerConstraints& constraints, const std::vector<std::size_t>& support,
                          const std::vector<std::size_t>& positive, const Budget& budget)
      : constraints_(constraints), support_(support), positive_(positive), budget_(budget) {}

  Shift shift(std::size_t at) const {
    LeastSquaresProblem problem;
    problem.columns = support_.size();
    problem.inner_bits = constraints_.gram_bits();
    problem.gram = [&](std::span<const std::size_t> columns) {
      std::vector<std::size_t> numbers;
      for (const std::size_t column : columns) numbers.push_back(support_[column]);
      return constraints_.gram_matrix(numbers, budget_);
    };
    problem.target = [&](std::size_t column) { return Integer(-constraints_.gram(support_[column], at)); };
    problem.price = [&](std::span<const std::size_t> columns, const SharedVector& value) {
      const auto [numbers, numerators] = with_target(columns, value, at);
      const std::vector<Integer> products = constraints_.products(numbers, numerators, budget_);
      std::vector<Integer> price(support_.size());
      for (std::size_t k = 0; k < support_.size(); ++k) price[k] = -products[support_[k]];
      return price;
    };
    problem.excluded.assign(support_.size(), false);
    for (std::size_t k = 0; k < support_.size(); ++k) {
      if (support_[k] == at) problem.excluded[k] = true;
      if (std::binary_search(positive_.begin(), positive_.end(), support_[k])) problem.free.push_back(k);
    }
    const LeastSquaresSolution solution =
        solve_nonnegative_least_squares(problem, constraints_.gram(at, at), {}, budget_);
    Shift result;
    result.possible = solution.exact_fit;
    std::tie(result.at, result.value.numerator) = with_target(solution.at, solution.value, at);
    result.value.denominator = solution.value.denominator;
    return result;
  }

 private:
  // The sum's coefficients including D_at's own, as increasing constraint numbers and numerators.
  std::pair<std::vector<std::size_t>, std::vector<Integer>> with_target(std::span<const std::size_t> columns,
                                                                        const SharedVector& value,
                                                                        std::size_t at) const {
    std::pair<std::vector<std::size_t>, std::vector<Integer>> result;
    bool placed = false;
    for (std::size_t k = 0; k <= columns.size(); ++k) {
      if (!placed && (k == columns.size() || support_[columns[k]] > at)) {
        result.first.push_back(at);
        result.second.push_back(value.denominator);
        placed = true;
      }
      if (k == columns.size()) break;
      result.first.push_back(support_[columns[k]]);
      result.second.push_back(value.numerator[k]);
    }
    return result;
  }

  const IntegerConstraints& constraints_;
  const std::vector<std::size_t>& support_;
  const std::vector<std::size_t>& positive_;
  const Budget& budget_;
};

// multipliers + t * shift with t > 0 a power of two so small that positive multipliers stay positive.
void apply_shift(const IntegerConstraints& constraints, std::vector<Rational>& multipliers,
                 const std::vector<std::size_t>& support, const Shift& shift) {
  Rational step = 1;
  std::vector<Rational> change(support.size(), Rational(0));
  for (std::size_t k = 0; k < shift.at.size(); ++k) {
    const auto place = static_cast<std::size_t>(
        std::lower_bound(support.begin(), support.end(), shift.at[k]) - support.begin());
    change[place] = Rational(shift.value.numerator[k], shift.value.denominator);
    if (is_equality(constraints, shift.at[k])) continue;
    while (multipliers[place] + step * change[place] <= 0 && change[place] < 0) step /= 2;
  }
  for (std::size_t k = 0; k < support.size(); ++k) multipliers[k] += step * change[k];
}

// `support`: tight rows that are not = 0; `basis`: independent rows, those = 0 and those with positive
// multipliers, which are `value`.
void decide_complementarity(const IntegerConstraints& constraints, std::vector<std::size_t> support,
                            const std::vector<std::size_t>& basis, const std::vector<std::size_t>& at,
                            const SharedVector& value, const Budget& budget, MarginSolution& solution) {
  if (std::includes(basis.begin(), basis.end(), support.begin(), support.end())) {
    solution.strictly_complementary = true;
    return;
  }
  std::vector<std::size_t> carriers;
  std::set_union(support.begin(), support.end(), basis.begin(), basis.end(), std::back_inserter(carriers));
  const Rational to_multiplier = 1 / constraints.gram_scale();
  std::vector<Rational> multipliers(carriers.size(), Rational(0));
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto place = std::lower_bound(carriers.begin(), carriers.end(), at[k]) - carriers.begin();
    multipliers[static_cast<std::size_t>(place)] = Rational(value.numerator[k], value.denominator);
  }
  const ComplementarityDecision decision(constraints, carriers, basis, budget);
  for (std::size_t k = 0; k < carriers.size(); ++k) {
    if (multipliers[k] > 0 || is_equality(constraints, carriers[k])) continue;
    const Shift shift = decision.shift(carriers[k]);
    if (!shift.possible) {
      solution.strictly_complementary = false;
      solution.complementarity_witness = ComplementarityWitness{
          constraints.constraint(carriers[k]), constraint_vector(constraints, shift.at, shift.value, 1)};
      return;
    }
    apply_shift(constraints, multipliers, carriers, shift);
  }
  SharedVector all;
  for (const Rational& multiplier : multipliers)
    all.denominator = lcm(all.denominator, Integer(denominator(multiplier)));
  for (const Rational& multiplier : multipliers) {
    all.numerator.push_back(numerator(multiplier) * (all.denominator / denominator(multiplier)));
  }
  solution.strictly_complementary = true;
  solution.complementary_multipliers = constraint_vector(constraints, carriers, all, to_multiplier);
}

}  // namespace

ConstraintVector constraint_vector(const IntegerConstraints& constraints, const std::vector<std::size_t>& at,
                                   const SharedVector& value, const Rational& factor) {
  ConstraintVector vector;
  vector.denominator = value.denominator * denominator(factor);
  Integer content = vector.denominator;
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (value.numerator[k] == 0) continue;
    vector.constraint.push_back(constraints.constraint(at[k]));
    vector.numerator.push_back(value.numerator[k] * numerator(factor));
    if (content != 1) content = gcd(content, vector.numerator.back());
  }
  if (content != 1) {
    vector.denominator /= content;
    for (Integer& entry : vector.numerator) entry /= content;
  }
  return vector;
}

void decide_local_optimality(const IntegerConstraints& constraints, MarginSolution& solution) {
  solution.locally_optimal = true;
  const std::vector<Constraint>& support = *solution.support;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (!std::binary_search(support.begin(), support.end(), constraints.constraint(c))) continue;
    if (score_gap(constraints.data(), constraints.row(c)) > 0) continue;
    solution.locally_optimal = false;
    solution.local_witness = constraints.constraint(c);
    return;
  }
}

void solve_exact_margin(const IntegerConstraints& constraints, const std::vector<std::size_t>& start,
                        double complementarity_seconds, const Budget& budget, MarginSolution& solution) {
  const auto [fit, free] = solve_lifted(constraints, start, budget);
  solution.statistics.exact_pivots += fit.pivots;
  if (fit.exact_fit) {
    solution.feasibility = Feasibility::infeasible;
    solution.farkas = constraint_vector(constraints, fit.at, fit.value, 1);
    solution.locally_optimal = false;
    return;
  }

  SharedVector value = fit.value;
  value.denominator = less_sum(constraints, fit.at, fit.value);
  const Rational to_multiplier = 1 / constraints.gram_scale();
  ExactOptimum optimum;
  optimum.multipliers = constraint_vector(constraints, fit.at, value, to_multiplier);
  optimum.norm_squared = to_multiplier * (Rational(fit.value.denominator, value.denominator) - 1);
  solution.feasibility = Feasibility::feasible;
  solution.norm_squared = {optimum.norm_squared, optimum.norm_squared};
  solution.exact = std::move(optimum);

  std::vector<std::size_t> support, basis;
  solution.support.emplace();
  bool all_ask_one = true;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    all_ask_one = all_ask_one && asks_one(constraints, c);
    if (is_equality(constraints, c) || fit.price[c] != 0) continue;
    support.push_back(c);
    solution.support->push_back(constraints.constraint(c));
  }
  if (all_ask_one) decide_local_optimality(constraints, solution);
  std::set_union(fit.at.begin(), fit.at.end(), free.begin(), free.end(), std::back_inserter(basis));
  // One solve at least for each support constraint without a multiplier.
  const auto open = static_cast<double>(support.size() - std::min(support.size(), fit.at.size()));
  if (open * predicted_solve_seconds(basis.size(), constraints.gram_bits()) > complementarity_seconds) return;
  decide_complementarity(constraints, std::move(support), basis, fit.at, value, budget, solution);
}

}  // namespace attest
