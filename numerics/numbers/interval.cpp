// Exact interval arithmetic over the rationals.
#include "numerics/numbers/interval.hpp"

#include <algorithm>
#include <cstdlib>

#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

using boost::multiprecision::denominator;
using boost::multiprecision::numerator;

long length_in_bits(const Integer& x) {
  return x == 0 ? 0 : static_cast<long>(boost::multiprecision::msb(boost::multiprecision::abs(x))) + 1;
}

Integer floor_of(const Rational& x) {
  const Integer top = numerator(x), bottom = denominator(x);
  Integer quotient;
  mpz_fdiv_q(quotient.backend().data(), top.backend().data(), bottom.backend().data());
  return quotient;
}

// floor(x 2^k)/2^k with k giving x at least `bits` significant bits.
Rational round_down(const Rational& x, long bits) {
  if (x == 0) return x;
  const long k = bits - (length_in_bits(numerator(x)) - length_in_bits(denominator(x)));
  return Rational(floor_of(x * power_of_two(k))) * power_of_two(-k);
}

}  // namespace

Interval operator+(const Interval& a, const Interval& b) {
  return {a.lo + b.lo, a.hi + b.hi};
}
Interval operator-(const Interval& a, const Interval& b) {
  return {a.lo - b.hi, a.hi - b.lo};
}

Interval operator*(const Interval& a, const Interval& b) {
  if (is_point(a) && is_point(b)) return point(a.lo * b.lo);
  const auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  return {lo, hi};
}

Interval operator/(const Interval& a, const Interval& b) {
  if (b.lo <= 0 && b.hi >= 0) std::abort();
  return a * Interval{1 / b.hi, 1 / b.lo};
}

Interval lower_of(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
}
Interval upper_of(const Interval& a, const Interval& b) {
  return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval square_root(const Rational& x, long bits) {
  if (x < 0) std::abort();
  if (x == 0) return point(x);
  const Integer p = numerator(x);
  const Integer q = denominator(x);
  const Integer root_p = boost::multiprecision::sqrt(p);
  const Integer root_q = boost::multiprecision::sqrt(q);
  if (root_p * root_p == p && root_q * root_q == q) return point(Rational(root_p, root_q));
  const long k =
      bits + (length_in_bits(q) - length_in_bits(p)) / 2 + 2;  // sqrt(x) 2^k has more than `bits` bits
  const Integer root = boost::multiprecision::sqrt(floor_of(x * power_of_two(2 * k)));
  return {Rational(root) * power_of_two(-k), Rational(root + 1) * power_of_two(-k)};
}

Interval square_root(const Interval& x, long bits) {
  return {square_root(std::max(x.lo, Rational(0)), bits).lo, square_root(x.hi, bits).hi};
}

Interval shorten(const Interval& x, long bits) {
  return {round_down(x.lo, bits), -round_down(-x.hi, bits)};
}

std::optional<Interval> interval_of(const Ball& ball) {
  if (!ball.is_finite()) return std::nullopt;
  constexpr slong most = 60000;
  const auto end = [&](bool upper) -> std::optional<Rational> {
    arf_t bound;
    arf_init(bound);
    if (upper) {
      arb_get_ubound_arf(bound, ball.raw(), 4096);
    } else {
      arb_get_lbound_arf(bound, ball.raw(), 4096);
    }
    std::optional<Rational> result;
    if (arf_is_zero(bound)) {
      result = Rational(0);
    } else if (arf_cmpabs_2exp_si(bound, -most) < 0) {
      const bool positive = arf_sgn(bound) > 0;
      result = positive == upper ? (positive ? power_of_two(-most) : -power_of_two(-most)) : Rational(0);
    } else if (arf_cmpabs_2exp_si(bound, most) < 0) {
      fmpq_t fraction;
      fmpq_init(fraction);
      arf_get_fmpq(fraction, bound);
      Rational exact;
      fmpq_get_mpq(exact.backend().data(), fraction);
      fmpq_clear(fraction);
      result = exact;
    }
    arf_clear(bound);
    return result;
  };
  const std::optional<Rational> lo = end(false), hi = end(true);
  if (!lo || !hi) return std::nullopt;
  return Interval{*lo, *hi};
}

}  // namespace attest
