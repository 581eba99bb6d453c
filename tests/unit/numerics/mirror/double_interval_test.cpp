// Intervals of doubles against exact rationals and against balls of 300 bits.
#include "numerics/numbers/double_interval.hpp"

#include <doctest/doctest.h>

#include <random>

using attest::Ball;
using attest::DoubleInterval;
using attest::Exponent;
using attest::Rational;

namespace {

constexpr long bits = 300;

bool holds(const DoubleInterval& x, const Rational& value) {
  return (std::isinf(x.lo()) || Rational(x.lo()) <= value) &&
         (std::isinf(x.hi()) || value <= Rational(x.hi()));
}

bool holds(const DoubleInterval& x, const Ball& value) {
  return x.lo() <= value.upper_double() && value.lower_double() <= x.hi() &&
         !certainly_less(value, Ball(x.lo())) && !certainly_less(Ball(x.hi()), value);
}

// Of all magnitudes, some the same, some 0.
double draw(std::mt19937_64& random) {
  std::uniform_int_distribution<int> kind(0, 9), exponent(-40, 40);
  std::uniform_real_distribution<double> unit(-1, 1);
  switch (kind(random)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return std::ldexp(1 + std::ldexp(1, -52), exponent(random));
    case 3:
      return std::ldexp(unit(random), 12 * exponent(random));
    default:
      return std::ldexp(unit(random), exponent(random));
  }
}

struct Member {
  DoubleInterval interval;
  Rational value;
};

Member member(std::mt19937_64& random) {
  double one = draw(random), other = random() % 3 == 0 ? one : draw(random);
  if (one > other) std::swap(one, other);
  const Rational share(static_cast<long>(random() % 1001), 1000);
  return {{one, other}, Rational(one) + share * (Rational(other) - Rational(one))};
}

}  // namespace

TEST_CASE("sums, differences, products and quotients of members are members") {
  std::mt19937_64 random(1);
  for (int k = 0; k < 60000; ++k) {
    const Member a = member(random), b = member(random);
    REQUIRE(holds(a.interval + b.interval, Rational(a.value + b.value)));
    REQUIRE(holds(a.interval - b.interval, Rational(a.value - b.value)));
    REQUIRE(holds(a.interval * b.interval, Rational(a.value * b.value)));
    REQUIRE(holds(-a.interval, Rational(-a.value)));
    if (b.value != 0) REQUIRE(holds(a.interval / b.interval, Rational(a.value / b.value)));
    REQUIRE(holds(abs(a.interval), Rational(abs(a.value))));
  }
}

TEST_CASE("powers, exponentials and logarithms of members are members") {
  std::mt19937_64 random(2);
  const Exponent exponents[] = {{3, 2}, {2, 3}, {7, 4},   {4, 7},  {-1, 2},
                                {0, 1}, {1, 1}, {64, 63}, {1, 64}, {-5, 3}};
  for (int k = 0; k < 20000; ++k) {
    const Member a = member(random);
    const Ball value(a.value, bits);
    if (abs(a.value) < 500) REQUIRE(holds(exp(a.interval), exp(value, bits)));
    if (a.value > 0) REQUIRE(holds(log(a.interval), log(value, bits)));
    if (a.value <= 0) continue;
    const Exponent& e = exponents[static_cast<std::size_t>(k) % 10];
    const Ball power = pow(value, Ball(Rational(e.numerator, e.denominator), bits), bits);
    REQUIRE(holds(pow(a.interval, e), power));
  }
}

TEST_CASE("what has no meaning is the whole line, and exact ends lose two units at most") {
  const DoubleInterval around(-1, 1), zero(0.0), endless = DoubleInterval(1.0) / zero;
  CHECK(std::isinf((DoubleInterval(1.0) / around).lo()));
  CHECK(std::isinf(endless.hi()));
  CHECK((endless * zero).lo() <= 0);
  CHECK(std::isinf((endless - endless).lo()));
  CHECK(std::isinf((endless - endless).hi()));
  CHECK(std::isinf(log(around).lo()));
  CHECK(std::isinf(DoubleInterval(std::nan("")).hi()));
  const DoubleInterval third = DoubleInterval(1.0) / DoubleInterval(3.0);
  CHECK(third.hi() - third.lo() <= 0x1p-51);
  const DoubleInterval root = pow(DoubleInterval(2.0), Exponent{1, 2});
  CHECK(root.hi() - root.lo() <= 0x1p-40);
}
