// Orders and their shortest cycles against a table of all distances.
#include <doctest/doctest.h>

#include <algorithm>

#include "numerics/next_token/token_orders.hpp"
#include "tests/unit/numerics/next_token/random_sentences.hpp"

using namespace attest;
using namespace next_token_tests;

TEST_CASE("orders say what the sentences say, and the cycle is a shortest one") {
  std::size_t cycles = 0, longer = 0, strict = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    const std::size_t V = 3 + seed % 5;
    const Sentences sentences = seed % 2 == 0 ? random_sentences(seed, V, 2 + seed % 9, 3 + seed % 4)
                                              : given_sentences(seed, V, 2 + seed % 5, 2);
    std::vector<TokenId> n(V);
    for (std::size_t x = 0; x < V; ++x) n[x] = static_cast<TokenId>((x + 1) % V);
    Collocation collocation;
    for (std::size_t x = 0; x < V; ++x) collocation.add(static_cast<TokenId>(x), n[x]);

    const std::vector<AttentionGroup> groups = attention_groups(sentences);
    const std::vector<TokenOrder> orders = token_orders(groups, collocation);
    const Relation above = relation(sentences, n);
    Relation said(V, std::vector<std::vector<bool>>(V, std::vector<bool>(V, false)));
    for (const TokenOrder& order : orders) {
      for (const OrderRow& row : order.rows) {
        said[order.query][row.winner][row.loser] = true;
        CHECK(groups[row.group].query == order.query);
        CHECK(groups[row.group].tokens[row.token] == row.loser);
        CHECK(sentences.sentence[groups[row.group].sentence].back() == n[row.winner]);
      }
    }
    CHECK(said == above);
    const std::size_t length = slow_shortest_cycle(above);
    const auto cycle = shortest_cycle(orders);
    CAPTURE(seed);
    REQUIRE(cycle.has_value() == (length > 0));
    ++(cycle ? cycles : strict);
    if (!cycle) continue;
    CHECK(cycle->rows.size() == length);
    longer += length > 2 ? 1 : 0;
    for (std::size_t k = 0; k < cycle->rows.size(); ++k) {
      const OrderRow &row = cycle->rows[k], &after = cycle->rows[(k + 1) % cycle->rows.size()];
      CHECK(above[cycle->query][row.winner][row.loser]);
      CHECK(row.loser == after.winner);
    }
  }
  CHECK(cycles > 50);
  CHECK(longer > 5);
  CHECK(strict > 50);
}
