// Orders with cycles (arXiv 2403.08081): tokens of one strongly connected component of an order share the
// attention, and across components the rows ask for a margin of 1.
#pragma once

#include <string>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/next_token/token_orders.hpp"

namespace attest {

// The components of two tokens or more, each with its tokens by id.
std::vector<std::vector<TokenId>> components(const TokenOrder& order);

// min ||W|| subject to <Delta_c, W> = 0 for the rows inside components and >= 1 for the others, with one-hot
// embeddings, column by column. Some W always has these margins.
struct ComponentForm {
  std::size_t components = 0, tokens = 0;  // of two tokens or more; in these
  bool solved = false;
  Rational norm_squared;  // of the minimiser, exact
  std::string reason;     // when not solved
};
ComponentForm solve_component_form(const std::vector<TokenOrder>& orders, const MarginOptions& options);

}  // namespace attest
