// Outward-rounded exponential: see exponential.hpp.
#include "proofs/checker/exponential.hpp"

#include <algorithm>

#include "proofs/checker/failure.hpp"

namespace attest_check {
namespace {

// Taylor sums of e^r, 0 <= r <= 2^-8, with `precision` fractional bits. Every term of the lower sum is
// rounded down and all later ones dropped; every term of the upper sum is rounded up until one is at most a
// unit, and what follows sums to less than that term, because each later one is at most half of its
// predecessor.
Integer taylor_lower(const Integer& r, std::size_t precision) {
  Integer term = power_of_two(precision), sum = term;
  for (unsigned long n = 1; term != 0; ++n) {
    term = shift_floor(term * r, precision) / n;
    sum += term;
  }
  return sum;
}

Integer taylor_upper(const Integer& r, std::size_t precision) {
  Integer term = power_of_two(precision), sum = term;
  for (unsigned long n = 1; term > 1; ++n) {
    term = divide_ceil(shift_ceil(term * r, precision), Integer(n));
    sum += term;
  }
  return sum + 1;
}

// Rounds the enclosure outward to at most precision + 1 bits.
void shorten(Enclosure& x, std::size_t precision) {
  const std::size_t bits = bit_length(x.hi);
  if (bits <= precision + 1) return;
  const std::size_t shift = bits - precision - 1;
  x.lo = shift_floor(x.lo, shift);
  x.hi = shift_ceil(x.hi, shift);
  x.exponent += static_cast<long>(shift);
}

}  // namespace

Enclosure exponential(const Rational& x, unsigned bits) {
  const Rational size = abs(x);
  if (size > (1L << 23)) too_large("the exponential of a number beyond 2^23");
  const Integer whole = divide_floor(size.get_num(), size.get_den());
  const std::size_t halvings = bit_length(whole) + 8;  // so that r = |x| / 2^halvings < 2^-8
  const std::size_t precision = bits + 2 * halvings + 32;
  const Rational scaled = size * scale_by_power_of_two(1, static_cast<long>(precision - halvings));
  Enclosure result{taylor_lower(divide_floor(scaled.get_num(), scaled.get_den()), precision),
                   taylor_upper(divide_ceil(scaled.get_num(), scaled.get_den()), precision),
                   -static_cast<long>(precision)};
  for (std::size_t k = 0; k < halvings; ++k) {
    result.lo *= result.lo;
    result.hi *= result.hi;
    result.exponent *= 2;
    shorten(result, precision);
  }
  if (sgn(x) >= 0) return result;
  // 1 / [lo, hi] = [one / hi, one / lo] 2^(-exponent - 2 precision - 2), one = 2^(2 precision + 2)
  const Integer one = power_of_two(2 * precision + 2);
  return {divide_floor(one, result.hi), divide_ceil(one, result.lo),
          -result.exponent - 2 * static_cast<long>(precision) - 2};
}

Rational round_up(const Rational& x, unsigned bits) {
  const long exponent = static_cast<long>(bit_length(x.get_num())) -
                        static_cast<long>(bit_length(x.get_den())) - static_cast<long>(bits);
  const Rational scaled = x * scale_by_power_of_two(1, -exponent);
  return scale_by_power_of_two(divide_ceil(scaled.get_num(), scaled.get_den()), exponent);
}

}  // namespace attest_check
