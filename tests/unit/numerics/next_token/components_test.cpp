// Orders with cycles: components against reachability by hand, norms against solutions on paper and, without
// cycles, against those of the orders.
#include "numerics/next_token/components.hpp"

#include <doctest/doctest.h>

#include "numerics/next_token/collocation.hpp"
#include "numerics/next_token/stages.hpp"
#include "tests/unit/numerics/next_token/random_sentences.hpp"

using namespace attest;
using namespace next_token_tests;

namespace {

TokenOrder order(const std::vector<std::pair<TokenId, TokenId>>& rows) {
  TokenOrder made;
  for (const auto& [winner, loser] : rows) made.rows.push_back({winner, loser, made.rows.size(), 1});
  return made;
}

}  // namespace

TEST_CASE("the component form of small orders") {
  // W_0 = W_1 = x, W_0 - W_2 >= 1: min 2x^2 + y^2 at x = 1/3, y = -2/3.
  ComponentForm form = solve_component_form({order({{0, 1}, {1, 0}, {0, 2}})}, {});
  CHECK(form.solved);
  CHECK(form.components == 1);
  CHECK(form.tokens == 2);
  CHECK(form.norm_squared == Rational(2, 3));
  // Two components, one above the other, every row said: 1/2 on three tokens, -1/2 on three.
  const TokenOrder six = order({{0, 1}, {1, 2}, {2, 0}, {1, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {2, 5}});
  CHECK(components(six) == std::vector<std::vector<TokenId>>{{0, 1, 2}, {3, 4, 5}});
  form = solve_component_form({six, order({{0, 1}})}, {});
  CHECK(form.tokens == 6);
  CHECK(form.norm_squared == Rational(3, 2) + Rational(1, 2));
  form = solve_component_form({order({{0, 1}, {1, 0}})}, {});  // nothing across
  CHECK(form.solved);
  CHECK(form.norm_squared == 0);
}

TEST_CASE("without cycles the component form is the margin problem") {
  std::size_t strict = 0, cyclic = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    const std::size_t V = 3 + seed % 6;
    const Sentences sentences = given_sentences(seed, V, 2 + seed % 7, 2 + seed % 3);
    const auto orders =
        token_orders(attention_groups(sentences), find_collocation(sentences, Budget()).collocation);
    CAPTURE(seed);
    const ComponentForm form = solve_component_form(orders, {});
    REQUIRE(form.solved);
    CHECK((form.components > 0) == shortest_cycle(orders).has_value());
    if (form.components > 0) {
      ++cyclic;
      continue;
    }
    ++strict;
    CHECK(form.norm_squared == solve_one_hot_attention(orders, {}).exact->norm_squared);
  }
  CHECK(strict > 20);
  CHECK(cyclic > 20);
}
