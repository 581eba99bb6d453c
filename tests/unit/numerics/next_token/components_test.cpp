// Orders with cycles: components against reachability by hand, norms against solutions on paper and, without
// cycles, against those of the orders.
#include "numerics/next_token/components.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "numerics/next_token/collocation.hpp"
#include "numerics/next_token/component_logits.hpp"
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

TEST_CASE("the finite part of two tokens is the logarithm of how often each is selected") {
  // 0 -> 5, 1 -> 6; with query 4 contexts 0 1 1 end three times in 5 and twice in 6.
  Sentences sentences{7, {{0, 5}, {1, 6}}};
  for (int k = 0; k < 5; ++k) sentences.sentence.push_back({0, 1, 1, 4, k < 3 ? 5U : 6U});
  const Collocation n = find_collocation(sentences, Budget()).collocation;
  const FiniteLogits found = enclose_finite_logits(sentences, attention_groups(sentences), n, Budget());
  REQUIRE(found.components.size() == 1);
  CHECK(found.components[0].query == 4);
  CHECK(found.components[0].tokens == std::vector<TokenId>{0, 1});
  // e^{h_0}/(e^{h_0} + 2 e^{h_1}) = 3/5.
  const Ball apart = log(Ball(Rational(3), 300), 300);
  const Ball logit = scale_by_power_of_two(apart, -1);
  CHECK(arb_overlaps(found.components[0].logits[0].raw(), logit.raw()) != 0);
  CHECK(arb_overlaps(found.components[0].logits[1].raw(), neg(logit).raw()) != 0);
  CHECK(found.components[0].logits[0].accuracy_bits() > 90);
  CHECK(arb_overlaps(found.norm.raw(), (scale_by_power_of_two(apart, -1)).raw()) == 0);
  CHECK(std::abs(found.norm.approx_mid() - std::log(3) / std::sqrt(2)) < 1e-14);
}

TEST_CASE("at the finite part what is selected is as often as it is expected") {
  std::size_t cyclic = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Sentences sentences = given_sentences(seed, 4 + seed % 4, 6 + seed % 9, 2 + seed % 3);
    const auto groups = attention_groups(sentences);
    const Collocation n = find_collocation(sentences, Budget()).collocation;
    CAPTURE(seed);
    const FiniteLogits found = enclose_finite_logits(sentences, groups, n, Budget());
    REQUIRE(found.reason.empty());
    for (const ComponentLogits& one : found.components) {
      ++cyclic;
      std::vector<double> excess(one.tokens.size(), 0.0);
      double sum = 0;
      for (const Ball& logit : one.logits) sum += logit.approx_mid();
      CHECK(std::abs(sum) < 1e-12);
      for (const AttentionGroup& group : groups) {
        const TokenId selected = group.tokens[*selected_token(group, n)];
        if (group.query != one.query ||
            std::find(one.tokens.begin(), one.tokens.end(), selected) == one.tokens.end())
          continue;
        const auto& sentence = sentences.sentence[group.sentence];
        std::vector<double> weight(one.tokens.size(), 0.0);
        double total = 0;
        for (std::size_t x = 0; x < weight.size(); ++x) {
          weight[x] = static_cast<double>(std::count(sentence.begin(), sentence.end() - 1, one.tokens[x])) *
                      std::exp(one.logits[x].approx_mid());
          total += weight[x];
        }
        for (std::size_t x = 0; x < weight.size(); ++x)
          excess[x] += weight[x] / total - (one.tokens[x] == selected ? 1 : 0);
      }
      for (const double value : excess) CHECK(std::abs(value) < 1e-10);
    }
  }
  CHECK(cyclic > 20);
}
