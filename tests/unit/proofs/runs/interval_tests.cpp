// Interval arithmetic of the checker against MPFR: every result contains the exact one and is narrow.
#include <doctest/doctest.h>
#include <mpfr.h>

#include <random>

#include "proofs/checker/base/exponential.hpp"
#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/interval.hpp"

using namespace attest_check;

namespace {

constexpr unsigned bits = 160;
using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

// f(x) to 600 bits, as a rational.
Rational oracle(Function function, const Rational& x) {
  mpfr_t value;
  mpfr_init2(value, 600);
  mpfr_set_q(value, x.get_mpq_t(), MPFR_RNDN);
  function(value, value, MPFR_RNDN);
  Rational result;
  mpfr_get_q(result.get_mpq_t(), value);
  mpfr_clear(value);
  return result;
}

void check_contains(const Interval& result, const Rational& exact, const Rational& slack) {
  // The oracle is off by a relative 2^-590 at most.
  const Rational tiny = abs(exact) * scale_by_power_of_two(1, -590);
  CHECK(result.lower() <= exact + tiny);
  CHECK(result.upper() >= exact - tiny);
  CHECK(result.upper() - result.lower() <= slack);
}

Rational random_dyadic(std::mt19937_64& random, long exponent) {
  const Rational value = scale_by_power_of_two(Integer(static_cast<long>(random() >> 11)), exponent - 53);
  return random() % 2 == 0 ? value : Rational(-value);
}

}  // namespace

TEST_CASE("elementary functions contain the exact value and lose only a few bits") {
  std::mt19937_64 random(1);
  for (int k = 0; k < 400; ++k) {
    const Rational x = random_dyadic(random, static_cast<long>(random() % 24) - 12);
    CAPTURE(x.get_str());
    const Interval at(x, bits);
    const auto narrow = [&](const Rational& value) {
      return Rational(abs(value) * scale_by_power_of_two(1, 20 - static_cast<long>(bits)));
    };
    const Rational e = oracle(mpfr_exp, x);
    check_contains(exponential(at), e, narrow(e));
    const Rational e1 = oracle(mpfr_expm1, x);
    check_contains(exponential_minus_one(at), e1, narrow(e1));
    if (x > 0) {
      const Rational l = oracle(mpfr_log, x), l1 = oracle(mpfr_log1p, x), r = oracle(mpfr_sqrt, x);
      check_contains(logarithm(at), l,
                     Rational(narrow(l) + scale_by_power_of_two(1, 20 - static_cast<long>(bits))));
      check_contains(logarithm_of_one_plus(at), l1, narrow(l1));
      check_contains(square_root(at), r, narrow(r));
    }
  }
}

TEST_CASE("the exponential on [0, 1) is below the exact value by at most its stated error") {
  std::mt19937_64 random(4);
  for (const std::size_t precision : {96U, 144U, 300U, 500U}) {
    const UnitExponential& function = UnitExponential::at(precision);
    const Rational unit = scale_by_power_of_two(1, -static_cast<long>(precision));
    CHECK(function.error() < 1000);
    for (int k = 0; k < 200; ++k) {
      Integer r = 0;
      for (int word = 0; word < 8; ++word) r = (r << 64) + static_cast<unsigned long>(random());
      r >>= 512 - precision + (k % 4 == 0 ? random() % precision : 0);  // also small ones
      if (k == 0) r = power_of_two(precision) - 1;
      Integer result;
      function(result, r);
      const Rational exact = oracle(mpfr_exp, Rational(r) * unit), tiny = scale_by_power_of_two(1, -585);
      CHECK(Rational(result) * unit <= exact + tiny);
      CHECK(exact - tiny <= Rational(result + function.error()) * unit);
    }
    const Rational log_two = oracle(mpfr_log, 2);
    CHECK(Rational(function.log_two()) * unit <= log_two);
    CHECK(log_two <= Rational(function.log_two() + 256) * unit);
  }
}

TEST_CASE("the exponential's enclosure contains MPFR's value and is narrow at every precision") {
  std::mt19937_64 random(11);
  std::vector<Rational> arguments = {0, 1, -1, 1000, -1000, 100000, -100000, Rational(1, 3), 4096, -4096};
  for (int k = 0; k < 300; ++k) {
    Rational x(static_cast<long>(random() % 2000001) - 1000000, 1 + static_cast<long>(random() % 1000000));
    x.canonicalize();
    arguments.push_back(x);
  }
  mpfr_t below, above;
  mpfr_inits2(600, below, above, static_cast<mpfr_ptr>(nullptr));
  for (const Rational& x : arguments) {
    for (const unsigned precision : {64U, 128U, 300U}) {
      const Interval e = exponential(Interval(x, precision));
      // Powers of two cancel: the ends of e^x 2^-k, k about x / log 2, are rationals of moderate size.
      const long k = e.top();
      const Interval scaled = e * Interval::between(1, 1, -k, precision);
      mpfr_set_q(below, x.get_mpq_t(), MPFR_RNDD);
      mpfr_exp(below, below, MPFR_RNDD);
      mpfr_mul_2si(below, below, -k, MPFR_RNDD);
      mpfr_set_q(above, x.get_mpq_t(), MPFR_RNDU);
      mpfr_exp(above, above, MPFR_RNDU);
      mpfr_mul_2si(above, above, -k, MPFR_RNDU);
      CHECK(mpfr_cmp_q(above, scaled.lower().get_mpq_t()) >= 0);
      CHECK(mpfr_cmp_q(below, scaled.upper().get_mpq_t()) <= 0);
      // A rounded x is off by 2^-precision of its size.
      const Rational slack = 4 * (1 + abs(x)) * scale_by_power_of_two(1, -static_cast<long>(precision));
      CHECK(scaled.upper() - scaled.lower() <= slack * scaled.lower());
    }
  }
  mpfr_clears(below, above, static_cast<mpfr_ptr>(nullptr));
  CHECK_NOTHROW(exponential(Interval(Rational(1L << 39), 64)));
  CHECK_THROWS_AS(exponential(Interval(Rational(1L << 40), 64)), Failure);
  CHECK_THROWS_AS(exponential(Interval(Rational(-(1L << 40)), 64)), Failure);
}

TEST_CASE("small and large arguments") {
  for (const long exponent : {-2000L, -500L, -70L, -9L}) {
    const Rational x = scale_by_power_of_two(3, exponent);
    for (const Rational& y : {x, Rational(-x)}) {
      const Rational narrow = abs(y) * scale_by_power_of_two(1, 10 - static_cast<long>(bits));
      // e^y - 1 and log(1 + y) are y +- y^2.
      const Rational square = y * y;
      CHECK(abs(exponential_minus_one(Interval(y, bits)).lower() - y) <= square + narrow);
      CHECK(abs(logarithm_of_one_plus(Interval(y, bits)).upper() - y) <= square + narrow);
    }
  }
  const Interval huge = exponential(Interval(Rational(-20000), bits));
  CHECK(huge.positive());
  CHECK(certainly_less(huge, Interval::between(1, 1, -28853, bits)));
  CHECK(certainly_less(Interval::between(1, 1, -28855, bits), huge));
  CHECK(exponential_minus_one(Interval(0)).upper() == 0);
  CHECK(square_root(Interval(0)).upper() == 0);
}

TEST_CASE("arithmetic contains all results of all members") {
  std::mt19937_64 random(2);
  for (int k = 0; k < 2000; ++k) {
    const auto number = [&] { return random_dyadic(random, static_cast<long>(random() % 300) - 150); };
    Rational a = number(), b = number(), c = number(), d = number();
    if (a > b) std::swap(a, b);
    if (c > d) std::swap(c, d);
    const Interval x = Interval::hull(Interval(a, 64), Interval(b, 64)),
                   y = Interval::hull(Interval(c, 64), Interval(d, 64));
    for (const Rational& p : {a, b, Rational((a + b) / 2)}) {
      for (const Rational& q : {c, d, Rational((c + d) / 2)}) {
        const auto contains = [](const Interval& result, const Rational& value) {
          return result.lower() <= value && value <= result.upper();
        };
        CHECK(contains(x + y, p + q));
        CHECK(contains(x - y, p - q));
        CHECK(contains(x * y, p * q));
        CHECK(contains(maximum(x, y), std::max(p, q)));
        CHECK(contains(absolute(x), abs(p)));
        if (y.positive() || y.negative()) CHECK(contains(x / y, p / q));
      }
    }
  }
}

TEST_CASE("numbers of very different sizes do not need the memory between them") {
  const Interval one = Interval::between(1, 1, 0, bits), tiny = Interval::between(3, 5, -(1L << 38), bits);
  for (const Interval& x :
       {Interval::hull(one, tiny), Interval::hull(tiny, one), Interval::hull(-tiny, one)}) {
    CHECK(certainly_at_most(-tiny, x.upper_end()));
    CHECK(x.lower() <= 0);
    CHECK(x.upper() == 1);
  }
  CHECK(maximum(one, tiny).lower() == 1);
  CHECK(maximum(-one, -tiny).upper() == 0);
  CHECK(maximum(-one, -tiny).lower() < 0);
  CHECK(maximum(-one, -tiny).lower() >= -scale_by_power_of_two(1, -4000));
  CHECK(tiny.lower() == 0);
  CHECK(tiny.upper() == scale_by_power_of_two(1, -(1L << 17)));
  CHECK((one + tiny).upper() > 1);
  CHECK(tiny.positive());
  CHECK(maximum(Interval(0), tiny).positive());
  CHECK(certainly_less(Interval::hull(tiny, Interval(0)), tiny + tiny));
}

TEST_CASE("undecided comparisons and divisions are refused") {
  const Interval third(Rational(1, 3), 64);
  CHECK_FALSE(certainly_less(third, third));
  CHECK_FALSE(certainly_at_most(third, third));
  CHECK(certainly_less(third, Interval(1)));
  const Interval around = Interval::hull(Interval(-1), Interval(1));
  CHECK_THROWS_AS(third / around, Imprecise);
  CHECK_THROWS_AS(logarithm(around), Imprecise);
  CHECK_THROWS_AS(square_root(Interval(-1)), Imprecise);
}
