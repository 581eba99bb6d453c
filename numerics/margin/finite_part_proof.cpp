#include "numerics/margin/finite_part_proof.hpp"

#include <algorithm>

#include "numerics/margin/active_gram.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {

using boost::multiprecision::denominator;
using boost::multiprecision::numerator;

namespace {

constexpr long kReserve = 128;  // bits of logarithms beyond those of what is stated
constexpr long kMostBits = 4096;
constexpr unsigned kStatedBits = 64;

Constraint place(const FiniteEquations& equations, std::size_t k) {
  return equations.row(k).constraint();
}

// The equation less the sum that it is, in integers.
ConstraintVector combination(const FiniteEquations& equations,
                             const FiniteEquations::Dependence& dependence) {
  Integer common = 1;
  for (const Rational& x : dependence.on) common = lcm(common, Integer(denominator(x)));
  std::vector<std::pair<Constraint, Integer>> entries{{place(equations, dependence.equation), common}};
  for (std::size_t j = 0; j < dependence.on.size(); ++j) {
    const Rational entry = -dependence.on[j] * common;
    if (entry != 0) entries.emplace_back(place(equations, equations.independent()[j]), numerator(entry));
  }
  std::sort(entries.begin(), entries.end());
  ConstraintVector found;
  for (auto& [at, entry] : entries) {
    found.constraint.push_back(at);
    found.numerator.push_back(std::move(entry));
  }
  return found;
}

// The least number of bits, from `bits` on, with which the logarithms combined are certainly not 0; 0: none.
long deciding_bits(const FinitePartProof& proof, const ConstraintVector& combination, long bits) {
  for (; bits <= kMostBits; bits *= 2) {
    Ball sum;
    for (std::size_t k = 0; k < combination.size(); ++k) {
      const auto at =
          std::lower_bound(proof.equations.begin(), proof.equations.end(), combination.constraint[k]);
      const Rational& ratio = proof.ratios[static_cast<std::size_t>(at - proof.equations.begin())];
      add_product(sum, Ball(combination.numerator[k]), log(Ball(ratio, bits - 32), bits - 32), bits - 32);
    }
    if (!sum.contains_zero()) return bits;
  }
  return 0;
}

// Dyadics near the coefficients, in units of 2^-shift.
std::vector<Integer> rounded_numerators(const std::vector<Ball>& values, long shift) {
  std::vector<Integer> found;
  for (const Ball& value : values) {
    const Rational scaled = value.lower() * power_of_two(shift);
    found.push_back(numerator(scaled) / denominator(scaled));
  }
  return found;
}

// 0 where all are 0.
long top_exponent(const std::vector<Ball>& values) {
  std::optional<long> top;
  for (const Ball& value : values) {
    const Rational low = value.lower();
    if (low != 0) top = std::max(top.value_or(approx_log2(low)), approx_log2(low));
  }
  return top.value_or(0);
}

// Of least norm among all with the independent equations' margins, near `coefficient`: its radius and norm
// with 2^-bits of the numbers they are made of to spare.
void bound(EnclosedFinitePart& found, const FiniteEquations& equations, const std::vector<Ball>& margins,
           const std::vector<Ball>& coefficient, long bits, const Budget& budget) {
  const std::vector<std::size_t>& at = equations.independent();
  const long shift = std::max(0L, bits + 32 - top_exponent(coefficient));
  const std::vector<Integer> x = rounded_numerators(coefficient, shift);
  const Rational unit = power_of_two(-shift), spare = power_of_two(-bits);
  const std::vector<Integer> products = equations.constraints().products(at, x, budget);
  Rational residual = 0, norm_squared = 0, size = 1;
  Ball dual;
  for (std::size_t j = 0; j < at.size(); ++j) {
    const Rational margin = equations.constraints().gram_scale() * products[at[j]] * unit;
    const Ball& value = margins[at[j]];
    const Rational most = abs(value).upper(), entry = x[j] * unit;
    const Rational off = std::max(Rational(value.upper() - margin), Rational(margin - value.lower()));
    const Rational missing = off + spare * (1 + most);
    residual += missing * missing;
    norm_squared += entry * margin;
    size += most * boost::multiprecision::abs(entry);
    add_product(dual, Ball(Rational(2 * entry), bits + kReserve), value, bits + kReserve);
    if (x[j] == 0) continue;
    found.coefficients.constraint.push_back(place(equations, at[j]));
    found.coefficients.numerator.push_back(x[j]);
  }
  found.coefficients.denominator = numerator(power_of_two(shift));
  found.radius = dyadic_above_sqrt(residual / found.least_eigenvalue, kStatedBits);
  const Rational aside = spare * (size + norm_squared);
  const Rational low = found.coefficients.size() == 0 ? Rational(0) : dual.lower() - norm_squared - aside;
  const Rational high = dual.upper() - norm_squared + aside + found.radius * found.radius;
  found.norm_squared = {dyadic_below(low, kStatedBits), dyadic_above(high, kStatedBits)};
}

}  // namespace

FinitePartProver::FinitePartProver(const FiniteEquations& equations, const Budget& budget)
    : equations_(equations), budget_(budget), least_eigenvalue_(1) {
  if (equations.independent().empty()) return;
  const ScaledConstraints scaled = scale_constraints(equations.constraints(), budget);
  const std::optional<ActiveGram> gram = ActiveGram::factorise(scaled, equations.independent());
  const double bound = gram ? gram->proved_least_eigenvalue(budget) : 0;
  least_eigenvalue_ = Rational(bound) * power_of_two(2 * scaled.exponent);
}

std::optional<EnclosedFinitePart> FinitePartProver::enclose(const std::vector<Ball>& margins,
                                                            long bits) const {
  if (least_eigenvalue_ == 0) return std::nullopt;
  const std::optional<FiniteEquations::LeastNorm> least = equations_.least_norm(margins, bits);
  if (!least) return std::nullopt;
  EnclosedFinitePart found;
  for (const std::size_t k : equations_.independent()) found.spanning.push_back(place(equations_, k));
  found.least_eigenvalue = least_eigenvalue_;
  bound(found, equations_, margins, least->coefficient, bits, budget_);
  for (const FiniteEquations::Dependence& dependence : equations_.dependences())
    found.combinations.push_back(combination(equations_, dependence));
  return found;
}

FinitePartProof prove_finite_part(const FiniteEquations& equations, const std::vector<Rational>& ratios,
                                  const FinitePart& part, long bits, const Budget& budget) {
  FinitePartProof proof;
  for (std::size_t k = 0; k < equations.size(); ++k) proof.equations.push_back(place(equations, k));
  proof.ratios = ratios;
  proof.bits = bits + kReserve;
  if (part.contradiction) {
    const ConstraintVector vanishing = combination(equations, *part.contradiction);
    const long deciding = deciding_bits(proof, vanishing, proof.bits);
    if (deciding == 0) return proof;
    proof.bits = deciding;
    proof.contradiction = vanishing;
  } else if (part.least_norm) {
    if (!equations.independent().empty())
      proof.enclosed = FinitePartProver(equations, budget).enclose(logarithms(ratios, bits + kReserve), bits);
    if (proof.enclosed && !equations.dependences().empty()) proof.enclosed->bases = coprime_base(ratios);
  }
  return proof;
}

}  // namespace attest
