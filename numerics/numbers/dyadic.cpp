#include "numerics/numbers/dyadic.hpp"

#include <cmath>
#include <cstdlib>

namespace attest {
namespace {

using boost::multiprecision::denominator;
using boost::multiprecision::numerator;

// floor(value * 2^shift).
Integer scaled_floor(const Rational& value, long shift) {
  Integer top = numerator(value);
  Integer bottom = denominator(value);
  (shift >= 0 ? top : bottom) <<= static_cast<unsigned long>(std::labs(shift));
  Integer quotient;
  mpz_fdiv_q(quotient.backend().data(), top.backend().data(), bottom.backend().data());
  return quotient;
}

Rational times_power_of_two(const Integer& mantissa, long exponent) {
  return Rational(mantissa) * power_of_two(exponent);
}

}  // namespace

Rational power_of_two(long exponent) {
  const Integer power = Integer(1) << static_cast<unsigned long>(std::labs(exponent));
  return exponent >= 0 ? Rational(power) : Rational(Integer(1), power);
}

ScaledDouble scaled_double(const Integer& value) {
  ScaledDouble result;
  if (value != 0) result.mantissa = mpz_get_d_2exp(&result.exponent, value.backend().data());
  return result;
}

Integer rounded_integer(double value, long exponent) {
  int binary = 0;
  const double fraction = std::frexp(value, &binary);
  const long shift = exponent + binary - 53;
  const Integer mantissa(static_cast<long>(std::ldexp(fraction, 53)));
  if (shift >= 0) return mantissa << static_cast<unsigned long>(shift);
  if (shift < -54) return Integer(0);
  const auto down = static_cast<unsigned long>(-shift);
  const Integer half = Integer(1) << (down - 1);
  const Integer magnitude = (abs(mantissa) + half) >> down;
  return mantissa < 0 ? Integer(-magnitude) : magnitude;
}

long approx_log2(const Rational& value) {
  return static_cast<long>(mpz_sizeinbase(mpq_numref(value.backend().data()), 2)) -
         static_cast<long>(mpz_sizeinbase(mpq_denref(value.backend().data()), 2)) - 1;
}

Rational dyadic_below(const Rational& value, unsigned bits) {
  if (value == 0) return value;
  // value * 2^shift has between bits - 1 and bits + 1 bits; one spare bit is taken off.
  const long shift = static_cast<long>(bits) - 2 - approx_log2(value);
  return times_power_of_two(scaled_floor(value, shift), -shift);
}

Rational dyadic_above(const Rational& value, unsigned bits) {
  return -dyadic_below(-value, bits);
}

Rational dyadic_above_sqrt(const Rational& value, unsigned bits) {
  if (value <= 0) return 0;
  long shift = static_cast<long>(bits) - approx_log2(value) / 2;  // of the root
  const Integer square = scaled_floor(value, 2 * shift) + 1;      // > value * 4^shift
  Integer root;
  mpz_sqrt(root.backend().data(), square.backend().data());
  root += 1;  // > sqrt(square)
  return times_power_of_two(root, -shift);
}

}  // namespace attest
