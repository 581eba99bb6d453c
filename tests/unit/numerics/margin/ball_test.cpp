// Ball arithmetic: random members of random balls, exact operation, containment; results also written over
// operands.
#include "numerics/numbers/ball.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "numerics/numbers/quotient.hpp"

namespace attest {
namespace {

struct Drawn {
  Ball ball;
  Rational member;
};

class Source {
 public:
  Drawn draw() {
    const Rational centre(Integer(static_cast<long>(random_() % 2001) - 1000), Integer(1 + random_() % 97));
    const Rational radius(Integer(random_() % 50), Integer(1) << (random_() % 40));
    const Rational position(Integer(static_cast<long>(random_() % 201) - 100), Integer(100));
    return {Ball(centre - radius, centre + radius, bits()), centre + position * radius};
  }
  long bits() { return 2 + static_cast<long>(random_() % 120); }

 private:
  std::mt19937_64 random_{7};
};

}  // namespace

TEST_CASE("rational operations on balls contain the exact result, aliased or not") {
  Source source;
  for (int trial = 0; trial < 4000; ++trial) {
    const Drawn x = source.draw();
    const Drawn y = source.draw();
    const long bits = source.bits();
    CHECK(x.ball.contains(x.member));
    CHECK(add(x.ball, y.ball, bits).contains(x.member + y.member));
    CHECK(sub(x.ball, y.ball, bits).contains(x.member - y.member));
    CHECK(mul(x.ball, y.ball, bits).contains(x.member * y.member));
    CHECK(square(x.ball, bits).contains(x.member * x.member));
    CHECK(neg(x.ball).contains(-x.member));
    CHECK(abs(x.ball).contains(abs(x.member)));
    CHECK(max(x.ball, y.ball, bits).contains(x.member > y.member ? x.member : y.member));
    CHECK(min(x.ball, y.ball, bits).contains(x.member < y.member ? x.member : y.member));
    CHECK(hull(x.ball, y.ball, bits).contains((x.member + y.member) / 2));
    CHECK(round(x.ball, bits).contains(x.member));
    CHECK(scale_by_power_of_two(x.ball, -5).contains(x.member / 32));
    if (y.member != 0) {
      CHECK(div(x.ball, y.ball, bits).contains(x.member / y.member));
      CHECK(inverse(y.ball, bits).contains(1 / y.member));
    }
    Ball sum = x.ball;
    add_product(sum, sum, y.ball, bits);
    CHECK(sum.contains(x.member + x.member * y.member));
    Ball self = x.ball;
    self = mul(self, self, bits);
    CHECK(self.contains(x.member * x.member));
    self = sub(self, self, bits);
    CHECK(self.contains(Rational(0)));
    const Ball left[] = {x.ball, y.ball};
    const Ball right[] = {y.ball, y.ball};
    CHECK(dot(left, right, bits).contains(x.member * y.member + y.member * y.member));
  }
}

TEST_CASE("predicates on balls are certain or false") {
  Source source;
  int decided = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Drawn x = source.draw();
    const Drawn y = source.draw();
    if (certainly_less(x.ball, y.ball)) {
      CHECK(x.member < y.member);
      ++decided;
    }
    if (certainly_at_most(x.ball, y.ball)) CHECK(x.member <= y.member);
    if (certainly_positive(x.ball)) CHECK(x.member > 0);
    if (certainly_negative(x.ball)) CHECK(x.member < 0);
    if (certainly_nonnegative(x.ball)) CHECK(x.member >= 0);
    if (!overlap(x.ball, y.ball)) CHECK(x.member != y.member);
    CHECK(x.ball.lower() <= x.member);
    CHECK(x.member <= x.ball.upper());
  }
  CHECK(decided > 500);
}

TEST_CASE("transcendental operations invert one another inside the balls, never with radius zero") {
  Source source;
  for (int trial = 0; trial < 500; ++trial) {
    const Rational value(Integer(1 + trial), Integer(37));
    const long bits = 30 + trial % 200;
    const Ball x(value, bits);
    CHECK(exp(log(x, bits), bits).contains(value));
    CHECK(log(exp(x, bits), bits).contains(value));
    CHECK(log1p(expm1(x, bits), bits).contains(value));
    CHECK(square(sqrt(x, bits), bits).contains(value));
    CHECK(pow(x, Ball(3), bits).contains(value * value * value));
    CHECK(!exp(x, bits).is_exact());
    // The partial sums of exp for x > 0 stay below it; two members of the enclosure order accordingly.
    CHECK(certainly_less(Ball(value, bits), exp(x, bits)));
  }
  CHECK(exp(Ball(0), 64).contains(Rational(1)));
  CHECK(certainly_less(Ball(Rational(314159, 100000), 64), pi(64)));
  CHECK(certainly_less(pi(64), Ball(Rational(314160, 100000), 64)));
}

TEST_CASE("balls outside the domain of an operation become the whole line") {
  const Ball straddling(Rational(-1), Rational(1), 53);
  CHECK(!div(Ball(1), straddling, 53).is_finite());
  CHECK(!log(straddling, 53).is_finite());
  CHECK(!sqrt(Ball(-1), 53).is_finite());
  CHECK(!Ball(std::numeric_limits<double>::quiet_NaN()).is_finite());
  CHECK(!certainly_positive(Ball(std::numeric_limits<double>::infinity())));
  CHECK(!certainly_less(log(straddling, 53), Ball(1000)));
}

TEST_CASE("doubles and integers enter balls exactly") {
  CHECK(Ball(0.1).is_exact());
  CHECK(Ball(0.1).lower() == Rational(0.1));
  const Integer wide = (Integer(1) << 400) + 1;
  CHECK(Ball(wide).lower() == Rational(wide));
  CHECK(Ball(Rational(1, 3), 53).contains(Rational(1, 3)));
  CHECK(!Ball(Rational(1, 3), 53).is_exact());
  Ball moved = Ball(7);
  const Ball target = std::move(moved);
  CHECK(target.lower() == 7);
}

TEST_CASE("quotients of long integers are near their value without being reduced") {
  std::mt19937_64 random(11);
  for (int k = 0; k < 200; ++k) {
    const Integer common = (Integer(1) << (random() % 3000)) + 1;
    const Integer above = common * (Integer(static_cast<long>(random() % 2000001)) - 1000000),
                  below = common * (1 + random() % 1000);
    const Rational exact(above, below), close = dyadic_quotient(above, below);
    const Rational allowed = abs(exact) / (Integer(1) << 51);
    CHECK(abs(close - exact) <= allowed);
    CHECK(abs(Rational(approx_quotient(above, below)) - exact) <= allowed);
  }
  const Integer huge = Integer(1) << 5000;
  CHECK(dyadic_quotient(huge, 1) == Rational(huge));
  CHECK(dyadic_quotient(-1, huge) == -1 / Rational(huge));
  CHECK(approx_quotient(huge, 1) == std::numeric_limits<double>::infinity());
  CHECK(approx_quotient(1, huge) == 0);
}

}  // namespace attest
