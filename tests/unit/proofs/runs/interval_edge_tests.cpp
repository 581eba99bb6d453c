// Interval arithmetic at its edge: few bits and exact operands, where nothing hides behind an outward
// rounding, against MPFR.
#include <doctest/doctest.h>
#include <mpfr.h>

#include "proofs/checker/base/exponential.hpp"
#include "proofs/checker/base/interval.hpp"

using namespace attest_check;

namespace {

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

// Is f(x), to 1200 bits and rounded to both sides, within the interval?
bool contains(const Interval& result, Function function, const Rational& x) {
  bool inside = true;
  for (const bool up : {false, true}) {
    mpfr_t value;
    mpfr_init2(value, 1200);
    mpfr_set_q(value, x.get_mpq_t(), MPFR_RNDN);  // exact: x is a dyadic number of fewer bits
    function(value, value, up ? MPFR_RNDU : MPFR_RNDD);
    Rational bound;
    mpfr_get_q(bound.get_mpq_t(), value);
    inside = inside && (up ? result.lower() <= bound : bound <= result.upper());
    mpfr_clear(value);
  }
  return inside;
}

// x, kept exactly, with operations of `bits` bits (0: of an exact constant).
Interval exactly(const Integer& x, long exponent, unsigned bits = 0) {
  return Interval::between(x, x, exponent, bits);
}

}  // namespace

TEST_CASE("exponentials of exact numbers") {
  for (long n = -6000; n <= 6000; n += n % 7 == 0 ? 13 : 1) {
    const Interval x(n);
    if (!contains(exponential(x), mpfr_exp, n)) FAIL_CHECK("e^" << n);
  }
  // Between 0 and log 2 only the table's own error is left.
  for (long n = 1; n < 3000; ++n) {
    const Integer numerator = (Integer(1) << 140) / 4357 * n;
    if (!contains(exponential(exactly(numerator, -140)), mpfr_exp, scale_by_power_of_two(numerator, -140)))
      FAIL_CHECK(n);
  }
  // Next to the multiples of log 2, below and above what is stored of it.
  const Integer& log_two = UnitExponential::at(144).log_two();
  for (long k = -40; k <= 40; ++k) {
    for (long units = -3; units <= 3; ++units) {
      const Integer numerator = log_two * k + units;
      if (!contains(exponential(exactly(numerator, -144)), mpfr_exp, scale_by_power_of_two(numerator, -144)))
        FAIL_CHECK(k << " log 2 and " << units << " units");
    }
  }
}

TEST_CASE("exponentials of intervals of every width contain those of both ends") {
  for (const unsigned bits : {0U, 64U, 160U}) {
    for (long width = -70; width <= 3; ++width) {
      for (const long low : {-7L, -1L, 0L, 3L}) {
        const Rational wide = scale_by_power_of_two(1, width), end = wide * Rational(255, 256);
        for (const Rational& high : {Rational(low + wide), Rational(low + end)}) {
          const Interval x = Interval::hull(
              exactly(low, 0, bits),
              exactly(high.get_num(), 1 - static_cast<long>(bit_length(high.get_den())), bits));
          const Interval result = exponential(x);
          CHECK(contains(result, mpfr_exp, low));
          CHECK(contains(result, mpfr_exp, high));
        }
      }
    }
  }
}

TEST_CASE("functions of wide intervals contain those of both ends") {
  for (const unsigned bits : {0U, 64U}) {
    for (const long low : {1L, 3L, 4L, 100L}) {
      for (const long high : {4L, 5L, 101L, 4000L}) {
        if (high < low) continue;
        const Interval x = Interval::hull(exactly(low, -3, bits), exactly(high, -3, bits));
        for (const long end : {low, high}) {
          const Rational at = scale_by_power_of_two(end, -3);
          CHECK(contains(logarithm(x), mpfr_log, at));
          CHECK(contains(logarithm_of_one_plus(x), mpfr_log1p, at));
          CHECK(contains(exponential_minus_one(x), mpfr_expm1, at));
          CHECK(contains(square_root(x), mpfr_sqrt, at));
        }
      }
    }
  }
}

TEST_CASE("small arguments at few bits" * doctest::test_suite("long")) {
  for (const unsigned bits : {0U, 64U, 70U}) {
    CAPTURE(bits);
    for (long exponent = -130; exponent <= -4; ++exponent) {
      CAPTURE(exponent);
      for (long m = -31; m <= 31; m += 2) {
        const Rational x = scale_by_power_of_two(m, exponent - 5);
        const Interval at = exactly(m, exponent - 5, bits);
        if (!contains(exponential_minus_one(at), mpfr_expm1, x)) FAIL_CHECK("e^x - 1, m = " << m);
        if (!contains(logarithm_of_one_plus(at), mpfr_log1p, x)) FAIL_CHECK("log(1 + x), m = " << m);
        if (m > 0 && !contains(logarithm(at), mpfr_log, x)) FAIL_CHECK("log x, m = " << m);
        if (m > 0 && !contains(square_root(at), mpfr_sqrt, x)) FAIL_CHECK("sqrt x, m = " << m);
      }
    }
  }
}

TEST_CASE("intervals that reach 0 are no divisors and have no logarithm") {
  const Interval to_zero = Interval::hull(Interval(0), Interval(1)),
                 from_below = Interval::hull(Interval(-1), Interval(0));
  CHECK_THROWS_AS(Interval(1) / to_zero, Imprecise);
  CHECK_THROWS_AS(Interval(1) / from_below, Imprecise);
  CHECK_THROWS_AS(Interval(1) / Interval(0), Imprecise);
  CHECK_THROWS_AS(logarithm(to_zero), Imprecise);
  CHECK_THROWS_AS(logarithm(Interval(0)), Imprecise);
  CHECK_THROWS_AS(logarithm(Interval(-1)), Imprecise);
  CHECK_THROWS_AS(square_root(Interval(-1)), Imprecise);
  CHECK(square_root(from_below).upper() == 0);
  CHECK(square_root(Interval::hull(Interval(-4), Interval(4))).lower() == 0);
}

TEST_CASE("comparisons of numbers that are equal, touch or overlap") {
  const Interval one(1), zero(0), wide = Interval::hull(Interval(0), Interval(2));
  CHECK_FALSE(certainly_less(one, one));
  CHECK(certainly_at_most(one, one));
  CHECK_FALSE(certainly_less(wide, Interval(2)));
  CHECK(certainly_at_most(wide, Interval(2)));
  CHECK_FALSE(certainly_at_most(wide, one));
  CHECK_FALSE(certainly_at_most(one, wide));
  CHECK_FALSE(certainly_at_most(wide, wide));
  CHECK_FALSE(zero.positive());
  CHECK(zero.nonnegative());
  CHECK_FALSE(zero.negative());
  CHECK_FALSE(wide.positive());
  CHECK(wide.nonnegative());
  CHECK_FALSE(Interval::hull(Interval(-1), Interval(1)).nonnegative());
}
