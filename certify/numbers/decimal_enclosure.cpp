// Outward decimal rounding; see decimal_enclosure.hpp.
#include "certify/numbers/decimal_enclosure.hpp"

#include <algorithm>

namespace attest {
namespace {

Integer power_of_ten(std::size_t exponent) {
  Integer power;
  mpz_ui_pow_ui(power.backend().data(), 10, exponent);
  return power;
}

// floor(log10(value)) + 1 within one: the number of digits before the point (not positive for small numbers).
long leading_digits(const Rational& value) {
  const auto* raw = value.backend().data();
  const auto top = static_cast<long>(mpz_sizeinbase(mpq_numref(raw), 2));
  const auto bottom = static_cast<long>(mpz_sizeinbase(mpq_denref(raw), 2));
  return static_cast<long>(static_cast<double>(top - bottom) * 0.30103) + 1;
}

// mantissa * 10^-places.
std::string plain_decimal(const Integer& mantissa, std::size_t places) {
  std::string digits = mantissa.str();
  if (digits.size() <= places) digits = std::string(places + 1 - digits.size(), '0') + digits;
  if (places == 0) return digits;
  digits.insert(digits.end() - static_cast<std::ptrdiff_t>(places), '.');
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

// sqrt(squared) rounded down or up to `digits` significant digits, squared >= 0.
std::string rounded_root(const Rational& squared, std::size_t digits, bool up) {
  if (squared == 0) return "0";
  const long wanted = static_cast<long>(digits) + 1 - leading_digits(squared) / 2;
  const auto places = static_cast<std::size_t>(std::max(wanted, 0L));
  const Integer scaled = numerator(squared) * power_of_ten(2 * places);
  const Integer below = denominator(squared);
  Integer whole = scaled / below;  // floor of squared * 10^(2 places)
  const bool fraction = whole * below != scaled;
  Integer root = sqrt(whole);
  if (up && (fraction || root * root != whole)) ++root;
  return plain_decimal(root, places);
}

}  // namespace

DecimalEnclosure decimal_square_root(const Interval& squared, std::size_t digits) {
  return {rounded_root(squared.lo, digits, false), rounded_root(squared.hi, digits, true)};
}

DecimalEnclosure decimal_inverse_square_root(const Interval& squared, std::size_t digits) {
  const auto end = [&](const Rational& value, bool up) {
    return value == 0 ? std::string("Infinity") : rounded_root(1 / value, digits, up);
  };
  return {end(squared.hi, false), end(squared.lo, true)};
}

std::string shared_digits(const DecimalEnclosure& enclosure, std::size_t most_digits) {
  const std::string &lo = enclosure.lo, &hi = enclosure.hi;
  std::size_t same = 0, significant = 0;
  bool started = false;
  while (same < std::min(lo.size(), hi.size()) && lo[same] == hi[same] && significant < most_digits) {
    if (lo[same] >= '1' && lo[same] <= '9') started = true;
    if (started && lo[same] != '.') ++significant;
    ++same;
  }
  if (same == lo.size() && same == hi.size()) return lo;
  return lo.substr(0, same) + "...";
}

}  // namespace attest
