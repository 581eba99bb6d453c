// What tokens of a component share, in the limit: the finite part of training with cycles (arXiv 2403.08081),
// with cross-entropy of the attention on the selected tokens and one-hot embeddings (NEXT_TOKEN.md section
// 6).
#pragma once

#include <string>
#include <vector>

#include "numerics/next_token/components.hpp"
#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// The entries of W_fin's column for the query at the component's tokens, which add up to 0: the minimiser of
// the mean of -log of the share that the selected token has of the component's attention.
struct ComponentLogits {
  TokenId query = 0;
  std::vector<TokenId> tokens;
  std::vector<Ball> logits;
};

struct FiniteLogits {
  std::vector<ComponentLogits> components;
  Ball norm;           // ||W_fin||
  std::string reason;  // when some component is not enclosed; then neither is the norm
};

// Every component of two tokens or more, enclosed. Throws BudgetReached.
FiniteLogits enclose_finite_logits(const Sentences& sentences, const std::vector<AttentionGroup>& groups,
                                   const Collocation& collocation, const Budget& budget);

}  // namespace attest
