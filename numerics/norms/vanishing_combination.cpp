#include "numerics/norms/vanishing_combination.hpp"

#include <algorithm>

#include "numerics/norms/dictionary.hpp"
#include "numerics/norms/exact_rows.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/numbers/exact_elimination.hpp"

namespace attest {
namespace {

using Index = Eigen::Index;
using Rows = std::vector<std::vector<Integer>>;

constexpr double least_weight = 1e-7;
constexpr long weight_bits = 40;

Integer product(const std::vector<Integer>& a, const std::vector<Integer>& b) {
  Integer sum;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

struct Weights {
  std::vector<std::size_t> at;  // of these inequalities
  std::vector<Rational> value;
};

// The largest sum of weights from 0 to 1 with which the inequalities, made of equal size on the kernel, add
// up to 0 there.
Weights guess_weights(const Rows& inequalities, const Rows& kernel, const Budget& budget) {
  const auto height = static_cast<Index>(kernel.size()), width = static_cast<Index>(inequalities.size());
  RowMatrix rows(height, width);
  std::vector<Integer> size;
  for (std::size_t i = 0; i < inequalities.size(); ++i) {
    budget.poll();
    std::vector<Integer> products;
    for (const std::vector<Integer>& x : kernel) products.push_back(product(inequalities[i], x));
    size.push_back(std::max(largest_magnitude(products), Integer(1)));
    for (std::size_t k = 0; k < kernel.size(); ++k)
      rows(static_cast<Index>(k), static_cast<Index>(i)) =
          Rational(products[k], size.back()).convert_to<double>();
  }
  std::vector<VariableRange> ranges(inequalities.size(), {0, 1});
  ranges.resize(inequalities.size() + kernel.size());
  // An inequality that is 0 on all of the kernel says nothing.
  Eigen::RowVectorXd gains(width);
  for (Index i = 0; i < width; ++i) gains[i] = rows.col(i).cwiseAbs().maxCoeff() > 0 ? 1 : 0;
  Dictionary program(std::move(rows), std::move(gains), std::move(ranges));
  Weights found;
  if (!program.maximise(budget)) return found;
  for (std::size_t i = 0; i < inequalities.size(); ++i) {
    const double weight = program.value(i);
    if (weight <= least_weight) continue;
    found.at.push_back(i);
    found.value.emplace_back(rounded_integer(weight, weight_bits), size[i]);
  }
  return found;
}

// For each vector of the basis a place where the others are 0, as far behind as there is one.
std::vector<std::size_t> last_own_places(const Rows& basis) {
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < basis.size(); ++k) {
    std::size_t place = basis[k].size();
    const auto own = [&](std::size_t j) {
      for (std::size_t l = 0; l < basis.size(); ++l)
        if ((basis[l][j] == 0) == (l == k)) return false;
      return true;
    };
    while (place > 0 && !own(place - 1)) --place;
    result.push_back(place - 1);
  }
  return result;
}

}  // namespace

std::optional<VanishingCombination> vanishing_combination(const Rows& equations, const Rows& inequalities,
                                                          const Rows& kernel, const Budget& budget) {
  if (inequalities.empty()) return std::nullopt;
  const Weights weights = guess_weights(inequalities, kernel, budget);
  if (weights.at.empty()) return std::nullopt;
  std::vector<std::vector<Rational>> system;
  for (std::size_t j = 0; j < kernel[0].size(); ++j) {
    std::vector<Rational>& row = system.emplace_back();
    for (const std::vector<Integer>& equation : equations) row.emplace_back(equation[j]);
    for (const std::size_t i : weights.at) row.emplace_back(inequalities[i][j]);
  }
  const Rows basis = exact_kernel(system, budget);
  const std::vector<std::size_t> own = last_own_places(basis);
  // The combination with the weights guessed at the places of the inequalities, 0 at those of equations.
  std::vector<Rational> combined(equations.size() + weights.at.size());
  for (std::size_t k = 0; k < basis.size(); ++k) {
    if (own[k] >= combined.size() || own[k] < equations.size()) continue;
    const Rational share = weights.value[own[k] - equations.size()] / basis[k][own[k]];
    for (std::size_t j = 0; j < combined.size(); ++j) combined[j] += share * basis[k][j];
  }
  Integer common = 1;
  for (const Rational& x : combined) common = lcm(common, Integer(denominator(x)));
  VanishingCombination found;
  found.positive.resize(inequalities.size());
  bool some = false;
  for (std::size_t j = 0; j < combined.size(); ++j) {
    const Integer value = numerator(combined[j]) * (common / denominator(combined[j]));
    if (j < equations.size()) {
      found.equal.push_back(value);
      continue;
    }
    if (value < 0) return std::nullopt;
    some = some || value > 0;
    found.positive[weights.at[j - equations.size()]] = value;
  }
  return some ? std::optional(found) : std::nullopt;
}

}  // namespace attest
