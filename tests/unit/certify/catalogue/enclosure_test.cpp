// Rational intervals: inclusion of exact values, outward printing, loss enclosures against double precision.
#include <doctest/doctest.h>

#include <cmath>

#include "certify/catalogue/loss_enclosure.hpp"
#include "certify/catalogue/row.hpp"
#include "certify/numbers/decimal.hpp"
#include "tests/oracle/random.hpp"

using namespace attest;

namespace {

Rational random_rational(reference::Random& random) {
  const Integer p = static_cast<long>(random.below(2000001)) - 1000000;
  const Integer q = static_cast<long>(1 + random.below(1000));
  return Rational(p, q);
}

Interval random_interval(reference::Random& random, Rational& inside) {
  const Rational a = random_rational(random), b = random_rational(random);
  Interval x{std::min(a, b), std::max(a, b)};
  const Rational weight(static_cast<long>(random.below(101)), 100);
  inside = x.lo + weight * (x.hi - x.lo);
  return x;
}

bool contains(const Interval& x, const Rational& value) {
  return x.lo <= value && value <= x.hi;
}

}  // namespace

TEST_CASE("interval operations contain the exact results") {
  reference::Random random(7);
  for (int k = 0; k < 2000; ++k) {
    Rational a, b;
    const Interval x = random_interval(random, a), y = random_interval(random, b);
    CHECK(contains(x + y, a + b));
    CHECK(contains(x - y, a - b));
    CHECK(contains(x * y, a * b));
    CHECK(contains(x * x, a * a));
    CHECK(contains(lower_of(x, y), std::min(a, b)));
    CHECK(contains(upper_of(x, y), std::max(a, b)));
    if (y.lo > 0 || y.hi < 0) CHECK(contains(x / y, a / b));
    const Interval shorter = shorten(x, 20);
    CHECK(shorter.lo <= x.lo);
    CHECK(shorter.hi >= x.hi);
    if (a >= 0) {
      const Interval root = square_root(a, 100);
      CHECK(root.lo * root.lo <= a);
      CHECK(root.hi * root.hi >= a);
      CHECK(root.hi - root.lo <= root.lo * Rational(Integer(1), Integer(1) << 99));
    }
  }
  CHECK(is_point(square_root(Rational(9, 4))));
  CHECK(square_root(Rational(9, 4)).lo == Rational(3, 2));
  CHECK(square_root(Rational(0)).hi == 0);
}

TEST_CASE("decimals are rounded outward") {
  CHECK(decimal_down(Rational(1, 3), 3) == "0.333");
  CHECK(decimal_up(Rational(1, 3), 3) == "0.334");
  CHECK(decimal_down(Rational(-1, 3), 3) == "-0.334");
  CHECK(decimal_up(Rational(-1, 3), 3) == "-0.333");
  CHECK(decimal_up(Rational(9999, 10), 3) == "1000");
  CHECK(decimal_down(Rational(5), 12) == "5");
  CHECK(decimal_down(Rational(123456789), 3) == "123000000");
  CHECK(decimal_up(Rational(Integer(1), Integer(1) << 100), 2) == "7.9e-31");
  CHECK(plain_decimal_up(Rational(1, 1000000000), 2) == "0.000000001");
  const Integer large = boost::multiprecision::pow(Integer(10), 2000);
  CHECK(plain_decimal_down(Rational(Integer(3), large), 2) == "3e-2000");
  CHECK(plain_decimal_up(Rational(large), 2) == "1e2000");
  CHECK(plain_decimal_down(Rational(Integer(10) * 1000000000 * 1000000000), 4) == "10000000000000000000");
  CHECK(show(Rational(3, 7)) == "3/7");
  CHECK(show(Interval{Rational(1, 3), Rational(1, 3)}) == "1/3");
  CHECK(show(Interval{0, Rational(1, 3)}, 2) == "[0, 0.34]");
}

TEST_CASE("loss enclosures") {
  reference::Random random(11);
  for (int k = 0; k < 300; ++k) {
    const double u = 20 * random.gaussian() / 3;
    const auto near = [](const std::optional<Interval>& x, double value) {
      REQUIRE(x);
      CHECK(x->lo <= x->hi);
      CHECK(static_cast<double>(x->lo) == doctest::Approx(value).epsilon(1e-12));
      CHECK(static_cast<double>(x->hi) == doctest::Approx(value).epsilon(1e-12));
      CHECK(Rational(x->hi - x->lo) <= Rational(Integer(1), Integer(1) << 100) * (1 + x->hi));
    };
    near(slope_size(Loss::logistic, Rational(u), 128), 1 / (1 + std::exp(u)));
    near(slope_size(Loss::exponential, Rational(u), 128), std::exp(-u));
    near(slope_size(Loss::correlation, Rational(u), 128), 1);
    const double delta = std::abs(random.gaussian());
    near(excess_loss(Loss::exponential, Rational(u), point(Rational(delta)), 128),
         std::exp(-u) * std::expm1(delta));
    near(excess_loss(Loss::logistic, Rational(u), point(Rational(delta)), 128),
         std::log1p(std::exp(-u) / (1 + std::exp(-u)) * std::expm1(delta)));
    near(excess_loss(Loss::correlation, Rational(u), point(Rational(delta)), 128), delta);
  }
  // The largest curvature of the logistic loss is at the point of the interval nearest to 0.
  CHECK(largest_curvature(Loss::logistic, -1, 2, 128)->lo == Rational(1, 4));
  CHECK(largest_curvature(Loss::logistic, 1, 2, 128)->hi < Rational(1, 5));
  CHECK(largest_curvature(Loss::logistic, -3, -2, 128)->hi < Rational(11, 100));
  CHECK(largest_curvature(Loss::correlation, -3, 5, 128)->hi == 0);
  CHECK_FALSE(slope_size(Loss::exponential, Rational(-(Integer(1) << 40)), 128));
  CHECK(slope_size(Loss::exponential, Rational(Integer(1) << 40), 128)->lo == 0);
  CHECK(slope_size(Loss::exponential, Rational(Integer(1) << 40), 128)->hi > 0);
  CHECK(parse_loss("logistic") == Loss::logistic);
  CHECK_FALSE(parse_loss("hinge"));
}

TEST_CASE("verdicts combine: a failure decides, then what is open") {
  attest::Row row{"X", "", "", Mark::read, "any"};
  settle(row, Verdict::holds);
  CHECK(row.verdict == Verdict::holds);
  row.require("first", Verdict::undecided, "time");
  settle(row);
  CHECK(row.verdict == Verdict::undecided);
  CHECK(row.reason == "first: time");
  row.require("second", Verdict::fails, "witness");
  settle(row);
  CHECK(row.verdict == Verdict::fails);
  CHECK(row.reason == "second: witness");
  CHECK(either(Verdict::fails, Verdict::undecided) == Verdict::undecided);
  CHECK(either(Verdict::holds, Verdict::undecided) == Verdict::holds);
  CHECK(both(Verdict::holds, Verdict::undecided) == Verdict::undecided);
  CHECK(both(Verdict::fails, Verdict::undecided) == Verdict::fails);
}
