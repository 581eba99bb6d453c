// The finite part of several selected tokens against dense rational vectors.
#include "numerics/margin/finite_part.hpp"

#include <doctest/doctest.h>

#include <random>

#include "tests/unit/numerics/margin/reference.hpp"

using namespace attest;
using reference::dense;
using reference::drawn_data;
using reference::Vector;

namespace {

// sum coefficient_j Delta_j has the values asked for, each equation's, whichever are independent.
void check_values(const TokenData& data, const FiniteEquations& equations, const FinitePart& found,
                  const std::vector<Rational>& ratios) {
  constexpr long bits = 256;
  REQUIRE(found.least_norm);
  const std::vector<Ball> values = logarithms(ratios, bits);
  Ball squared(0);
  for (std::size_t k = 0; k < equations.size(); ++k) {
    const Vector at = dense(data, equations.row(k));
    Ball value(0);
    for (std::size_t j = 0; j < found.independent.size(); ++j) {
      const Vector on = dense(data, equations.row(found.independent[j]));
      add_product(value, found.least_norm->coefficient[j], Ball(reference::dot(at, on), bits), bits);
    }
    CHECK(overlap(value, values[k]));
    CHECK(value.radius_upper() < 1e-20);
  }
  for (std::size_t j = 0; j < found.independent.size(); ++j)
    add_product(squared, found.least_norm->coefficient[j], values[found.independent[j]], bits);
  CHECK(overlap(squared, found.least_norm->norm_squared));
}

}  // namespace

TEST_CASE("finite part: independent equations have one solution of least norm") {
  std::mt19937_64 random(11);
  const TokenData data = drawn_data(random, 3, 4, 5, 2);
  const SelectedSets sets{{0, 2, 3}, {1}, {0, 1, 2, 3}};
  const FiniteEquations equations(data, sets, Budget());
  REQUIRE(equations.size() == 5);
  CHECK(equations.dependences().empty());
  const std::vector<Rational> ratios{Rational(3, 2), Rational(1, 7), 1, 5, Rational(10, 9)};
  CHECK(equations.contradiction(ratios) == nullptr);
  check_values(data, equations, solve_finite_part(equations, ratios, 192), ratios);
}

TEST_CASE("finite part: dependent equations are exact combinations, and contradicted exactly") {
  std::mt19937_64 random(12);
  const TokenData data = drawn_data(random, 2, 4, 2, 1);  // six equations of R^2
  const SelectedSets sets{{0, 1, 2, 3}, {0, 1, 2, 3}};
  const FiniteEquations equations(data, sets, Budget());
  REQUIRE(equations.independent().size() == 2);
  REQUIRE(equations.dependences().size() == 4);
  for (const auto& dependence : equations.dependences()) {
    Vector sum(2);
    for (std::size_t j = 0; j < 2; ++j) {
      const Vector on = dense(data, equations.row(equations.independent()[j]));
      for (std::size_t entry = 0; entry < 2; ++entry) sum[entry] += dependence.on[j] * on[entry];
    }
    CHECK(sum == dense(data, equations.row(dependence.equation)));
  }
  const std::vector<Rational> ones(6, 1);
  const FinitePart zero = solve_finite_part(equations, ones, 192);
  CHECK_FALSE(zero.contradiction);
  REQUIRE(zero.least_norm);
  CHECK(zero.least_norm->norm_squared.contains_zero());
  std::vector<Rational> other = ones;
  other[5] = 1 + Rational(1, Integer(1) << 300);  // no fixed number of bits tells it from 1
  const FinitePart refuted = solve_finite_part(equations, other, 64);
  REQUIRE(refuted.contradiction);
  CHECK_FALSE(refuted.least_norm);
}

TEST_CASE("finite part: powers that belong together agree") {
  // Tokens 0, 1, 3 on a line: x_0 - x_2 = 3 (x_0 - x_1), so the ratios must be r and r^3.
  const TokenData data =
      reference::make_data({{{Rational(0)}, {Rational(1)}, {Rational(3)}}}, {{Rational(1)}}, {{1, 1, 1}});
  const FiniteEquations equations(data, {{0, 1, 2}}, Budget());
  const Rational r(12, 35);
  CHECK(equations.contradiction({r, r * r * r}) == nullptr);
  CHECK(equations.contradiction({r, r * r}) != nullptr);
  CHECK(equations.contradiction({Rational(2), Rational(8)}) == nullptr);
  CHECK(equations.contradiction({Rational(2), Rational(9)}) != nullptr);
  check_values(data, equations, solve_finite_part(equations, {r, r * r * r}, 192), {r, r * r * r});
}

TEST_CASE("finite part: a query of zeros allows equal attention only") {
  const TokenData data = reference::make_data({{{Rational(0)}, {Rational(1)}}}, {{Rational(0)}}, {{1, 1}});
  const FiniteEquations equations(data, {{0, 1}}, Budget());
  CHECK(equations.independent().empty());
  CHECK(equations.contradiction({Rational(1)}) == nullptr);
  const FinitePart refuted = solve_finite_part(equations, {Rational(1, 2)}, 128);
  REQUIRE(refuted.contradiction);
  CHECK(certainly_negative(refuted.excess));
}
