// The proof of a smallest eigenvalue at its edge: claims a hair above the truth, on vectors whose rounding
// errors all add up. Each would be accepted if one part of the procedure (GRAMMAR.md section 7) were left
// out; u = 2^-bits is its unit.
#include <doctest/doctest.h>

#include "proofs/checker/base/smallest_eigenvalue.hpp"

using namespace attest_check;

namespace {

// 1 - units 2^-bits.
Rational below_one(const Rational& units, unsigned bits) {
  return 1 - units * scale_by_power_of_two(1, -static_cast<long>(bits));
}

// The quadratic form of the Gram matrix at the vector of the signs, over its squared length: at least
// lambda_min.
Rational rayleigh(const GramFactor& factor, const std::vector<int>& signs) {
  std::vector<Integer> sum(factor.rows.front().size());
  for (std::size_t r = 0; r < factor.rows.size(); ++r) {
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += signs[r] * factor.rows[r][k];
  }
  Integer square;
  for (const Integer& x : sum) square += x * x;
  return fraction(square, factor.denominator * factor.denominator * Integer(factor.rows.size()));
}

GramFactor with_all_rows(GramFactor factor) {
  for (std::size_t r = 0; r < factor.rows.size(); ++r) factor.index.push_back(r);
  return factor;
}

}  // namespace

// Nine vectors of 576 coordinates, 1/8 in 64 of their own and just less than half a unit below 0 elsewhere:
// rounded, they are orthonormal; in truth every two have the product -4u, and lambda_min is 1 - 32u.
TEST_CASE("rounding errors that add up over rows and columns are reserved for") {
  for (const unsigned bits : {29U, 64U, 301U}) {
    CAPTURE(bits);
    constexpr std::size_t rows = 9, own = 64, columns = rows * own;
    GramFactor factor;
    const long finer = 12;  // a coordinate's unit is 2^-(bits + 1)
    factor.denominator = power_of_two(bits + 1 + finer);
    const Integer half = power_of_two(finer - 1);
    for (std::size_t r = 0; r < rows; ++r) {
      auto& row = factor.rows.emplace_back(columns, Integer(1 - half));
      for (std::size_t k = r * own; k < (r + 1) * own; ++k)
        row[k] = power_of_two(bits + 1 + finer - 3) - half / 8;
    }
    const std::vector<GramFactor> factors = {with_all_rows(factor)};
    const Rational truth = rayleigh(factor, std::vector<int>(rows, 1));
    CHECK(truth < below_one(31, bits));
    CHECK(truth > below_one(34, bits));
    CHECK_FALSE(smallest_eigenvalue_at_least(factors, below_one(31, bits), bits));
    CHECK_FALSE(smallest_eigenvalue_at_least(factors, below_one(25, bits), bits));
    // The reserve, 9 (14 + 1) + 2 units, is what it costs.
    CHECK_FALSE(smallest_eigenvalue_at_least(factors, below_one(137, bits), bits));
    const Rational finest = scale_by_power_of_two(1, -2 * static_cast<long>(bits));
    CHECK_FALSE(smallest_eigenvalue_at_least(factors, below_one(137, bits) - finest / 2, bits));
    CHECK(smallest_eigenvalue_at_least(factors, below_one(138, bits), bits));
  }
}

// One vector of 256 coordinates, each all but one unit above -1/16: truncated instead of rounded, its square
// would be 16u too large.
TEST_CASE("coordinates are rounded to the nearest") {
  for (const unsigned bits : {29U, 61U, 64U}) {
    CAPTURE(bits);
    GramFactor factor;
    const long finer = 12;
    factor.denominator = power_of_two(bits + 1 + finer);
    factor.rows.emplace_back(256, Integer(power_of_two(finer) - 1 - power_of_two(bits + 1 + finer - 4)));
    const std::vector<GramFactor> factors = {with_all_rows(factor)};
    CHECK(rayleigh(factor, {1}) < below_one(15, bits));
    CHECK_FALSE(smallest_eigenvalue_at_least(factors, below_one(15, bits), bits));
    CHECK(smallest_eigenvalue_at_least(factors, below_one(40, bits), bits));
  }
}

// A product of two vectors of 400 coordinates of about 1/20, all of them rounded up by all but half a unit.
TEST_CASE("both factors of a product bring their errors") {
  for (const unsigned bits : {29U, 61U, 64U}) {
    CAPTURE(bits);
    const auto factor_of = [&] {
      GramFactor factor;
      const long finer = 12;
      factor.denominator = power_of_two(bits + 1 + finer);
      const Integer grid = power_of_two(bits + 1) / 20;
      factor.rows.emplace_back(400, Integer((grid << finer) - power_of_two(finer - 1) + 1));
      return with_all_rows(factor);
    };
    const std::vector<GramFactor> factors = {factor_of(), factor_of()};
    const Rational x = rayleigh(factors[0], {1}), truth = x * x;
    // Rounded, both squares are 10u too large, their product 20u; the reserve is (12 + 12 + 1 + 1) + 2 = 28u.
    const auto above = [&](long units) {
      return Rational(truth + Rational(units) * scale_by_power_of_two(1, -static_cast<long>(bits)));
    };
    CHECK_FALSE(smallest_eigenvalue_at_least(factors, above(1), bits));
    CHECK_FALSE(smallest_eigenvalue_at_least(factors, above(9), bits));
    CHECK(smallest_eigenvalue_at_least(factors, above(-11), bits));
  }
}

// A bound may not exceed the largest possible eigenvalue: 64 would wrap words of 2 b + 6 bits to 0.
TEST_CASE("bounds far above every eigenvalue are refused before words overflow") {
  std::vector<GramFactor> factors(1);
  factors[0].rows = {{1, 0}, {0, 1}};
  factors[0].index = {0, 1};
  for (const unsigned bits : {29U, 61U}) {
    for (const unsigned exponent : {1U, 5U, 6U, 7U, 35U, 64U, 67U, 300U}) {
      CAPTURE(bits);
      CAPTURE(exponent);
      CHECK_FALSE(smallest_eigenvalue_at_least(factors, Rational(power_of_two(exponent)), bits));
    }
    CHECK_FALSE(
        smallest_eigenvalue_at_least(factors, Rational(power_of_two(6)) + below_one(100, bits), bits));
  }
}

// Two unit vectors with the product 2^(5-b) and a first pivot of 1: the quotient is 2^(b+5), whose square is
// 0 in words of 2 b + 6 bits.
TEST_CASE("quotients that do not fit the words are refused") {
  for (const unsigned bits : {29U, 61U}) {
    for (const long sign : {1L, -1L}) {
      CAPTURE(bits);
      CAPTURE(sign);
      GramFactor factor;
      const unsigned one = 3 * bits, product = bits - 5;
      factor.denominator = power_of_two(one);
      factor.rows = {
          {power_of_two(one), 0},
          {sign * power_of_two(one - product), power_of_two(one) - power_of_two(one - 2 * product + 1)}};
      const std::vector<GramFactor> factors = {with_all_rows(factor)};
      // Two columns: s = 2, h = 3, reserve (2 (3 + 1) + 2) u.
      const Rational bound = below_one(10, bits) - scale_by_power_of_two(1, -2 * static_cast<long>(bits));
      CHECK(rayleigh(factor, {1, static_cast<int>(-sign)}) < bound);
      CHECK_FALSE(smallest_eigenvalue_at_least(factors, bound, bits));
    }
  }
}

// 64 unit vectors and one with the product 2^(7-b) with each, first pivots of 2^14: 64 quotients of 2^b,
// whose squares sum to 2^(2b+6).
TEST_CASE("rows too long for the words are refused") {
  for (const unsigned bits : {29U, 61U}) {
    CAPTURE(bits);
    GramFactor factor;
    const unsigned one = 3 * bits, product = bits - 7;
    factor.denominator = power_of_two(one);
    for (std::size_t r = 0; r < 64; ++r) {
      factor.rows.emplace_back(65);
      factor.rows.back()[r] = power_of_two(one);
    }
    auto& last = factor.rows.emplace_back(65, power_of_two(one - product));
    last[64] = power_of_two(one) - power_of_two(one - 2 * product + 6);
    // s = 9, h = 7, reserve (65 (7 + 1) + 2) u; lambda_min is about 1 - 2^(10-b).
    const Rational bound = below_one(522, bits) - scale_by_power_of_two(1, 14 - 2 * static_cast<long>(bits));
    CHECK(below_one(1 << 10, bits) < bound);
    CHECK_FALSE(smallest_eigenvalue_at_least({with_all_rows(factor)}, bound, bits));
  }
}

// Five coordinates count as the next square, nine: h = 4, reserve (4 + 1) + 2.
TEST_CASE("numbers of coordinates are rounded up to a square") {
  GramFactor factor;
  factor.rows = {{1, 0, 0, 0, 0}};
  const std::vector<GramFactor> factors = {with_all_rows(factor)};
  CHECK_FALSE(smallest_eigenvalue_at_least(factors, below_one(7, 29), 29));
  CHECK(smallest_eigenvalue_at_least(factors, below_one(8, 29), 29));
}

TEST_CASE("a pivot of 0 is refused") {
  std::vector<GramFactor> factors(1);
  factors[0].rows = {{1, 0}, {0, 1}};
  factors[0].index = {0, 1};
  for (const unsigned bits : {29U, 61U, 64U}) {
    CHECK_FALSE(smallest_eigenvalue_at_least(factors, below_one(10, bits), bits));
    CHECK(smallest_eigenvalue_at_least(
        factors, below_one(10, bits) - scale_by_power_of_two(1, -2 * static_cast<long>(bits)), bits));
  }
}
