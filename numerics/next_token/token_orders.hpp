// The query-dependent partial orders of next-token prediction (paper E, theory.md section 14): x >_q x' where
// a sentence with query q has both in its context and n(x) is its last token.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "numerics/next_token/sentences.hpp"

namespace attest {

// winner >_query loser, as one group of the attention stage says: the loser is its token number `token`.
struct OrderRow {
  TokenId winner = 0, loser = 0;
  std::size_t group = 0, token = 0;
};

struct TokenOrder {
  TokenId query = 0;
  std::vector<OrderRow> rows;  // by group and token; the same pair may come more than once
};

// The orders, by query. Groups without their selected token say nothing.
std::vector<TokenOrder> token_orders(const std::vector<AttentionGroup>& groups,
                                     const Collocation& collocation);

// Rows of one order with rows[k].loser == rows[k + 1].winner, and the last loser the first winner: no W can
// have all their margins positive, for their differences add up to 0.
struct OrderCycle {
  TokenId query = 0;
  std::vector<OrderRow> rows;
};

// A cycle of fewest rows over all orders, the first such by query and winner; none where each order's
// transitive closure is a strict partial order. O(queries + sum over orders with a cycle of tokens x rows).
std::optional<OrderCycle> shortest_cycle(const std::vector<TokenOrder>& orders);

}  // namespace attest
