#include "numerics/margin/enclosure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/margin/exact.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

using boost::multiprecision::denominator;
using boost::multiprecision::numerator;
using Eigen::Index;
using Eigen::VectorXd;

constexpr unsigned kRadiusBits = 32;  // mantissa of emitted radii
constexpr long kFirstBits = 62;       // of the largest multiplier when refinement starts
constexpr long kBitsPerStep = 42;     // taken on per refinement step; a step gains 40-47

// A truncation of `value` to 8 significant bits, so that the certified bound is a short number.
double short_below(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::floor(fraction * 256), exponent - 8);
}

Rational exact_norm_squared(const IntegerConstraints& constraints, std::size_t c) {
  return constraints.gram_scale() * Rational(constraints.gram(c, c));
}

}  // namespace

ActiveRefinement::ActiveRefinement(const IntegerConstraints& constraints, const ScaledConstraints& scaled,
                                   const ActiveGram& gram, const std::vector<std::size_t>& at,
                                   const VectorXd& multiplier, const Budget& budget)
    : constraints_(constraints), scaled_(scaled), gram_(gram), at_(at), budget_(budget) {
  // multiplier of the problem = multiplier of the scaled problem * 2^(-2 exponent).
  int top = 0;
  (void)std::frexp(multiplier.cwiseAbs().maxCoeff(), &top);
  shift_ = kFirstBits - top + 2 * scaled_.exponent;
  numerator_.reserve(at_.size());
  for (Index k = 0; k < multiplier.size(); ++k) {
    numerator_.push_back(rounded_integer(multiplier[k], shift_ - 2 * scaled_.exponent));
  }
  working_bits_ = kFirstBits;
}

Rational ActiveRefinement::value(const Integer& entry) const {
  return Rational(entry) * power_of_two(-shift_);
}

bool ActiveRefinement::prove_eigenvalue() {
  if (least_eigenvalue_ > 0) return true;
  const double estimate = gram_.approx_least_eigenvalue();
  for (const double part : {0.5, 0.125, 0.015625}) {
    budget_.poll();
    const double bound = short_below(part * estimate);
    if (!gram_.proves_least_eigenvalue(bound)) continue;
    least_eigenvalue_ = bound;
    lambda_min_ = Rational(bound) * power_of_two(2 * scaled_.exponent);
    return true;
  }
  return false;
}

// Exact residuals, norms and radii of the current multipliers.
void ActiveRefinement::measure() {
  const std::vector<Integer> products = constraints_.products(at_, numerator_, budget_);
  // m_c = gram_scale * product * 2^-shift.
  Integer factor = numerator(constraints_.gram_scale());
  rest_denominator_ = denominator(constraints_.gram_scale());
  if (shift_ >= 0) {
    rest_denominator_ <<= static_cast<unsigned long>(shift_);
  } else {
    factor <<= static_cast<unsigned long>(-shift_);
  }
  rest_.resize(products.size());
  for (std::size_t c = 0; c < products.size(); ++c) rest_[c] = rest_denominator_ - factor * products[c];

  Integer sum = 0;
  Integer weighted = 0;  // sum lambda_c m_c = ||w||^2
  Integer squares = 0;
  for (std::size_t k = 0; k < at_.size(); ++k) {
    sum += numerator_[k];
    weighted += numerator_[k] * (rest_denominator_ - rest_[at_[k]]);
    squares += rest_[at_[k]] * rest_[at_[k]];
  }
  sum_ = value(sum);
  norm_squared_ = value(weighted) / Rational(rest_denominator_);
  const Rational residual_squared(squares, rest_denominator_ * rest_denominator_);
  radius_ = dyadic_above_sqrt(residual_squared / lambda_min_, kRadiusBits);
  multiplier_radius_ = dyadic_above_sqrt(residual_squared / (lambda_min_ * lambda_min_), kRadiusBits);
}

bool ActiveRefinement::refine(long bits) {
  if (!prove_eigenvalue()) return false;
  if (rest_.empty()) measure();
  const Rational goal = power_of_two(-2 * bits);
  int stalls = 0;
  while (!(norm_squared_ > 0) || radius_ * radius_ > goal * norm_squared_) {
    budget_.poll();
    // Solve for the correction in doubles, its residual scaled by the largest entry.
    long top = std::numeric_limits<long>::min();
    std::vector<ScaledDouble> rest(at_.size());
    for (std::size_t k = 0; k < at_.size(); ++k) {
      rest[k] = scaled_double(rest_[at_[k]]);
      if (rest[k].mantissa != 0) top = std::max(top, rest[k].exponent);
    }
    const ScaledDouble unit = scaled_double(rest_denominator_);
    VectorXd right(static_cast<Index>(at_.size()));
    for (std::size_t k = 0; k < at_.size(); ++k) {
      const long down = std::max<long>(rest[k].exponent - top, -1100);
      right[static_cast<Index>(k)] = std::ldexp(rest[k].mantissa / unit.mantissa, static_cast<int>(down));
    }
    const VectorXd correction = gram_.approx_solve(right);
    if (!correction.allFinite()) return false;
    // Enough bits that rounding them does not dominate the next residual, not more.
    const long step = std::min(kBitsPerStep, std::max<long>(8, bits + 40 - working_bits_));
    for (Integer& entry : numerator_) entry <<= static_cast<unsigned long>(step);
    shift_ += step;
    working_bits_ += step;
    const long exponent = shift_ - 2 * scaled_.exponent + top - unit.exponent;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      numerator_[k] += rounded_integer(correction[static_cast<Index>(k)], exponent);
    }
    const Rational before = radius_;
    measure();
    if (radius_ * 2 > before && ++stalls > 1) return false;
  }
  return true;
}

ActiveRefinement::Signs ActiveRefinement::signs() const {
  Signs signs;
  for (std::size_t k = 0; k < at_.size(); ++k) {
    const Rational multiplier = value(numerator_[k]);
    if (multiplier > multiplier_radius_) continue;
    (multiplier < -multiplier_radius_ ? signs.leaving : signs.open).push_back(at_[k]);
  }
  const long radius_log = radius_ == 0 ? std::numeric_limits<long>::min() / 4 : approx_log2(radius_) + 2;
  const long unit_log = scaled_double(rest_denominator_).exponent;
  for (std::size_t c = 0, k = 0; c < constraints_.size(); ++c) {
    if (k < at_.size() && at_[k] == c) {
      ++k;
      continue;
    }
    // |m_c - 1| >= 2^rest_log and ||Delta_c|| radius < 2^(norm_log + radius_log) settle nearly all of them.
    const int sign = rest_[c] < 0 ? 1 : -1;  // of m_c - 1
    const long rest_log = rest_[c] == 0 ? std::numeric_limits<long>::min() / 2
                                        : scaled_double(rest_[c]).exponent - 1 - unit_log;
    int norm_log = 0;
    (void)std::frexp(scaled_.norm_squared[static_cast<Index>(c)], &norm_log);
    bool clear = scaled_.norm_squared[static_cast<Index>(c)] > 1e-200 &&
                 rest_log > norm_log / 2 + 2 + scaled_.exponent + radius_log;
    if (!clear) {
      const Rational rest = residual(c);
      clear = rest * rest > radius_ * radius_ * exact_norm_squared(constraints_, c);
    }
    if (!clear) {
      signs.open.push_back(c);
    } else if (sign < 0) {
      signs.entering.push_back(c);
    }
  }
  return signs;
}

ConstraintVector ActiveRefinement::vector(const std::vector<Integer>& numerators,
                                          const Rational& factor) const {
  SharedVector shared;
  shared.numerator = numerators;
  return constraint_vector(constraints_, at_, shared, factor * power_of_two(-shift_));
}

EnclosedOptimum ActiveRefinement::enclosed(long bits) const {
  EnclosedOptimum optimum;
  optimum.multipliers = vector(numerator_, 1);
  optimum.lambda_min = lambda_min_;
  optimum.radius = radius_;
  optimum.multiplier_radius = multiplier_radius_;
  // w* - w is within radius, and ||w*||^2 lies between the dual value b and b + radius^2 (theory.md T3: with
  // lambda the multipliers of w*, ||w*||^2 - b = ||w* - w||^2 when w* and w have the same active set).
  const auto precision = static_cast<unsigned>(2 * bits + 16);
  const Rational dual = 2 * sum_ - norm_squared_;
  optimum.norm_squared = {dyadic_below(dual, precision), dyadic_above(dual + radius_ * radius_, precision)};
  // A factorisation with b fractional bits errs by about k 2^-b times the largest Gram diagonal; the true
  // eigenvalue is about twice lambda_min, so b leaves a factor of eight.
  const double relative = least_eigenvalue_ / gram_.approx_largest_diagonal();
  const double needed = std::log2(static_cast<double>(at_.size())) - std::log2(relative) + 3;
  for (const long choice : {29L, 60L, 120L}) {
    optimum.cholesky_bits = choice;
    if (needed <= static_cast<double>(choice)) break;
  }
  return optimum;
}

bool ActiveRefinement::fill_gap(MarginSolution& solution) const {
  const auto is_negative = [](const Integer& entry) { return entry < 0; };
  if (rest_.empty() || std::any_of(numerator_.begin(), numerator_.end(), is_negative)) return false;
  // The least margin, as a fraction rest_denominator - max rest over rest_denominator.
  const Integer worst = *std::max_element(rest_.begin(), rest_.end());
  const Integer least_margin = rest_denominator_ - worst;
  if (least_margin <= 0) return false;
  const Rational scale = dyadic_above(Rational(rest_denominator_, least_margin), 64);
  GapOptimum gap;
  gap.primal = vector(numerator_, scale);
  gap.dual = vector(numerator_, 1);
  const Rational primal_value = scale * scale * norm_squared_;
  const Rational dual_value = 2 * sum_ - norm_squared_;
  gap.distance_squared = dyadic_above(primal_value - dual_value, kRadiusBits);
  gap.norm_squared = {dyadic_below(dual_value, 160), dyadic_above(primal_value, 160)};
  solution.feasibility = Feasibility::feasible;
  solution.separator = gap.primal;
  solution.norm_squared = gap.norm_squared;
  solution.support_undecided.clear();
  bool local = true;
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    const Rational slack = scale * (1 - residual(c)) - 1;
    if (slack > 0 && slack * slack > gap.distance_squared * exact_norm_squared(constraints_, c)) continue;
    solution.support_undecided.push_back(constraints_.constraint(c));
    if (score_gap(constraints_.data(), constraints_.row(c)) <= 0) local = false;
  }
  if (local) solution.locally_optimal = true;
  solution.gap = std::move(gap);
  return true;
}

}  // namespace attest
