// Outward-rounded printing; see decimal.hpp.
#include "certify/numbers/decimal.hpp"

#include <algorithm>
#include <cstdlib>

namespace attest {
namespace {

long bit_length(const Integer& x) {
  return x == 0 ? 0 : static_cast<long>(boost::multiprecision::msb(boost::multiprecision::abs(x))) + 1;
}

// floor(p / q) for q > 0.
Integer floor_quotient(const Integer& p, const Integer& q) {
  Integer quotient = p / q;
  if (p % q < 0) quotient -= 1;
  return quotient;
}

Integer floor_of(const Rational& x) {
  return floor_quotient(numerator(x), denominator(x));
}

Rational power_of_ten(long k) {
  const Integer power = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(k < 0 ? -k : k));
  return k < 0 ? Rational(Integer(1), power) : Rational(power);
}

enum class Notation { automatic, plain };

constexpr long most_places = 100;  // of plain notation: e^-Y at late steps has thousands

std::string place_point(const std::string& digits, long exponent, Notation notation) {
  // The value is d.ddd x 10^exponent with `digits` = dddd (no sign).
  const long count = static_cast<long>(digits.size());
  const bool plain = notation == Notation::plain && std::abs(exponent) <= most_places;
  if (exponent < 0 && (plain || exponent >= -5))
    return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (exponent >= 0 && (plain || exponent < 15)) {
    if (exponent + 1 >= count)
      return digits + std::string(static_cast<std::size_t>(exponent + 1 - count), '0');
    return digits.substr(0, static_cast<std::size_t>(exponent + 1)) + "." +
           digits.substr(static_cast<std::size_t>(exponent + 1));
  }
  std::string text = digits.substr(0, 1);
  if (count > 1) text += "." + digits.substr(1);
  return text + "e" + std::to_string(exponent);
}

std::string strip_zeros(std::string digits) {
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  return digits;
}

// x > 0, rounded away from zero when `up`.
std::string positive_decimal(const Rational& x, int digits, bool up, Notation notation) {
  // 10^exponent <= x < 10^(exponent+1), from a logarithm estimate off by at most a few.
  long exponent = static_cast<long>(
      0.30102999566 * static_cast<double>(bit_length(numerator(x)) - bit_length(denominator(x))));
  while (power_of_ten(exponent) > x) --exponent;
  while (power_of_ten(exponent + 1) <= x) ++exponent;
  const Rational scaled = x * power_of_ten(digits - 1 - exponent);
  Integer mantissa = floor_of(scaled);
  if (up && Rational(mantissa) != scaled) mantissa += 1;
  std::string text = mantissa.str();
  if (text.size() > static_cast<std::size_t>(digits)) ++exponent;  // rounded up to the next power of ten
  return place_point(strip_zeros(std::move(text)), exponent, notation);
}

std::string signed_decimal(const Rational& x, int digits, bool up, Notation notation) {
  if (x == 0) return "0";
  return x > 0 ? positive_decimal(x, digits, up, notation)
               : "-" + positive_decimal(-x, digits, !up, notation);
}

std::string show_ends(const std::string& lo, const std::string& hi) {
  if (lo == hi) return lo;
  std::string text = "[";  // appended piecewise: GCC 12 warns wrongly about "[" + std::string
  return text.append(lo).append(", ").append(hi).append("]");
}

}  // namespace

std::string decimal_down(const Rational& x, int digits) {
  return signed_decimal(x, digits, false, Notation::automatic);
}

std::string decimal_up(const Rational& x, int digits) {
  return signed_decimal(x, digits, true, Notation::automatic);
}

std::string plain_decimal_down(const Rational& x, int digits) {
  return signed_decimal(x, digits, false, Notation::plain);
}

std::string plain_decimal_up(const Rational& x, int digits) {
  return signed_decimal(x, digits, true, Notation::plain);
}

std::string show(const Rational& x, int digits) {
  if (bit_length(numerator(x)) <= 40 && bit_length(denominator(x)) <= 20) return x.str();
  return show_ends(decimal_down(x, digits), decimal_up(x, digits));
}

std::string show(const Interval& x, int digits) {
  if (is_point(x)) return show(x.lo, digits);
  return show_ends(decimal_down(x.lo, digits), decimal_up(x.hi, digits));
}

}  // namespace attest
