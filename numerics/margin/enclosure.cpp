#include "numerics/margin/enclosure.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "numerics/margin/exact.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr unsigned kRadiusBits = 32;  // mantissa of emitted radii
constexpr long kFirstBits = 62;       // of the largest multiplier when refinement starts

}  // namespace

ActiveRefinement::ActiveRefinement(const IntegerConstraints& constraints, const ScaledConstraints& scaled,
                                   const ActiveGram& gram, const std::vector<std::size_t>& at,
                                   const VectorXd& multiplier, const Budget& budget)
    : constraints_(constraints), scaled_(scaled), gram_(gram), at_(at), budget_(budget) {
  // multiplier of the problem = multiplier of the scaled problem * 2^(-2 exponent).
  int top = 0;
  (void)std::frexp(multiplier.cwiseAbs().maxCoeff(), &top);
  point_.shift = kFirstBits - top + 2 * scaled_.exponent;
  point_.numerator.reserve(at_.size());
  for (Index k = 0; k < multiplier.size(); ++k) {
    point_.numerator.push_back(rounded_integer(multiplier[k], point_.shift - 2 * scaled_.exponent));
  }
  working_bits_ = kFirstBits;
}

Rational ActiveRefinement::value(const Integer& entry) const {
  return Rational(entry) * power_of_two(-point_.shift);
}

bool ActiveRefinement::prove_eigenvalue() {
  if (least_eigenvalue_ > 0) return true;
  least_eigenvalue_ = gram_.proved_least_eigenvalue(budget_);
  lambda_min_ = Rational(least_eigenvalue_) * power_of_two(2 * scaled_.exponent);
  return least_eigenvalue_ > 0;
}

// Exact residuals, norms and radii of the current multipliers.
void ActiveRefinement::measure() {
  attest::measure(constraints_, at_, budget_, point_);
  Integer squares = 0;
  for (const std::size_t c : at_) squares += point_.rest[c] * point_.rest[c];
  const Rational residual_squared(squares, point_.rest_denominator * point_.rest_denominator);
  radius_ = dyadic_above_sqrt(residual_squared / lambda_min_, kRadiusBits);
  multiplier_radius_ = dyadic_above_sqrt(residual_squared / (lambda_min_ * lambda_min_), kRadiusBits);
}

// Corrects the multipliers by what the residuals ask for; false when doubles do not hold it.
bool ActiveRefinement::correct(long bits) {
  // Solve for the correction in doubles, its residual scaled by the largest entry.
  long top = std::numeric_limits<long>::min();
  std::vector<ScaledDouble> rest(at_.size());
  for (std::size_t k = 0; k < at_.size(); ++k) {
    rest[k] = scaled_double(point_.rest[at_[k]]);
    if (rest[k].mantissa != 0) top = std::max(top, rest[k].exponent);
  }
  const ScaledDouble unit = scaled_double(point_.rest_denominator);
  VectorXd right(static_cast<Index>(at_.size()));
  for (std::size_t k = 0; k < at_.size(); ++k) {
    const long down = std::max<long>(rest[k].exponent - top, -1100);
    right[static_cast<Index>(k)] = std::ldexp(rest[k].mantissa / unit.mantissa, static_cast<int>(down));
  }
  const VectorXd correction = gram_.approx_solve(right);
  if (!correction.allFinite()) return false;
  // Enough bits that rounding them does not dominate the next residual.
  const long step = std::max<long>(8, bits + 40 - working_bits_);
  for (Integer& entry : point_.numerator) entry <<= static_cast<unsigned long>(step);
  point_.shift += step;
  working_bits_ += step;
  const long exponent = point_.shift - 2 * scaled_.exponent + top - unit.exponent;
  for (std::size_t k = 0; k < at_.size(); ++k) {
    point_.numerator[k] += rounded_integer(correction[static_cast<Index>(k)], exponent);
  }
  return true;
}

bool ActiveRefinement::balance(long bits) {
  attest::measure(constraints_, at_, budget_, point_);
  const auto largest = [&] {
    Integer most = 0;
    for (const std::size_t c : at_) most = std::max(most, Integer(abs(point_.rest[c])));
    return Rational(most, point_.rest_denominator);
  };
  const Rational goal = power_of_two(-bits);
  for (Rational now = largest(); now > goal;) {
    budget_.poll();
    if (!correct(bits)) return false;
    attest::measure(constraints_, at_, budget_, point_);
    const Rational before = std::exchange(now, largest());
    if (4 * now > before) return false;
  }
  return true;
}

bool ActiveRefinement::refine(long bits) {
  if (!prove_eigenvalue()) return false;
  if (point_.rest.empty()) measure();
  const Rational goal = power_of_two(-2 * bits);
  int stalls = 0;
  while (!(point_.norm_squared > 0) || radius_ * radius_ > goal * point_.norm_squared) {
    budget_.poll();
    if (!correct(bits)) return false;
    const Rational before = radius_;
    measure();
    if (radius_ * 2 > before && ++stalls > 1) return false;
  }
  return true;
}

ActiveRefinement::Signs ActiveRefinement::signs() const {
  Signs signs;
  for (std::size_t k = 0; k < at_.size(); ++k) {
    const Rational multiplier = value(point_.numerator[k]);
    if (multiplier > multiplier_radius_ || is_equality(constraints_, at_[k])) continue;
    (multiplier < -multiplier_radius_ ? signs.leaving : signs.open).push_back(at_[k]);
  }
  const long radius_log = radius_ == 0 ? std::numeric_limits<long>::min() / 4 : approx_log2(radius_) + 2;
  const long unit_log = scaled_double(point_.rest_denominator).exponent;
  for (std::size_t c = 0, k = 0; c < constraints_.size(); ++c) {
    if (k < at_.size() && at_[k] == c) {
      ++k;
      continue;
    }
    if (is_equality(constraints_, c)) {
      signs.open.push_back(c);
      continue;
    }
    // |m_c - 1| >= 2^rest_log and ||Delta_c|| radius < 2^(norm_log + radius_log) settle nearly all of them.
    const int sign = point_.rest[c] < 0 ? 1 : -1;  // of m_c - 1
    const long rest_log = point_.rest[c] == 0 ? std::numeric_limits<long>::min() / 2
                                              : scaled_double(point_.rest[c]).exponent - 1 - unit_log;
    int norm_log = 0;
    (void)std::frexp(scaled_.norm_squared[static_cast<Index>(c)], &norm_log);
    bool clear = scaled_.norm_squared[static_cast<Index>(c)] > 1e-200 &&
                 rest_log > norm_log / 2 + 2 + scaled_.exponent + radius_log;
    if (!clear) {
      const Rational rest = point_.residual(c);
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

std::vector<std::size_t> ActiveRefinement::Signs::exchanged(const std::vector<std::size_t>& active) const {
  std::vector<std::size_t> kept, result;
  std::set_difference(active.begin(), active.end(), leaving.begin(), leaving.end(), std::back_inserter(kept));
  std::merge(kept.begin(), kept.end(), entering.begin(), entering.end(), std::back_inserter(result));
  return result;
}

std::vector<std::size_t> ActiveRefinement::negative() const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < at_.size(); ++k) {
    if (point_.numerator[k] < 0) found.push_back(at_[k]);
  }
  return found;
}

ConstraintVector ActiveRefinement::vector(const std::vector<Integer>& numerators,
                                          const Rational& factor) const {
  SharedVector shared;
  shared.numerator = numerators;
  return constraint_vector(constraints_, at_, shared, factor * power_of_two(-point_.shift));
}

EnclosedOptimum ActiveRefinement::enclosed(long bits) const {
  EnclosedOptimum optimum;
  optimum.multipliers = vector(point_.numerator, 1);
  optimum.lambda_min = lambda_min_;
  optimum.radius = radius_;
  optimum.multiplier_radius = multiplier_radius_;
  // w* - w is within radius, and ||w*||^2 lies between the dual value b and b + radius^2 (theory.md T3: with
  // lambda the multipliers of w*, ||w*||^2 - b = ||w* - w||^2 when w* and w have the same active set).
  const auto precision = static_cast<unsigned>(2 * bits + 16);
  const Rational dual = 2 * point_.sum - point_.norm_squared;
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
  return !point_.rest.empty() && attest::fill_gap(constraints_, at_, point_, solution);
}

}  // namespace attest
