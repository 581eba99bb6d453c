#include "certify/reports/short_number.hpp"

#include <algorithm>
#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// Digits of the centre that are right to within one unit of the last.
long right_digits(const Interval& ends, int digits) {
  if (ends.lo == ends.hi) return digits;
  if (ends.lo * ends.hi <= 0) return 0;
  const Rational size = std::max(abs(ends.lo), abs(ends.hi));
  const double most = approximately(size), width = approximately(ends.hi - ends.lo);
  if (most < 1e300 && width > 1e-300) {  // an enclosure as wide as one unit of a digit has that digit right
    const double right = std::floor(std::log10(most)) + 1 - std::ceil(std::log10(width) + 1e-9);
    return std::min<long>(digits, static_cast<long>(right));
  }
  const long bits = approx_log2(size) - approx_log2(ends.hi - ends.lo) - 1;
  return std::min<long>(digits, static_cast<long>(0.30103 * static_cast<double>(bits)) - 1);
}

}  // namespace

std::string short_number(const Interval& ends, int digits) {
  if (ends.lo == ends.hi && ends.lo == 0) return "0";
  const long right = right_digits(ends, digits);
  if (right < 1) return "<=" + decimal_up(std::max(abs(ends.lo), abs(ends.hi)), 2);
  const double centre = approximately(ends);
  if (std::abs(centre) < 1e-300 || std::isinf(centre))
    return decimal_down((ends.lo + ends.hi) / 2, static_cast<int>(right));
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", static_cast<int>(right), centre);
  return text;
}

std::string short_number(const Ball& ball, int digits) {
  if (!ball.is_finite()) return "-";
  const std::optional<Interval> ends = interval_of(ball);
  if (!ends) return ball.approx_mid() > 0 ? "above 2^60000" : "below -2^60000";
  return short_number(*ends, digits);
}

std::string both_ends(const Interval& ends, int digits) {
  if (ends.lo == ends.hi) return show(ends.lo, digits);
  return "[" + decimal_down(ends.lo, digits) + ", " + decimal_up(ends.hi, digits) + "]";
}

std::string band_width(const Ball& ball) {
  const std::optional<Interval> ends = interval_of(ball);
  if (!ends) return "-";
  if (ends->lo == ends->hi) return "0";
  const double exponent = static_cast<double>(approx_log2(ends->hi - ends->lo) + 2) * 0.30103;
  return "1e" + std::to_string(static_cast<long>(std::ceil(exponent)));
}

double approximately(const Rational& value) {
  return mpq_get_d(value.backend().data());
}

double approximately(const Interval& ends) {
  return approximately((ends.lo + ends.hi) / 2);
}

}  // namespace attest
