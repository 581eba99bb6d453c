// Scores: every rational comes back as it was.
#include "numerics/problem/scores.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <random>
#include <vector>

using attest::BinaryArray;
using attest::Integer;
using attest::Rational;
using attest::RowProducts;
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

TEST_CASE("scores that are computed when they are asked for are those that are kept") {
  std::mt19937_64 random(5);
  constexpr std::size_t rows = 200, width = 3;
  // Ties, cancellation, numbers whose products a double does not hold.
  const double often[] = {0, 1, -1, 0.5, 3, 1e200, -1e200, 1e-200, 0x1p-1074, 1 + 0x1p-52, -1};
  std::vector<double> numbers;
  for (std::size_t k = 0; k < rows * width; ++k) numbers.push_back(often[random() % std::size(often)]);
  for (const std::vector<double>& vector :
       {std::vector<double>{1, 1, 1}, {1e200, 1, -1e-200}, {0, 0, 0}, {0x1p-1074, 0, 1}}) {
    std::vector<bool> negated;
    for (std::size_t r = 0; r < rows; ++r) negated.push_back(random() % 2 == 0);
    Scores kept;
    for (std::size_t r = 0; r < rows; ++r) {
      Rational sum = 0;
      for (std::size_t j = 0; j < width; ++j) sum += Rational(numbers[r * width + j]) * Rational(vector[j]);
      kept.push_back(negated[r] ? Rational(-sum) : sum);
    }
    Scores computed(RowProducts(BinaryArray::of(numbers), width, BinaryArray::of(vector)), negated);
    CHECK(computed.kept() == 0);
    REQUIRE(computed == kept);
    for (std::size_t a = 0; a < rows; ++a) {
      for (std::size_t b = 0; b < rows; ++b) {
        const int sign = kept[a] > kept[b] ? 1 : kept[a] < kept[b] ? -1 : 0;
        REQUIRE((computed.compare(a, b) > 0) - (computed.compare(a, b) < 0) == sign);
        REQUIRE((kept.compare(a, b) > 0) - (kept.compare(a, b) < 0) == sign);
      }
    }
    computed.set(7, Rational(1, 3));
    kept.set(7, Rational(1, 3));
    CHECK(computed == kept);
    CHECK(computed.kept() == rows);
  }
}
