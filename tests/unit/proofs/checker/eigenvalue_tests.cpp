// The fixed-point proof of a smallest eigenvalue, against exact leading minors.
#include <doctest/doctest.h>

#include <random>

#include "proofs/checker/base/smallest_eigenvalue.hpp"

using namespace attest_check;

namespace {

Integer dot(const std::vector<Integer>& x, const std::vector<Integer>& y) {
  Integer sum;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}

// Entry (a, b) of the Gram matrix, exactly.
Rational gram(const std::vector<GramFactor>& factors, std::size_t a, std::size_t b) {
  Rational product = 1;
  for (const GramFactor& f : factors) {
    Rational entry(dot(f.rows[f.index[a]], f.rows[f.index[b]]), f.denominator * f.denominator);
    entry.canonicalize();
    product *= entry;
  }
  return product;
}

// Whether G - bound I is positive definite: all pivots of exact Gaussian elimination positive.
bool exceeds(const std::vector<GramFactor>& factors, const Rational& bound) {
  const std::size_t size = factors.front().index.size();
  std::vector<std::vector<Rational>> m(size, std::vector<Rational>(size));
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) m[a][b] = gram(factors, a, b) - (a == b ? bound : Rational(0));
  }
  for (std::size_t k = 0; k < size; ++k) {
    if (m[k][k] <= 0) return false;
    for (std::size_t i = k + 1; i < size; ++i) {
      const Rational factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < size; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  return true;
}

// Random factors with entries spread over `spread` binary orders of magnitude; the second one has fewer rows.
std::vector<GramFactor> random_factors(std::mt19937_64& random, std::size_t size, std::size_t columns,
                                       bool two, unsigned spread) {
  std::vector<GramFactor> factors(two ? 2 : 1);
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const std::size_t rows = f == 0 ? size : (size + 2) / 3;
    factors[f].denominator = f == 0 ? Integer(3) << 40 : Integer(1) << 50;
    for (std::size_t r = 0; r < rows; ++r) {
      const unsigned shift = spread == 0 ? 0 : static_cast<unsigned>(random() % spread);
      auto& row = factors[f].rows.emplace_back();
      for (std::size_t k = 0; k < columns; ++k) {
        row.push_back(Integer(static_cast<long>(random() >> 16) - (1L << 47)) << shift);
      }
    }
    for (std::size_t k = 0; k < size; ++k) factors[f].index.push_back(k * rows / size);
  }
  return factors;
}

}  // namespace

TEST_CASE("no bound is accepted that exact arithmetic refutes, and bounds well below the truth are") {
  std::mt19937_64 random(5);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t size = 1 + random() % 9;
    const bool two = round % 2 == 0;
    const auto factors = random_factors(random, size, 4 + random() % 8, two, round % 3 == 0 ? 60 : 0);
    // Bisect for the smallest eigenvalue, exactly, to a relative 2^-12.
    Rational low = 0, high = gram(factors, 0, 0);
    for (std::size_t k = 1; k < size; ++k) high = std::min(high, gram(factors, k, k));
    if (!exceeds(factors, 0)) {
      for (const unsigned bits : {29U, 64U})
        CHECK_FALSE(smallest_eigenvalue_at_least(factors, high / 1000000, bits));
      continue;
    }
    for (int step = 0; step < 40 && high - low > low / 4096; ++step) {
      const Rational middle = (low + high) / 2;
      (exceeds(factors, middle) ? low : high) = middle;
    }
    for (const unsigned bits : {29U, 40U, 64U, 200U}) {
      CHECK_FALSE(smallest_eigenvalue_at_least(factors, high, bits));
      CHECK_FALSE(smallest_eigenvalue_at_least(factors, high * 2, bits));
    }
    CHECK(smallest_eigenvalue_at_least(factors, low / 2, 400));
    (smallest_eigenvalue_at_least(factors, low / 2, 29) ? accepted : refused)++;
  }
  CHECK(accepted > refused);
}

TEST_CASE("well-conditioned matrices are proved in machine words, also with norms of any size") {
  std::vector<GramFactor> identity(1);
  for (std::size_t k = 0; k < 50; ++k) {
    auto& row = identity[0].rows.emplace_back(50);
    row[k] = 1;
    identity[0].index.push_back(k);
  }
  CHECK(smallest_eigenvalue_at_least(identity, Rational(999, 1000), 29));
  CHECK_FALSE(smallest_eigenvalue_at_least(identity, 1, 29));
  CHECK_FALSE(smallest_eigenvalue_at_least(identity, Rational(1001, 1000), 200));
  // Scaling one vector by 2^300 leaves the smallest eigenvalue; scaling another by 2^-300 makes it 2^-600.
  identity[0].rows[3][3] = Integer(1) << 300;
  CHECK(smallest_eigenvalue_at_least(identity, Rational(999, 1000), 29));
  identity[0].denominator = Integer(1) << 300;
  for (std::size_t k = 4; k < 50; ++k) identity[0].rows[k][k] = Integer(1) << 300;
  const Rational square(1, Integer(Integer(1) << 600));
  CHECK(smallest_eigenvalue_at_least(identity, square * Rational(999, 1000), 29));
  CHECK_FALSE(smallest_eigenvalue_at_least(identity, square * Rational(1001, 1000), 29));
}

TEST_CASE("what 29 bits do not prove, 61 bits in machine words do") {
  // (1, 0) and (1, e), e = 2^-18: eigenvalues about 2 and e^2/2 = 2^-37.
  std::vector<GramFactor> narrow(1);
  narrow[0].rows = {{1 << 18, 0}, {1 << 18, 1}};
  narrow[0].denominator = 1 << 18;
  narrow[0].index = {0, 1};
  const Rational half = scale_by_power_of_two(1, -38);
  CHECK_FALSE(smallest_eigenvalue_at_least(narrow, half, 29));
  CHECK(smallest_eigenvalue_at_least(narrow, half, 61));
  CHECK_FALSE(smallest_eigenvalue_at_least(narrow, half * 2, 61));
}

TEST_CASE("zero and equal vectors have no positive bound") {
  std::vector<GramFactor> factors(1);
  factors[0].rows = {{1, 2}, {1, 2}};
  factors[0].index = {0, 1};
  for (const unsigned bits : {29U, 64U}) {
    CHECK_FALSE(smallest_eigenvalue_at_least(factors, Rational(1, 1000000), bits));
  }
  factors[0].rows = {{1, 2}, {0, 0}};
  CHECK_FALSE(smallest_eigenvalue_at_least(factors, Rational(1, 1000000), 29));
}

TEST_CASE("numbers at the ends of the machine path: vectors of full norm, in many coordinates") {
  // Norm exactly 2^a, so that xhat has the largest norm there is; all of it in one coordinate, or spread over
  // 2^16.
  std::vector<GramFactor> equal(2);
  equal[0].rows = {{1, 0}, {-1, 0}, {0, 1}};
  equal[0].index = {0, 1, 2};
  equal[1].rows = {std::vector<Integer>(1U << 16, 1)};
  equal[1].index = {0, 0, 0};
  for (const unsigned bits : {29U, 64U})
    CHECK_FALSE(smallest_eigenvalue_at_least(equal, Rational(1, 1000000), bits));
  std::vector<GramFactor> apart = equal;
  apart[0].rows = {{1, 0}, {0, 1}};
  apart[0].index = {0, 1};
  apart[1].index = {0, 0};
  // Eigenvalue 2^16.
  for (const unsigned bits : {29U, 64U}) {
    CHECK(smallest_eigenvalue_at_least(apart, Rational(65000), bits));
    CHECK_FALSE(smallest_eigenvalue_at_least(apart, Rational(65536), bits));
  }
  // Entries that round up to the next power of two, in 300 rows.
  std::vector<GramFactor> dense(1);
  dense[0].denominator = Integer(1) << 62;
  for (std::size_t k = 0; k < 300; ++k) {
    auto& row = dense[0].rows.emplace_back(301, 0);
    row[k] = (Integer(1) << 62) - 1;
    row[300] = k % 2 == 0 ? 1 : -1;
    dense[0].index.push_back(k);
  }
  CHECK(smallest_eigenvalue_at_least(dense, Rational(99, 100), 29));
  CHECK_FALSE(smallest_eigenvalue_at_least(dense, Rational(101, 100), 29));
}
