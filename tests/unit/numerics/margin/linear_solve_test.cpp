// p-adic lifting against FLINT's Dixon solver and against the definition.
#include <doctest/doctest.h>
#include <flint/fmpq.h>
#include <flint/fmpz_mat.h>
#include <flint/ulong_extras.h>

#include <random>

#include "numerics/numbers/exact_linear_solve.hpp"
#include "numerics/numbers/modular_matrix.hpp"
#include "numerics/numbers/rational_reconstruction.hpp"

namespace attest {
namespace {

Integer random_integer(std::mt19937_64& random, unsigned bits) {
  Integer value = 0;
  for (unsigned done = 0; done < bits; done += 32) value = (value << 32) + (random() & 0xffffffffu);
  value >>= (bits + 31) / 32 * 32 - bits;
  return random() % 2 == 0 ? value : Integer(-value);
}

std::vector<Integer> random_matrix(std::mt19937_64& random, std::size_t rows, std::size_t columns,
                                   unsigned bits) {
  std::vector<Integer> matrix(rows * columns);
  for (Integer& entry : matrix) entry = random_integer(random, bits);
  return matrix;
}

// V V' for the rows V.
std::vector<Integer> gram_of(const std::vector<Integer>& rows, std::size_t k, std::size_t columns) {
  std::vector<Integer> gram(k * k);
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      for (std::size_t j = 0; j < columns; ++j)
        gram[a * k + b] += rows[a * columns + j] * rows[b * columns + j];
    }
  }
  return gram;
}

void check_solves(const std::vector<Integer>& matrix, const std::vector<Integer>& right,
                  const SharedVector& solution) {
  const std::size_t k = right.size();
  REQUIRE(solution.numerator.size() == k);
  CHECK(solution.denominator > 0);
  Integer content = solution.denominator;
  for (std::size_t row = 0; row < k; ++row) {
    Integer sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += matrix[row * k + j] * solution.numerator[j];
    CHECK(sum == solution.denominator * right[row]);
    content = gcd(content, solution.numerator[row]);
  }
  CHECK(content == 1);
}

}  // namespace

TEST_CASE("exact solves satisfy the equations, for every size of entries and signs") {
  std::mt19937_64 random(11);
  for (const std::size_t k : {1u, 2u, 3u, 7u, 20u, 40u}) {
    for (const unsigned bits : {1u, 8u, 55u, 56u, 57u, 64u, 130u, 700u}) {
      const std::vector<Integer> matrix = random_matrix(random, k, k, bits);
      const std::vector<Integer> right =
          random_matrix(random, k, 1, 1 + static_cast<unsigned>(random() % 300));
      const auto solution = solve_exactly(matrix, right, Budget{});
      if (bits >= 55) REQUIRE(solution.has_value());
      if (solution) check_solves(matrix, right, *solution);
    }
  }
}

TEST_CASE("exact solves of Gram systems agree with FLINT") {
  std::mt19937_64 random(12);
  for (const std::size_t k : {2u, 9u, 30u}) {
    for (const unsigned bits : {3u, 75u}) {
      const std::vector<Integer> gram = gram_of(random_matrix(random, k, k + 5, bits), k, k + 5);
      const std::vector<Integer> right(k, Integer(1));
      const auto solution = solve_exactly(gram, right, Budget{});
      REQUIRE(solution.has_value());
      check_solves(gram, right, *solution);
      fmpz_mat_t a, b, x;
      fmpz_t modulus, numerator, denominator;
      fmpz_mat_init(a, static_cast<slong>(k), static_cast<slong>(k));
      fmpz_mat_init(b, static_cast<slong>(k), 1);
      fmpz_mat_init(x, static_cast<slong>(k), 1);
      fmpz_init(modulus);
      fmpz_init(numerator);
      fmpz_init(denominator);
      for (std::size_t r = 0; r < k; ++r) {
        fmpz_one(fmpz_mat_entry(b, static_cast<slong>(r), 0));
        for (std::size_t j = 0; j < k; ++j) {
          fmpz_set_mpz(fmpz_mat_entry(a, static_cast<slong>(r), static_cast<slong>(j)),
                       gram[r * k + j].backend().data());
        }
      }
      REQUIRE(fmpz_mat_solve_dixon(x, modulus, a, b) != 0);
      // FLINT returns the solution modulo `modulus`: q x = n there.
      for (std::size_t r = 0; r < k; ++r) {
        fmpz_set_mpz(numerator, solution->numerator[r].backend().data());
        fmpz_set_mpz(denominator, solution->denominator.backend().data());
        fmpz_mul(denominator, denominator, fmpz_mat_entry(x, static_cast<slong>(r), 0));
        fmpz_sub(denominator, denominator, numerator);
        fmpz_mod(denominator, denominator, modulus);
        CHECK(fmpz_is_zero(denominator));
      }
      fmpz_clear(denominator);
      fmpz_clear(numerator);
      fmpz_clear(modulus);
      fmpz_mat_clear(x);
      fmpz_mat_clear(b);
      fmpz_mat_clear(a);
    }
  }
}

std::optional<Integer> denominator_by_flint(const Integer& value, const Integer& modulus) {
  fmpz_t residue, prime_power;
  fmpq_t fraction;
  fmpz_init(residue);
  fmpz_init(prime_power);
  fmpq_init(fraction);
  fmpz_set_mpz(residue, value.backend().data());
  fmpz_set_mpz(prime_power, modulus.backend().data());
  std::optional<Integer> denominator;
  if (fmpq_reconstruct_fmpz(fraction, residue, prime_power) != 0)
    fmpz_get_mpz(denominator.emplace().backend().data(), fmpq_denref(fraction));
  fmpq_clear(fraction);
  fmpz_clear(prime_power);
  fmpz_clear(residue);
  return denominator;
}

TEST_CASE("fractions are reconstructed as FLINT does") {
  std::mt19937_64 random(17);
  for (unsigned bits = 1; bits < 3000; bits += bits / 3 + 1) {
    for (int trial = 0; trial < 20; ++trial) {
      Integer modulus = 1;
      while (modulus >> (2 * bits + 2) == 0) modulus *= word_prime(static_cast<std::size_t>(trial % 3));
      const Integer denominator = abs(random_integer(random, bits)) + 1,
                    numerator = random_integer(random, bits);
      Integer inverse;
      REQUIRE(mpz_invert(inverse.backend().data(), denominator.backend().data(), modulus.backend().data()) !=
              0);
      Integer value = numerator * inverse % modulus;
      if (value < 0) value += modulus;
      const std::optional<Integer> found = reconstruct_denominator(value, modulus);
      REQUIRE(found.has_value());
      CHECK(*found == denominator / gcd(denominator, numerator));
      CHECK(found == denominator_by_flint(value, modulus));
      const Integer any = abs(random_integer(random, 2 * bits + 2)) % modulus;  // hardly ever a fraction's
      CHECK(reconstruct_denominator(any, modulus) == denominator_by_flint(any, modulus));
    }
  }
}

TEST_CASE("word primes are the largest ones below 2^60") {
  std::size_t index = 0;
  for (std::uint64_t odd = (std::uint64_t{1} << 60) - 1; index < 64; odd -= 2) {
    if (n_is_prime(odd) != 0) CHECK(word_prime(index++) == odd);
  }
}

TEST_CASE("a singular matrix has no exact solution") {
  CHECK_FALSE(solve_exactly({1, 2, 2, 4}, std::vector<Integer>{1, 2}, Budget{}).has_value());
  CHECK_FALSE(solve_exactly({0}, std::vector<Integer>{1}, Budget{}).has_value());
}

TEST_CASE("a matrix singular modulo the first prime is solved with the next one") {
  const Integer prime(word_prime(0));
  const auto solution = solve_exactly({prime, 0, 0, prime * 3}, std::vector<Integer>{1, 1}, Budget{});
  REQUIRE(solution.has_value());
  CHECK(solution->denominator == prime * 3);
  CHECK(solution->numerator == std::vector<Integer>{3, 1});
}

TEST_CASE("inverses modulo a prime multiply to one, with row exchanges") {
  std::mt19937_64 random(13);
  const std::uint64_t prime = word_prime(3);
  for (const std::size_t k : {1u, 2u, 5u, 33u}) {
    std::vector<Integer> matrix = random_matrix(random, k, k, 70);
    if (k > 1) matrix[0] = 0;
    const std::vector<std::uint64_t> reduced = residues(matrix, prime);
    const auto inverse = inverse_modulo(reduced, k, prime, Budget{});
    REQUIRE(inverse.has_value());
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < k; ++b) {
        Integer sum = 0;
        for (std::size_t j = 0; j < k; ++j)
          sum += Integer(reduced[a * k + j]) * Integer((*inverse)[j * k + b]);
        CHECK(sum % Integer(prime) == (a == b ? 1 : 0));
      }
    }
  }
}

TEST_CASE("independent positions are a maximal independent prefix-greedy subset") {
  // Vectors e1, 2 e1, e2, e1 + e2, 0, e3.
  const std::vector<Integer> rows = {1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1};
  const std::vector<Integer> gram = gram_of(rows, 6, 3);
  const std::uint64_t prime = word_prime(1);
  CHECK(independent_positions(residues(gram, prime), 6, prime, Budget{}) ==
        std::vector<std::size_t>{0, 2, 5});
}

}  // namespace attest
