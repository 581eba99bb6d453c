// Singular values: sums of squares and of fourth powers, known cases, wide balls.
#include "numerics/factored/singular_values.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace attest;

TEST_CASE("known singular values, repeated and zero") {
  const auto balls = [](std::initializer_list<double> entries) {
    std::vector<Ball> result;
    for (const double entry : entries) result.emplace_back(entry);
    return result;
  };
  const std::vector<Ball> turned = singular_values(balls({0, 3, 0, -3, 0, 0}), 2, 3, 128);
  REQUIRE(turned.size() == 2);
  CHECK(turned[0].contains(Rational(3)));
  CHECK(turned[1].contains(Rational(3)));
  CHECK(turned[0].radius_upper() < 1e-12);
  const std::vector<Ball> one = singular_values(balls({1, 1, 1, 1}), 2, 2, 128);
  CHECK(one[0].contains(Rational(2)));
  CHECK(one[1].contains(Rational(0)));
  CHECK(one[1].upper_double() < 1e-12);
  const std::vector<Ball> none = singular_values(balls({0, 0, 0, 0}), 2, 2, 128);
  CHECK(none[0].is_exact());
  CHECK(none[0].contains(Rational(0)));
}

TEST_CASE("every matrix of the balls has its singular values inside") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 20; ++round) {
    const std::size_t rows = 1 + random() % 6, columns = 1 + random() % 6;
    const double width = round % 2 == 0 ? 0 : 1e-3;
    std::vector<Ball> matrix, inside;
    for (std::size_t k = 0; k < rows * columns; ++k) {
      const double entry = std::ldexp(normal(random), round * 40 - 400);
      const double off = width * std::abs(entry);
      matrix.push_back(hull(Ball(entry - off), Ball(entry + off), 200));
      inside.push_back(random() % 2 == 0 ? Ball(entry - off) : Ball(entry + off));
    }
    Ball sum, whole;
    const std::vector<Ball> found = singular_values(matrix, rows, columns, 200);
    REQUIRE(found.size() == std::min(rows, columns));
    for (std::size_t k = 0; k < found.size(); ++k) {
      sum = add(sum, square(found[k], 200), 200);
      if (k > 0) CHECK(found[k].lower() <= found[k - 1].upper());
    }
    for (const Ball& entry : inside) whole = add(whole, square(entry, 200), 200);
    CHECK(overlap(sum, whole));
    const std::vector<Ball> own = singular_values(inside, rows, columns, 200);
    for (std::size_t k = 0; k < found.size(); ++k) CHECK(overlap(found[k], own[k]));
  }
}
