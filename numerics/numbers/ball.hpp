// Real numbers as balls: a value type over Arb's arb_t.
//
// A Ball is a set of reals [mid - rad, mid + rad]. Every operation takes the working precision in bits and
// guarantees inclusion: for all x in a and y in b, x op y lies in op(a, b, bits). Aliasing is harmless
// (values). Predicates named certainly_... are true only when they hold for every choice of members; a ball
// that does not decide a question makes both the predicate and its opposite false. Operations outside the
// domain (division by a ball that contains zero, log or sqrt of a ball with negative members) return a ball
// with infinite radius, never a wrong one.
#pragma once

#include <arb.h>
#include <flint/fmpq.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "numerics/numbers/rational.hpp"

namespace attest {

class Ball {
 public:
  Ball() { arb_init(value_); }
  // Exact: radius 0. A NaN becomes the whole line, an infinity too.
  explicit Ball(double value) : Ball() {
    arb_set_d(value_, value);
    if (!arb_is_finite(value_)) arb_zero_pm_inf(value_);
  }
  explicit Ball(long value) : Ball() { arb_set_si(value_, value); }
  explicit Ball(int value) : Ball(static_cast<long>(value)) {}
  // Exact: radius 0.
  explicit Ball(const Integer& value) : Ball() {
    fmpz_t integer;
    fmpz_init(integer);
    fmpz_set_mpz(integer, value.backend().data());
    arb_set_fmpz(value_, integer);
    fmpz_clear(integer);
  }
  // Contains `value`; radius 0 when it is a dyadic of at most `bits` bits.
  Ball(const Rational& value, long bits) : Ball() {
    fmpq_t fraction;
    fmpq_init(fraction);
    fmpq_set_mpq(fraction, value.backend().data());
    arb_set_fmpq(value_, fraction, bits);
    fmpq_clear(fraction);
  }
  // Contains every real between lo and hi (lo <= hi), both ends included.
  Ball(const Rational& lo, const Rational& hi, long bits) : Ball() {
    const Ball low(lo, bits);
    const Ball high(hi, bits);
    arb_union(value_, low.value_, high.value_, bits);
  }
  Ball(const Ball& other) : Ball() { arb_set(value_, other.value_); }
  Ball(Ball&& other) noexcept : Ball() { arb_swap(value_, other.value_); }
  Ball& operator=(const Ball& other) {
    if (this != &other) arb_set(value_, other.value_);
    return *this;
  }
  Ball& operator=(Ball&& other) noexcept {
    arb_swap(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }

  // For code that calls Arb directly.
  arb_ptr raw() { return value_; }
  arb_srcptr raw() const { return value_; }

  bool is_finite() const { return arb_is_finite(value_) != 0; }
  bool is_exact() const { return arb_is_exact(value_) != 0; }

  // Ends of the ball as exact dyadics; the ball must be finite.
  Rational lower() const { return end(false); }
  Rational upper() const { return end(true); }
  // The ends as doubles, rounded outward.
  double lower_double() const {
    return end_double([](arf_ptr bound, arb_srcptr x) { arb_get_lbound_arf(bound, x, 80); }, ARF_RND_FLOOR);
  }
  double upper_double() const {
    return end_double([](arf_ptr bound, arb_srcptr x) { arb_get_ubound_arf(bound, x, 80); }, ARF_RND_CEIL);
  }

  bool contains(const Rational& value) const {
    fmpq_t fraction;
    fmpq_init(fraction);
    fmpq_set_mpq(fraction, value.backend().data());
    const bool inside = arb_contains_fmpq(value_, fraction) != 0;
    fmpq_clear(fraction);
    return inside;
  }
  bool contains(const Ball& other) const { return arb_contains(value_, other.value_) != 0; }
  bool contains_zero() const { return arb_contains_zero(value_) != 0; }

  // The midpoint rounded to a double (saturating): a guess.
  double approx_mid() const { return arf_get_d(arb_midref(value_), ARF_RND_NEAR); }
  // An upper bound of the radius.
  double radius_upper() const { return mag_get_d(arb_radref(value_)); }

  // Relative accuracy in bits, at least: -log2(radius / |mid|), very large when exact.
  long accuracy_bits() const { return arb_rel_accuracy_bits(value_); }

  // For messages only: about `digits` digits with the radius.
  std::string to_string(long digits) const {
    char* text = arb_get_str(value_, digits, 0);
    std::string result(text);
    flint_free(text);
    return result;
  }

 private:
  Rational end(bool is_upper) const {
    arf_t value;
    arf_init(value);
    if (is_upper) {
      arb_get_ubound_arf(value, value_, ARF_PREC_EXACT);
    } else {
      arb_get_lbound_arf(value, value_, ARF_PREC_EXACT);
    }
    fmpq_t fraction;
    fmpq_init(fraction);
    arf_get_fmpq(fraction, value);
    Rational result;
    fmpq_get_mpq(result.backend().data(), fraction);
    fmpq_clear(fraction);
    arf_clear(value);
    return result;
  }

  template <typename Bound>
  double end_double(Bound take, arf_rnd_t outward) const {
    arf_t bound;
    arf_init(bound);
    take(bound, value_);
    const double result = arf_get_d(bound, outward);
    arf_clear(bound);
    return result;
  }

  arb_t value_;
};

// Defines `Ball name(const Ball& x, long bits)` over the Arb function of one argument.
#define ATTEST_BALL_UNARY(name, function)      \
  inline Ball name(const Ball& x, long bits) { \
    Ball result;                               \
    function(result.raw(), x.raw(), bits);     \
    return result;                             \
  }
#define ATTEST_BALL_BINARY(name, function)                    \
  inline Ball name(const Ball& x, const Ball& y, long bits) { \
    Ball result;                                              \
    function(result.raw(), x.raw(), y.raw(), bits);           \
    return result;                                            \
  }

ATTEST_BALL_BINARY(add, arb_add)
ATTEST_BALL_BINARY(sub, arb_sub)
ATTEST_BALL_BINARY(mul, arb_mul)
ATTEST_BALL_BINARY(div, arb_div)
ATTEST_BALL_BINARY(pow, arb_pow)
ATTEST_BALL_BINARY(max, arb_max)
ATTEST_BALL_BINARY(min, arb_min)
ATTEST_BALL_BINARY(hull, arb_union)
ATTEST_BALL_UNARY(sqrt, arb_sqrt)
ATTEST_BALL_UNARY(square, arb_sqr)
ATTEST_BALL_UNARY(exp, arb_exp)
ATTEST_BALL_UNARY(expm1, arb_expm1)
ATTEST_BALL_UNARY(log, arb_log)
ATTEST_BALL_UNARY(log1p, arb_log1p)
ATTEST_BALL_UNARY(inverse, arb_inv)

#undef ATTEST_BALL_UNARY
#undef ATTEST_BALL_BINARY

inline Ball neg(const Ball& x) {
  Ball result;
  arb_neg(result.raw(), x.raw());
  return result;
}
inline Ball abs(const Ball& x) {
  Ball result;
  arb_abs(result.raw(), x.raw());
  return result;
}
// x * 2^exponent, exactly.
inline Ball scale_by_power_of_two(const Ball& x, long exponent) {
  Ball result;
  arb_mul_2exp_si(result.raw(), x.raw(), exponent);
  return result;
}
// sum += x * y, in place.
inline void add_product(Ball& sum, const Ball& x, const Ball& y, long bits) {
  arb_addmul(sum.raw(), x.raw(), y.raw(), bits);
}
inline Ball pi(long bits) {
  Ball result;
  arb_const_pi(result.raw(), bits);
  return result;
}
// x rounded to `bits` bits, radius widened accordingly.
inline Ball round(const Ball& x, long bits) {
  Ball result;
  arb_set_round(result.raw(), x.raw(), bits);
  return result;
}
// sum_k x[k] y[k]; equal lengths.
inline Ball dot(std::span<const Ball> x, std::span<const Ball> y, long bits) {
  static_assert(sizeof(Ball) == sizeof(arb_struct), "arrays of balls are arrays of arb_struct");
  Ball result;
  if (!x.empty()) {
    arb_dot(result.raw(), nullptr, 0, x.front().raw(), 1, y.front().raw(), 1, static_cast<slong>(x.size()),
            bits);
  }
  return result;
}

inline bool certainly_positive(const Ball& x) {
  return arb_is_positive(x.raw()) != 0;
}
inline bool certainly_negative(const Ball& x) {
  return arb_is_negative(x.raw()) != 0;
}
inline bool certainly_nonnegative(const Ball& x) {
  return arb_is_nonnegative(x.raw()) != 0;
}
inline bool certainly_less(const Ball& x, const Ball& y) {
  return arb_lt(x.raw(), y.raw()) != 0;
}
inline bool certainly_at_most(const Ball& x, const Ball& y) {
  return arb_le(x.raw(), y.raw()) != 0;
}
inline bool overlap(const Ball& x, const Ball& y) {
  return arb_overlaps(x.raw(), y.raw()) != 0;
}

}  // namespace attest
