// One order as a selection problem in the space of its tokens: with one-hot embeddings, a column of W.
#pragma once

#include <vector>

#include "numerics/next_token/token_orders.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// A group is a winner with all it wins over.
struct OrderProblem {
  explicit OrderProblem(const TokenOrder& order);

  TokenData data;
  Selection selection;
  // By group and token: which it is, and all constraints of the attention stage that say the pair.
  struct Token {
    TokenId id = 0;
    std::vector<Constraint> said_by;
  };
  std::vector<std::vector<Token>> tokens;

  const std::vector<Constraint>& all_of(const Constraint& c) const {
    return tokens[c.group][c.token].said_by;
  }
};

}  // namespace attest
