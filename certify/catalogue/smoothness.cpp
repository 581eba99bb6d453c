// Enclosures of smoothness constants: spectral norms by repeated squaring, largest feature distances by
// doubles with a proved relative error.
#include "certify/catalogue/smoothness.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "certify/catalogue/optimum_geometry.hpp"
#include "numerics/numbers/ball_matrix.hpp"
#include "numerics/numbers/interval.hpp"
#include "numerics/problem/score_range.hpp"

namespace attest {
namespace {

constexpr long smoothness_bits = 192;

Rational ratio(std::size_t count) {
  return Rational(static_cast<unsigned long>(count));
}

Rational squared_distance(const ExactArray& rows, std::size_t a, std::size_t b, std::size_t d) {
  Rational sum = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const Rational difference = rows.exact(a * d + j) - rows.exact(b * d + j);
    sum += difference * difference;
  }
  return sum;
}

// Largest squared distance between two of the rows [first, last).
//
// In binary64 a computed difference, its square and a sum of d non-negative terms carry a relative error of
// at most (1 + 2^-52)^(d+3) - 1 < (d + 4) 2^-52 in any rounding mode, provided nothing under- or overflows;
// that enclosure is used when the largest value is far from both ends of the range, exact arithmetic
// otherwise.
Interval largest_squared_distance(const ExactArray& rows, std::size_t first, std::size_t last, std::size_t d,
                                  const Budget& budget) {
  if (rows.is_binary64()) {
    const BinaryArray& x = rows.binary64();
    double largest = 0;
    std::size_t one = first, other = first;
    for (std::size_t a = first; a < last; ++a) {
      budget.poll();
      for (std::size_t b = a + 1; b < last; ++b) {
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j) {
          const double difference = x[a * d + j] - x[b * d + j];
          sum += difference * difference;
        }
        if (!(sum <= largest)) {
          largest = sum;
          one = a;
          other = b;
        }
      }
    }
    // A term lost to underflow is below 2^-1022 each, far below the slack left at 1e-280.
    if (largest > 1e-280 && largest < 1e280 && d < (std::size_t{1} << 40)) {
      const Rational slack = 1 + (ratio(d) + 5) / Rational(Integer(1) << 52);
      return {squared_distance(rows, one, other, d), Rational(largest) * slack};
    }
  }
  Rational largest = 0;
  for (std::size_t a = first; a < last; ++a) {
    budget.poll();
    for (std::size_t b = a + 1; b < last; ++b) largest = std::max(largest, squared_distance(rows, a, b, d));
  }
  return point(largest);
}

}  // namespace

Interval squared_spectral_norm(const ExactArray& rows, std::size_t first, std::size_t last, std::size_t d,
                               int squarings, const Budget& budget) {
  const std::size_t count = last - first;
  const std::size_t m = std::min(count, d);
  if (m == 0) return point(0);
  const long bits = 96 + 2 * squarings;
  BallMatrix x(count, d), transposed(d, count), power(m, m), next(m, m);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t j = 0; j < d; ++j) x.set(a, j, Ball(rows.exact((first + a) * d + j), bits));
  }
  budget.needs_seconds(predicted_product_seconds(m, std::max(count, d), m, bits), "a spectral norm");
  arb_mat_transpose(transposed.raw(), x.raw());
  if (count <= d) {
    arb_mat_mul(power.raw(), x.raw(), transposed.raw(), bits);
  } else {
    arb_mat_mul(power.raw(), transposed.raw(), x.raw(), bits);
  }
  Ball trace;
  arb_mat_trace(trace.raw(), power.raw(), bits);
  if (!certainly_positive(trace)) {
    // All rows are zero, or so small that this precision does not tell: the trace bounds the norm.
    return {Rational(0), std::max(Rational(0), trace.upper())};
  }
  // power_k = power_{k-1}^2 2^-shift_k keeps traces near 1: lambda_max(power_{k-1})^2 = lambda_max(power_k)
  // 2^shift_k.
  std::vector<long> shift;
  for (int k = 0; k < squarings; ++k) {
    budget.needs_seconds(predicted_product_seconds(m, m, m, bits), "a spectral norm");
    arb_mat_sqr(next.raw(), power.raw(), bits);
    arb_mat_trace(trace.raw(), next.raw(), bits);
    if (!certainly_positive(trace)) break;
    shift.push_back(fmpz_get_si(ARF_EXPREF(arb_midref(trace.raw()))));
    arb_mat_scalar_mul_2exp_si(power.raw(), next.raw(), -shift.back());
  }
  arb_mat_trace(trace.raw(), power.raw(), bits);
  Ball least = div(trace, Ball(static_cast<long>(m)), bits);
  for (Ball* bound : {&trace, &least}) {
    for (std::size_t k = shift.size(); k-- > 0;) *bound = sqrt(scale_by_power_of_two(*bound, shift[k]), bits);
  }
  return shorten({std::max(Rational(0), least.lower()), trace.upper()}, smoothness_bits);
}

std::optional<Interval> paper_smoothness(const Instance& instance, const TokenData& data, Loss loss,
                                         const Rational& least, const Rational& greatest,
                                         const Budget& budget) {
  const std::optional<Interval> m1 = largest_slope(loss, least, greatest, smoothness_bits);
  const std::optional<Interval> m0 = largest_curvature(loss, least, greatest, smoothness_bits);
  if (!m1 || !m0) return std::nullopt;
  const std::size_t d = instance.dimension;
  const Rational v_squared = exact_dot(instance.v, 0, instance.v, 0, d);
  const Interval v = square_root(v_squared);
  double work = 0;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    work += std::pow(static_cast<double>(std::min(data.tokens(i), d)), 3);
  }
  const int squarings = static_cast<int>(std::clamp(3e7 / std::max(work, 1.0), 6.0, 48.0));
  Interval total = point(0);
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    const Interval x2 = squared_spectral_norm(instance.X, instance.first_row[i], instance.first_row[i + 1], d,
                                              squarings, budget);
    const Rational z2 = exact_dot(data.query_factor, i, data.query_factor, i, data.right_dimension);
    const Interval term = *m0 * point(v_squared) * x2 * x2 + point(3) * *m1 * v * x2 * square_root(x2);
    total = shorten(total + point(z2) * term, smoothness_bits);
  }
  return total / point(ratio(data.groups()));
}

std::optional<Interval> sharp_smoothness(const TokenData& data, Loss loss, const Budget& budget) {
  Interval total = point(0);
  const Interval six_root_three = square_root(Rational(108));
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    budget.poll();
    if (data.tokens(i) < 2) continue;
    const auto [lo, hi] = score_range(data.scores, data.first_row[i], data.first_row[i + 1]);
    const Rational spread = hi - lo;
    if (spread == 0) continue;
    const Rational z2 = exact_dot(data.query_factor, i, data.query_factor, i, data.right_dimension);
    const Interval diameter =
        point(z2) * largest_squared_distance(data.token_factor, data.first_row[i], data.first_row[i + 1],
                                             data.left_dimension, budget);
    if (loss == Loss::cross_entropy) {
      total = shorten(total + diameter / point(4), smoothness_bits);
      continue;
    }
    const std::optional<Interval> m1 = largest_slope(loss, lo, hi, smoothness_bits);
    const std::optional<Interval> m0 = largest_curvature(loss, lo, hi, smoothness_bits);
    if (!m1 || !m0) return std::nullopt;
    const Interval factor =
        *m1 * point(spread) / six_root_three + *m0 * point(Rational(spread * spread / Rational(16)));
    total = shorten(total + factor * diameter, smoothness_bits);
  }
  return total / point(ratio(data.groups()));
}

}  // namespace attest
