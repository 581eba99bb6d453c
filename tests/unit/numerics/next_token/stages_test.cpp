// One-hot embeddings: the split problems against the general solver on the whole problem with an identity
// matrix.
#include "numerics/next_token/stages.hpp"

#include <doctest/doctest.h>

#include "numerics/next_token/collocation.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "tests/unit/numerics/next_token/random_sentences.hpp"

using namespace attest;
using namespace next_token_tests;

namespace {

ExactArray identity(std::size_t size) {
  std::vector<double> entries(size * size, 0.0);
  for (std::size_t k = 0; k < size; ++k) entries[k * size + k] = 1;
  return ExactArray::from_binary64(std::move(entries));
}

// W of the multipliers has all margins >= 1, and 1 where the multiplier is; its norm is as said (T2).
void check_optimal(const StageProblem& problem, const MarginSolution& solution) {
  const ConstraintVector& multipliers = solution.exact->multipliers;
  const IntegerConstraints rows(problem.data, problem.selection);
  std::vector<std::size_t> at;
  for (std::size_t c = 0, k = 0; c < rows.size() && k < multipliers.size(); ++c) {
    if (!(rows.constraint(c) == multipliers.constraint[k])) continue;
    at.push_back(c);
    ++k;
  }
  REQUIRE(at.size() == multipliers.size());
  const std::vector<Integer> products = rows.products(at, multipliers.numerator, Budget());
  const Rational scale = rows.gram_scale() / Rational(multipliers.denominator);
  Rational norm = 0;
  std::vector<Constraint> support;
  for (std::size_t c = 0, k = 0; c < rows.size(); ++c) {
    const Rational margin = scale * Rational(products[c]);
    CHECK(margin >= 1);
    if (margin == 1) support.push_back(rows.constraint(c));
    if (k < at.size() && at[k] == c) {
      CHECK(margin == 1);
      CHECK(multipliers.numerator[k] > 0);
      norm += multipliers.value(k++);
    }
  }
  CHECK(norm == solution.exact->norm_squared);
  CHECK(support == *solution.support);
  if (*solution.strictly_complementary) CHECK(multipliers.constraint == support);
}

}  // namespace

TEST_CASE("one-hot problems have the solution of the whole problem") {
  std::size_t solved = 0, infeasible = 0, not_strict = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const std::size_t V = 3 + seed % 6;
    const Sentences sentences = seed % 3 == 0 ? given_sentences(seed, V, 2 + seed % 7, 2 + seed % 3)
                                              : random_sentences(seed, V, 2 + seed % 7, 3 + seed % 5);
    const CollocationSearch search = find_collocation(sentences, Budget());
    if (search.verdict == CollocationSearch::Verdict::conflict) continue;
    const Collocation& n = search.collocation;
    const auto groups = attention_groups(sentences);
    const auto orders = token_orders(groups, n);
    CAPTURE(seed);

    const StageProblem whole = attention_problem(sentences, groups, n, identity(V), Budget());
    const MarginSolution expected = solve_margin_problem(whole.data, whole.selection);
    if (const auto cycle = shortest_cycle(orders)) {
      CHECK(expected.feasibility == Feasibility::infeasible);
      const MarginSolution found = infeasible_by(*cycle);
      const IntegerConstraints rows(whole.data, whole.selection);
      std::vector<std::size_t> at;
      for (std::size_t c = 0; c < rows.size(); ++c) {
        for (const Constraint& each : found.farkas->constraint) {
          if (rows.constraint(c) == each) at.push_back(c);
        }
      }
      REQUIRE(at.size() == cycle->rows.size());
      for (const Integer& product : rows.products(at, found.farkas->numerator, Budget())) CHECK(product == 0);
      ++infeasible;
      continue;
    }
    REQUIRE(expected.feasibility == Feasibility::feasible);
    const MarginSolution found = solve_one_hot_attention(orders, {});
    REQUIRE(found.feasibility == Feasibility::feasible);
    CHECK(found.exact->norm_squared == expected.exact->norm_squared);
    CHECK(*found.support == *expected.support);
    CHECK(found.strictly_complementary == expected.strictly_complementary);
    check_optimal(whole, found);
    not_strict += *found.strictly_complementary ? 0 : 1;
    ++solved;

    const StageProblem outputs = feed_forward_problem(sentences, n, identity(V), Budget());
    const MarginSolution words = solve_one_hot_feed_forward(outputs);
    check_optimal(outputs, words);
    CHECK(solve_margin_problem(outputs.data, outputs.selection).exact->norm_squared ==
          words.exact->norm_squared);
  }
  CHECK(solved > 50);
  CHECK(infeasible > 3);
  MESSAGE("not strictly complementary: " << not_strict);
}
