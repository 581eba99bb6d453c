// The two margin problems of next-token prediction (theory.md sections 7 and 14) as selection problems.
//
// Feed-forward stage: a group is a token x that has n(x), by x; its tokens are all outputs u, with features
// e_u E_x' and e_{n(x)} selected. Attention stage: groups as in sentences.hpp, features E_x E_query', the
// token x with n(x) = next selected. E_x is row x of the embeddings; without any they are one-hot, E_x = e_x,
// and both problems fall apart: no matrix is formed. Scores are 1 for the selected token, 0 for others.
#pragma once

#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/next_token/token_orders.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

struct StageProblem {
  TokenData data;  // one-hot: without its factors
  Selection selection;
};

// `embeddings`: vocabulary x dimension, or empty for one-hot. May throw BudgetReached for memory.
StageProblem feed_forward_problem(const Sentences& sentences, const Collocation& collocation,
                                  const ExactArray& embeddings, const Budget& budget);
// Each group must have its selected token.
StageProblem attention_problem(const Sentences& sentences, const std::vector<AttentionGroup>& groups,
                               const Collocation& collocation, const ExactArray& embeddings,
                               const Budget& budget);

// The solution with one-hot embeddings: row x of W* in closed form, multipliers 1/vocabulary. O(rows).
MarginSolution solve_one_hot_feed_forward(const StageProblem& problem);

// The solution with one-hot embeddings: the columns of W* by query, each a problem over the tokens of one
// order, in rational numbers. A pair that several sentences order shares its multiplier among them.
MarginSolution solve_one_hot_attention(const std::vector<TokenOrder>& orders, const MarginOptions& options);

// What a cycle proves, whatever the embeddings.
MarginSolution infeasible_by(const OrderCycle& cycle);

}  // namespace attest
