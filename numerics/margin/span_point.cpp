#include "numerics/margin/span_point.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/margin/exact.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

using boost::multiprecision::denominator;
using boost::multiprecision::numerator;

constexpr long kRoundedBits = 62;       // of the largest coefficient
constexpr unsigned kShortBits = 64;     // mantissa of factors, beyond what they share with 1, and of bounds
constexpr unsigned kNormBits = 160;     // of the squared norm's ends, beyond the same
constexpr unsigned kDistanceBits = 32;  // mantissa of a squared distance
constexpr double kSecondsALimb = 2e-9;  // of one product of a wide and a one-word number, generously
constexpr double kSecondsARow = 1e-5;   // of comparing its margin with the gap

ConstraintVector coefficients(const IntegerConstraints& constraints, const std::vector<std::size_t>& at,
                              const SpanPoint& point, const Rational& factor) {
  SharedVector shared;
  shared.numerator = point.numerator;
  return constraint_vector(constraints, at, shared, factor * power_of_two(-point.shift));
}

// The leading bits that a factor shares with 1, or with 0.11...: rounding it must not undo a small gap.
unsigned bits_shared_with_one(const Rational& factor) {
  const Rational off = abs(factor - 1);
  return off == 0 ? 0 : static_cast<unsigned>(std::clamp(-approx_log2(off), 0L, 1L << 16));
}

}  // namespace

Rational exact_norm_squared(const IntegerConstraints& constraints, std::size_t c) {
  return constraints.gram_scale() * Rational(constraints.gram(c, c));
}

Integer SpanPoint::least_margin_numerator() const {
  return rest_denominator - *std::max_element(rest.begin(), rest.end());
}

void measure(const IntegerConstraints& constraints, const std::vector<std::size_t>& at, const Budget& budget,
             SpanPoint& point) {
  const std::vector<Integer> products = constraints.products(at, point.numerator, budget);
  // m_c = gram_scale * product * 2^-shift.
  Integer factor = numerator(constraints.gram_scale());
  point.rest_denominator = denominator(constraints.gram_scale());
  if (point.shift >= 0) {
    point.rest_denominator <<= static_cast<unsigned long>(point.shift);
  } else {
    factor <<= static_cast<unsigned long>(-point.shift);
  }
  point.rest.resize(products.size());
  const Integer none = 0;
  const auto asked = [&](std::size_t c) -> const Integer& {
    return asks_one(constraints, c) ? point.rest_denominator : none;
  };
  for (std::size_t c = 0; c < products.size(); ++c) point.rest[c] = asked(c) - factor * products[c];

  Integer sum = 0;
  Integer weighted = 0;  // sum lambda_c m_c = ||W||^2
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (asks_one(constraints, at[k])) sum += point.numerator[k];
    weighted += point.numerator[k] * (asked(at[k]) - point.rest[at[k]]);
  }
  const Rational unit = power_of_two(-point.shift);
  point.sum = Rational(sum) * unit;
  point.norm_squared = Rational(weighted) * unit / Rational(point.rest_denominator);
}

double predicted_measure_seconds(const IntegerConstraints& constraints, std::size_t bits) {
  const TokenData& data = constraints.data();
  const auto d = static_cast<double>(data.left_dimension), e = static_cast<double>(data.right_dimension);
  const auto groups = static_cast<double>(data.groups());
  const auto tokens = static_cast<double>(data.first_row.back());
  const double limbs = std::ceil(static_cast<double>(bits + constraints.gram_bits()) / 64) + 2;
  return kSecondsALimb * limbs * (2 * groups * d * e + 2 * tokens * d) +
         kSecondsARow * static_cast<double>(constraints.size());
}

SpanPoint rounded_point(const ScaledConstraints& scaled, const Eigen::VectorXd& multiplier) {
  // multiplier of the problem = multiplier of the scaled problem * 2^(-2 exponent).
  int top = 0;
  (void)std::frexp(multiplier.cwiseAbs().maxCoeff(), &top);
  SpanPoint point;
  point.shift = kRoundedBits - top + 2 * scaled.exponent;
  point.numerator.reserve(static_cast<std::size_t>(multiplier.size()));
  for (const double value : multiplier)
    point.numerator.push_back(rounded_integer(value, point.shift - 2 * scaled.exponent));
  return point;
}

bool fill_gap(const IntegerConstraints& constraints, const std::vector<std::size_t>& at,
              const SpanPoint& point, MarginSolution& solution) {
  const auto is_negative = [](const Integer& entry) { return entry < 0; };
  if (std::any_of(point.numerator.begin(), point.numerator.end(), is_negative)) return false;
  const Integer least_margin = point.least_margin_numerator();
  if (least_margin <= 0) return false;
  const Rational up(point.rest_denominator, least_margin);
  const Rational scale = dyadic_above(up, kShortBits + bits_shared_with_one(up));
  // 2 t sum - t^2 ||W||^2 is largest at t = sum / ||W||^2.
  const Rational down = point.sum / point.norm_squared;
  const Rational dual_scale = dyadic_below(down, kShortBits + bits_shared_with_one(down));
  GapOptimum gap;
  gap.primal = coefficients(constraints, at, point, scale);
  gap.dual = coefficients(constraints, at, point, dual_scale);
  const Rational primal_value = scale * scale * point.norm_squared;
  const Rational dual_value = dual_scale * (2 * point.sum - dual_scale * point.norm_squared);
  gap.distance_squared = dyadic_above(primal_value - dual_value, kDistanceBits);
  const unsigned norm_bits = kNormBits + bits_shared_with_one(up);
  gap.norm_squared = {dyadic_below(dual_value, norm_bits), dyadic_above(primal_value, norm_bits)};
  solution.feasibility = Feasibility::feasible;
  solution.separator = gap.primal;
  solution.norm_squared = gap.norm_squared;
  solution.support_undecided.clear();
  bool local = true;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const Rational slack = scale * (1 - point.residual(c)) - 1;
    if (slack > 0 && slack * slack > gap.distance_squared * exact_norm_squared(constraints, c)) continue;
    solution.support_undecided.push_back(constraints.constraint(c));
    if (score_gap(constraints.data(), constraints.row(c)) <= 0) local = false;
  }
  if (local) solution.locally_optimal = true;
  solution.gap = std::move(gap);
  return true;
}

MarginBound margin_bound(const IntegerConstraints& constraints, const std::vector<std::size_t>& at,
                         const SpanPoint& point) {
  MarginBound bound;
  bound.combination = coefficients(constraints, at, point, 1);
  bound.bound = point.norm_squared > 0
                    ? dyadic_above_sqrt(point.norm_squared / (point.sum * point.sum), kDistanceBits)
                    : power_of_two(-1024);
  return bound;
}

}  // namespace attest
