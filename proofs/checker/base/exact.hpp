// Exact numbers of the checker: GMP integers and rationals, their limits, and how they are read and shown.
#pragma once

#include <gmpxx.h>

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

namespace attest_check {

using Integer = mpz_class;
using Rational = mpq_class;

// Limits of every number in an instance or a certificate, checked before GMP allocates.
inline constexpr long max_exponent = 1L << 16;      // of two, and of ten in decimals
inline constexpr std::size_t max_bits = 1UL << 24;  // of integers, numerators and denominators

// Bit length of |x|; 0 for 0.
inline std::size_t bit_length(const Integer& x) {
  const mp_size_t limbs = static_cast<mp_size_t>(mpz_size(x.get_mpz_t()));
  const int zeros = limbs == 0 ? 0 : std::countl_zero(mpz_getlimbn(x.get_mpz_t(), limbs - 1));
  return static_cast<std::size_t>(limbs * GMP_NUMB_BITS - zeros);
}

// 2^exponent.
inline Integer power_of_two(std::size_t exponent) {
  return Integer(1) << exponent;
}

// Floor and ceiling of x / 2^shift, and of p / q (q > 0).
inline Integer shift_floor(const Integer& x, std::size_t shift) {
  return x >> shift;
}
inline Integer shift_ceil(const Integer& x, std::size_t shift) {
  Integer y;
  mpz_cdiv_q_2exp(y.get_mpz_t(), x.get_mpz_t(), shift);
  return y;
}
inline Integer divide_floor(const Integer& p, const Integer& q) {
  Integer y;
  mpz_fdiv_q(y.get_mpz_t(), p.get_mpz_t(), q.get_mpz_t());
  return y;
}
inline Integer divide_ceil(const Integer& p, const Integer& q) {
  Integer y;
  mpz_cdiv_q(y.get_mpz_t(), p.get_mpz_t(), q.get_mpz_t());
  return y;
}

// sum += a b.
inline void add_product(Integer& sum, const Integer& a, const Integer& b) {
  mpz_addmul(sum.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
}

// Sum of x[k] y[k], k < count.
Integer dot(const Integer* x, const Integer* y, std::size_t count);

// x * 2^exponent for either sign of the exponent; exact.
Rational scale_by_power_of_two(const Integer& x, long exponent);

// numerator / denominator in lowest terms.
inline Rational fraction(const Integer& numerator, const Integer& denominator) {
  Rational value(numerator, denominator);
  value.canonicalize();
  return value;
}

// Reads a string of digits of base 10 or 16 (at least one, digits only: the caller has checked); too many
// bits: exit 2.
Integer integer_from_digits(std::string_view digits, int base = 10);

// Lowest terms as in GRAMMAR.md section 1: integer, m*2^e with m odd, or p/q; the canonical form of a number.
std::string canonical(const Rational& x);

// For messages: canonical when short, otherwise about m*2^e with a 64-bit m and the true bit lengths.
std::string show(const Rational& x);

}  // namespace attest_check
