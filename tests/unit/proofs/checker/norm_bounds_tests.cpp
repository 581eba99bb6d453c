// Bounds of norms at their edge: the least number beyond the truth is refused, whatever the bits.
#include <doctest/doctest.h>

#include "proofs/checker/base/norm_bounds.hpp"
#include "proofs/checker/base/powers.hpp"

using namespace attest_check;

namespace {

ExactMatrix row(std::vector<Integer> entries) {
  const std::size_t size = entries.size();
  return {1, size, std::move(entries), 1};
}

Rational bound_of(const Integer& numerator, const Integer& denominator) {
  return fraction(numerator, denominator);
}

}  // namespace

TEST_CASE("norm bounds: one entry of 1 has the norm 1, in every power") {
  for (const auto& [a, c] : {std::pair{2, 1}, {3, 1}, {3, 2}, {7, 4}, {64, 63}}) {
    const Rational exponent = bound_of(a, c);
    for (const unsigned bits : {29U, 61U, 64U, 200U}) {
      const Integer large = power_of_two(bits + 11);
      CHECK(power_norm_at_most(row({1}), exponent, 1, bits));
      CHECK_FALSE(power_norm_at_most(row({1}), exponent, bound_of(large - 1, large), bits));
      // A magnitude has no sign.
      CHECK(power_norm_at_most(row({-1}), exponent, 1, bits));
      CHECK_FALSE(power_norm_at_most(row({-1}), exponent, bound_of(large - 1, large), bits));
    }
  }
}

// Two entries of 1 have the norm 2^(1/r). For the bound 2^bits/X with X^a > 2^(a bits - c) it is beyond the
// bound; for the largest other X it is not, and the procedure loses too much there to tell.
TEST_CASE("norm bounds: two entries of 1, a unit of the last bit beyond") {
  for (const auto& [a, c] : {std::pair{2U, 1U}, {3U, 1U}, {3U, 2U}, {5U, 2U}, {5U, 3U}, {7U, 4U}}) {
    const Rational exponent = bound_of(a, c);
    for (unsigned bits = 29; bits < 160; ++bits) {
      Integer x;
      mpz_root(x.get_mpz_t(), power_of_two(a * bits - c).get_mpz_t(), a);
      const Integer whole = power_of_two(bits);
      CHECK_FALSE(power_norm_at_most(row({1, 1}), exponent, bound_of(whole, x + 1), bits));
      CHECK_FALSE(power_norm_at_most(row({1, -1}), exponent, bound_of(whole, x + 1), bits));
      CHECK(power_norm_at_most(row({1, 1}), exponent, bound_of(whole, x - 8), bits));
    }
  }
}

TEST_CASE("norm bounds: the largest singular value") {
  // 3/5, 4/5 turned: singular values 1 and 1.
  const ExactMatrix turn{2, 2, {3, -4, 4, 3}, 5};
  // Of rank one: its singular value is the root of 180.
  const ExactMatrix product{2, 3, {2, 4, 4, 4, 8, 8}, 1};
  for (const unsigned bits : {29U, 61U, 100U}) {
    const Integer large = power_of_two(bits - 6);
    CHECK(spectral_norm_at_most(turn, bound_of(large + 1, large), bits));
    CHECK_FALSE(spectral_norm_at_most(turn, 1, bits));
    CHECK_FALSE(spectral_norm_at_most(turn, bound_of(large - 1, large), bits));
    const Integer below = sqrt(Integer(180 * large * large));
    CHECK_FALSE(spectral_norm_at_most(product, bound_of(below, large), bits));
    CHECK(spectral_norm_at_most(product, bound_of(below + 16, large), bits));
  }
}

TEST_CASE("powers: both ends on their sides, the signs, and 0") {
  const auto cube = [](const Rational& x) { return Rational(x * x * x); };
  for (const long n : {2L, 3L, 10L, 1000003L}) {
    const Interval root = power(Interval::between(n, n, 0, 64), Rational(1) / 3, 64);
    CHECK(cube(root.lower()) < n);
    CHECK(cube(root.upper()) > n);
    CHECK(root.upper() - root.lower() <= root.upper() * scale_by_power_of_two(1, -60));
    const Interval back = power(root, -3, 64);
    CHECK(back.lower() * n < 1);
    CHECK(back.upper() * n > 1);
  }
  const Interval eight = power(Interval::between(8, 8, 0, 64), Rational(2) / 3, 64);
  CHECK(eight.lower() <= 4);
  CHECK(eight.upper() >= 4);
  const Interval both = signed_power(Interval::between(-2, 3, 0, 64), 2, 64);
  CHECK(both.lower() == -4);
  CHECK(both.upper() == 9);
  CHECK(signed_power(Interval(0), Rational(4) / 3, 64).upper() == 0);
  CHECK(power(Interval::between(-1, 4, 0, 64), Rational(1) / 2, 64).lower() == 0);
  CHECK_THROWS_AS(power(Interval(0), -1, 64), Imprecise);
  CHECK_THROWS_AS(power(Interval(-1), 2, 64), Imprecise);
}
