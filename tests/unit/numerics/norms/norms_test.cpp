// What is said of the least norm is measured again in fractions, on problems of few dimensions, where
// solutions are corners, and where they are not.
#include <doctest/doctest.h>

#include "tests/unit/numerics/norms/norm_cases.hpp"

using namespace attest;
using namespace attest_test;

namespace {

Rational sum_of_magnitudes(const Entries& x) {
  Rational sum;
  for (const Rational& entry : x) sum += abs(entry);
  return sum;
}

Rational largest_magnitude(const Entries& x) {
  Rational largest;
  for (const Rational& entry : x) largest = std::max(largest, Rational(abs(entry)));
  return largest;
}

Rational sum(const ConstraintVector& multipliers) {
  Rational total;
  for (std::size_t k = 0; k < multipliers.size(); ++k) total += multipliers.value(k);
  return total;
}

}  // namespace

TEST_CASE("linear programs end at a corner, whose value is exact on both sides") {
  std::size_t solved = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const std::size_t d = 2 + seed % 4, e = 2 + seed % 3;
    const auto asked = norm_case(gaussian_instance({4, 3, 4}, d, e, seed));
    if (!asked) continue;
    for (const bool sums : {true, false}) {
      const NormAnswer answer = asked->solve(sums ? "l1" : "linf");
      REQUIRE(answer.optimum);
      CHECK(answer.reason.empty());
      const NormOptimum& found = *answer.optimum;
      CHECK(found.value.lo == found.value.hi);
      const Entries w = primal(found), m = combination(*asked, found.multipliers);
      CHECK(separates(*asked, w));
      CHECK((sums ? sum_of_magnitudes(w) : largest_magnitude(w)) == found.value.hi);
      CHECK((sums ? largest_magnitude(m) : sum_of_magnitudes(m)) == found.dual_bound);
      CHECK(sum(found.multipliers) == found.value.lo * found.dual_bound);
      ++solved;
    }
  }
  CHECK(solved >= 12);
}

TEST_CASE("integer data, where many corners are one point") {
  TokenData data = gaussian_instance({3, 3}, 2, 2, 1);
  data.token_factor = ExactArray::from_binary64({1, 0, 0, 1, -1, 0, 1, 1, 0, 0, -1, 0});
  data.query_factor = ExactArray::from_binary64({1, 0, 0, 1});
  const auto asked = norm_case(data);
  REQUIRE(asked);
  for (const char* norm : {"l1", "linf"}) {
    const NormAnswer answer = asked->solve(norm);
    REQUIRE(answer.optimum);
    CHECK(answer.optimum->value.lo == answer.optimum->value.hi);
    CHECK(separates(*asked, primal(*answer.optimum)));
  }
}

TEST_CASE("the nuclear norm where nothing but full rank or rank one is left") {
  std::size_t solved = 0, open = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto asked = norm_case(gaussian_instance({5, 5, 5, 5}, 2, 2, seed));
    if (!asked) continue;
    const NormAnswer answer = asked->solve("nuc");
    REQUIRE(answer.optimum);
    CHECK(answer.optimum->value.lo > 0);
    CHECK(answer.optimum->value.lo <= answer.optimum->value.hi);
    CHECK(separates(*asked, primal(*answer.optimum)));
    (answer.reason.empty() ? solved : open) += 1;
  }
  CHECK(solved > 0);
  CHECK(open <= solved);
}

TEST_CASE("among matrices of a bounded rank the least norm falls with the bound, to the convex problem's") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const auto asked = norm_case(gaussian_instance({4, 4, 4}, 5, 5, seed));
    if (!asked) continue;
    std::optional<Rational> before;
    for (std::size_t rank = 1; rank <= 5; ++rank) {
      const NormAnswer answer = asked->solve("nuc", rank);
      REQUIRE(answer.optimum);
      if (!answer.of_rank) continue;
      const NormOptimum& bounded = *answer.of_rank;
      CHECK(bounded.factor_columns() <= rank);
      CHECK(separates(*asked, primal(bounded)));
      const Rational squares = (product(entries(bounded.left), entries(bounded.left)) +
                                product(entries(bounded.right), entries(bounded.right))) /
                               2;
      CHECK(squares <= bounded.value.hi);
      CHECK(bounded.value.hi >= answer.optimum->value.lo);
      if (before) CHECK(bounded.value.hi <= *before * (1 + Rational(1, 1000)));
      before = bounded.value.hi;
      if (rank == 5) CHECK(bounded.value.hi == answer.optimum->value.hi);
    }
  }
}

TEST_CASE("names of norms") {
  CHECK(parse_norm("l1")->kind == NormKind::one);
  CHECK(parse_norm("linf")->kind == NormKind::maximum);
  CHECK(parse_norm("l2")->kind == NormKind::frobenius);
  CHECK(parse_norm("l1.75")->word == "l7/4");
  for (const char* word : {"l0", "l1/2", "l", "linfinity", "l-3", ""}) CHECK_FALSE(parse_norm(word));
}
