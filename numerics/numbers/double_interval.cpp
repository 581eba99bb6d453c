#include "numerics/numbers/double_interval.hpp"

namespace attest {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr long interval_bits = 80;

// x^k for x >= 0 between two doubles.
DoubleInterval whole_power(double x, long k) {
  DoubleInterval result(1.0), square(x);
  for (; k > 0; k >>= 1) {
    if ((k & 1) != 0) result = result * square;
    if (k > 1) square = square * square;
  }
  return result;
}

Ball rational_power(double x, long power, long order) {
  Ball result(x);
  arb_root_ui(result.raw(), result.raw(), static_cast<ulong>(order), interval_bits);
  arb_pow_ui(result.raw(), result.raw(), static_cast<ulong>(power), interval_bits);
  return result;
}

// At most (least) x^(power/order), x >= 0, power > 0: a value of the C library, moved outward, is right when
// its order-th power is on the right side of x^power.
double power_below(double x, long power, long order) {
  if (x <= 0) return 0;
  if (std::isinf(x)) return infinity;
  const double guess = std::pow(x, static_cast<double>(power) / static_cast<double>(order)) * (1 - 0x1p-44);
  if (guess > 0 && std::isfinite(guess) && whole_power(guess, order).hi() <= whole_power(x, power).lo())
    return guess;
  return std::max(0.0, rational_power(x, power, order).lower_double());
}

double power_above(double x, long power, long order) {
  if (x <= 0) return 0;
  if (std::isinf(x)) return infinity;
  const double guess = std::pow(x, static_cast<double>(power) / static_cast<double>(order)) * (1 + 0x1p-44);
  if (std::isfinite(guess) && whole_power(guess, order).lo() >= whole_power(x, power).hi()) return guess;
  return rational_power(x, power, order).upper_double();
}

}  // namespace

DoubleInterval exp(const DoubleInterval& x) {
  const double least = x.lo() < -1e6  ? 0
                       : x.lo() > 600 ? 1e260
                                      : exp(Ball(x.lo()), interval_bits).lower_double();
  const double most = x.hi() < -1e6  ? 0x1p-1000
                      : x.hi() > 1e6 ? infinity
                                     : exp(Ball(x.hi()), interval_bits).upper_double();
  return {std::max(0.0, least), most};
}

DoubleInterval log(const DoubleInterval& x) {
  const double least = x.lo() <= 0          ? -infinity
                       : std::isinf(x.lo()) ? 700
                                            : log(Ball(x.lo()), interval_bits).lower_double();
  const double most = x.hi() <= 0          ? infinity
                      : std::isinf(x.hi()) ? infinity
                                           : log(Ball(x.hi()), interval_bits).upper_double();
  return {least, most};
}

DoubleInterval abs(const DoubleInterval& x) {
  if (x.lo() >= 0) return x;
  if (x.hi() <= 0) return -x;
  return {0, std::max(-x.lo(), x.hi())};
}

DoubleInterval pow(const DoubleInterval& x, const Exponent& e) {
  if (e.numerator == 0) return DoubleInterval(1.0);
  if (!(x.hi() >= 0)) return {-infinity, infinity};
  if (e.numerator < 0) return DoubleInterval(1.0) / pow(x, Exponent{-e.numerator, e.denominator});
  return {power_below(x.lo(), e.numerator, e.denominator), power_above(x.hi(), e.numerator, e.denominator)};
}

}  // namespace attest
