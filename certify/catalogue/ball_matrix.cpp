// Conversions between exact numbers, rational intervals and Arb balls.
#include "certify/catalogue/ball_matrix.hpp"

#include <flint/fmpq.h>

#include <cstdlib>

namespace attest {
namespace {

Rational dyadic(const fmpz_t mantissa, const fmpz_t exponent) {
  Integer m;
  fmpz_get_mpz(m.backend().data(), mantissa);
  const slong k = fmpz_get_si(exponent);
  return k >= 0 ? Rational(Integer(m << static_cast<unsigned long>(k)))
                : Rational(m, Integer(Integer(1) << static_cast<unsigned long>(-k)));
}

}  // namespace

void set_exact(arb_ptr target, const Rational& value, long bits) {
  fmpq_t exact;
  fmpq_init(exact);
  fmpq_set_mpq(exact, value.backend().data());
  arb_set_fmpq(target, exact, bits);
  fmpq_clear(exact);
}

void set_exact(arb_ptr target, const Integer& value) {
  fmpz_t exact;
  fmpz_init(exact);
  fmpz_set_mpz(exact, value.backend().data());
  arb_set_fmpz(target, exact);
  fmpz_clear(exact);
}

void set_enclosure(arb_ptr target, const Interval& value, long bits) {
  arb_t hi;
  arb_init(hi);
  set_exact(target, value.lo, bits);
  set_exact(hi, value.hi, bits);
  arb_union(target, target, hi, bits);
  arb_clear(hi);
}

Interval to_interval(arb_srcptr value) {
  if (!arb_is_finite(value)) std::abort();
  fmpz_t a, b, exponent;
  fmpz_init(a);
  fmpz_init(b);
  fmpz_init(exponent);
  arb_get_interval_fmpz_2exp(a, b, exponent, value);
  if (fmpz_bits(exponent) > 30) std::abort();
  const Interval result{dyadic(a, exponent), dyadic(b, exponent)};
  fmpz_clear(a);
  fmpz_clear(b);
  fmpz_clear(exponent);
  return result;
}

}  // namespace attest
