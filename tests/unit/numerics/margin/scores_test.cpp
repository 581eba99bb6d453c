// Scores: every rational comes back as it was.
#include "numerics/problem/scores.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using attest::Integer;
using attest::Rational;
using attest::Scores;

TEST_CASE("scores are the rationals that were put in") {
  std::mt19937_64 random(3);
  std::vector<Rational> values{0,
                               1,
                               -1,
                               Rational(1, 3),
                               Rational(-7, 12),
                               Rational(Integer(1) << 5000),
                               Rational(1, Integer(1) << 5000)};
  for (unsigned bits = 1; bits < 260; ++bits) {
    Integer odd = (Integer(1) << (bits - 1)) + 1;
    values.push_back(Rational(bits % 2 == 0 ? odd : Integer(-odd), Integer(1) << (random() % 300)));
    values.push_back(Rational(Integer(-odd << (random() % 300))));
  }
  Scores scores;
  for (const Rational& value : values) scores.push_back(value);
  REQUIRE(scores.size() == values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    CAPTURE(k);
    REQUIRE(scores[k] == values[k]);
    for (std::size_t other = 0; other < values.size(); other += 7)
      REQUIRE(scores.equal(k, other) == (values[k] == values[other]));
  }
  std::size_t k = 0;
  for (const Rational value : scores) REQUIRE(value == values[k++]);
  scores.set(3, Rational(2, 3));
  scores.set(0, Rational(5, 7));
  CHECK(scores[3] == Rational(2, 3));
  CHECK(scores[0] == Rational(5, 7));
  Scores many;
  many.assign(4, Rational(1, 9));
  CHECK(many[3] == Rational(1, 9));
  CHECK_FALSE(many == scores);
}
