#include "numerics/margin/finite_part.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "numerics/numbers/ball_matrix.hpp"
#include "numerics/numbers/exact_linear_solve.hpp"
#include "numerics/numbers/modular_matrix.hpp"

namespace attest {
namespace {

std::vector<MarginRow> equalities(const TokenData& data, const SelectedSets& sets) {
  std::vector<MarginRow> rows = margin_rows(data, sets);
  std::erase_if(rows, [](const MarginRow& row) { return row.sense != Sense::equal_to_zero; });
  return rows;
}

// Of the k x k row-major matrix.
std::vector<Integer> submatrix(const std::vector<Integer>& matrix, std::size_t k,
                               const std::vector<std::size_t>& at) {
  std::vector<Integer> part;
  for (const std::size_t r : at) {
    for (const std::size_t c : at) part.push_back(matrix[r * k + c]);
  }
  return part;
}

// The e with `ratio` = base^e times what is coprime to base.
long exponent(const Rational& ratio, const Integer& base) {
  long count = 0;
  for (Integer rest = numerator(ratio); rest % base == 0; rest /= base) ++count;
  for (Integer rest = denominator(ratio); rest % base == 0; rest /= base) --count;
  return count;
}

}  // namespace

FiniteEquations::FiniteEquations(const TokenData& data, const SelectedSets& sets, const Budget& budget)
    : rows_(data, equalities(data, sets)) {
  std::vector<std::size_t> all(size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<Integer> gram = rows_.gram_matrix(all, budget);
  // A prime that divides a minor leaves an independent equation out, which its residual shows.
  for (std::size_t index = 0; index < 8; ++index) {
    const std::uint64_t prime = word_prime(index);
    independent_ = independent_positions(residues(gram, prime), size(), prime, budget);
    gram_ = submatrix(gram, size(), independent_);
    if (find_dependences(gram, budget)) return;
  }
  throw BudgetReached{"precision: the rank of the equations of the finite part"};
}

// All others are exact combinations of the independent ones?
bool FiniteEquations::find_dependences(const std::vector<Integer>& gram, const Budget& budget) {
  dependences_.clear();
  for (std::size_t k = 0; k < size(); ++k) {
    if (std::binary_search(independent_.begin(), independent_.end(), k)) continue;
    dependences_.push_back(dependence(gram, k, budget));
    const std::vector<Rational>& on = dependences_.back().on;
    // The squared distance from the span, for the normal equations hold exactly.
    Rational distance(gram[k * size() + k]);
    for (std::size_t j = 0; j < on.size(); ++j) distance -= on[j] * gram[k * size() + independent_[j]];
    if (on.size() != independent_.size() || distance != 0) return false;
  }
  return true;
}

FiniteEquations::Dependence FiniteEquations::dependence(const std::vector<Integer>& gram,
                                                        std::size_t equation, const Budget& budget) const {
  Dependence found{equation, {}};
  if (independent_.empty()) return found;
  std::vector<Integer> right_side;
  for (const std::size_t j : independent_) right_side.push_back(gram[equation * size() + j]);
  const std::optional<SharedVector> solved = solve_exactly(gram_, right_side, budget);
  if (!solved) return found;
  for (const Integer& numerator : solved->numerator)
    found.on.emplace_back(Rational(numerator, solved->denominator));
  return found;
}

const FiniteEquations::Dependence* FiniteEquations::contradiction(const std::vector<Rational>& ratios) const {
  if (dependences_.empty()) return nullptr;
  const std::vector<Integer> base = coprime_base(ratios);
  for (const Dependence& dependence : dependences_) {
    // Coprime numbers above 1 are multiplicatively independent: logarithms agree where exponents do.
    for (const Integer& b : base) {
      Rational sum = exponent(ratios[dependence.equation], b);
      for (std::size_t j = 0; j < dependence.on.size(); ++j)
        sum -= dependence.on[j] * exponent(ratios[independent_[j]], b);
      if (sum != 0) return &dependence;
    }
  }
  return nullptr;
}

std::optional<FiniteEquations::LeastNorm> FiniteEquations::least_norm(const std::vector<Ball>& values,
                                                                      long bits) const {
  constexpr long most_bits = 1L << 14;
  const std::size_t k = independent_.size();
  LeastNorm found{std::vector<Ball>(k), Ball(0)};
  if (k == 0) return found;
  BallMatrix gram(k, k), value(k, 1), solution(k, 1);
  for (std::size_t j = 0; j < k; ++j) {
    arb_set(value.entry(j, 0), values[independent_[j]].raw());
    for (std::size_t m = 0; m < k; ++m) arb_set(gram.entry(j, m), Ball(gram_[j * k + m]).raw());
  }
  long working = bits + 64;
  while (!arb_mat_solve(solution.raw(), gram.raw(), value.raw(), working)) {
    working *= 2;
    if (working > most_bits) return std::nullopt;
  }
  const Ball scale(rows_.gram_scale(), working);
  for (std::size_t j = 0; j < k; ++j) {
    Ball& coefficient = found.coefficient[j];
    arb_div(coefficient.raw(), solution.entry(j, 0), scale.raw(), working);
    add_product(found.norm_squared, coefficient, values[independent_[j]], working);
    if (!coefficient.is_finite()) return std::nullopt;
  }
  return found;
}

FinitePart solve_finite_part(const FiniteEquations& equations, const std::vector<Rational>& ratios,
                             long bits) {
  FinitePart found;
  for (std::size_t k = 0; k < equations.size(); ++k) found.equations.push_back(equations.row(k));
  found.independent = equations.independent();
  const std::vector<Ball> values = logarithms(ratios, bits);
  if (const auto* contradiction = equations.contradiction(ratios)) {
    found.contradiction = *contradiction;
    found.excess = values[contradiction->equation];
    for (std::size_t j = 0; j < contradiction->on.size(); ++j)
      add_product(found.excess, Ball(-contradiction->on[j], bits), values[found.independent[j]], bits);
  } else {
    found.least_norm = equations.least_norm(values, bits);
  }
  return found;
}

std::vector<Integer> coprime_base(const std::vector<Rational>& ratios) {
  std::vector<Integer> numbers, base;
  for (const Rational& ratio : ratios) {
    numbers.push_back(numerator(ratio));
    numbers.push_back(denominator(ratio));
  }
  while (!numbers.empty()) {
    Integer n = std::move(numbers.back());
    numbers.pop_back();
    if (n == 1) continue;
    const auto shared =
        std::find_if(base.begin(), base.end(), [&](const Integer& b) { return gcd(n, b) != 1; });
    if (shared == base.end()) {
      base.push_back(std::move(n));
      continue;
    }
    // n and b become n/g, b/g and g, whose product is smaller.
    const Integer common = gcd(n, *shared);
    numbers.insert(numbers.end(), {n / common, *shared / common, common});
    base.erase(shared);
  }
  return base;
}

std::vector<Ball> logarithms(const std::vector<Rational>& ratios, long bits) {
  std::vector<Ball> values;
  for (const Rational& ratio : ratios) values.push_back(log(Ball(ratio, bits + 64), bits + 64));
  return values;
}

}  // namespace attest
