// Predictions on sentences that were not trained on (paper E, dataset shift; theory.md section 14).
#pragma once

#include <optional>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/next_token/sentences.hpp"

namespace attest {

// What attention tends to in the direction W* of the attention stage, with one-hot embeddings: the token of
// the context whose entry of W*'s column for the query is the greatest. Exact; nothing where several are
// greatest, or where `optimum` has no such column and the context has two different tokens or more.
class LimitAttention {
 public:
  LimitAttention(const std::vector<AttentionGroup>& groups, const Collocation& collocation,
                 const ExactOptimum& optimum);

  // The entry of W* for this query and token; 0 where it has none.
  Rational entry(TokenId query, TokenId token) const;
  // `context`: ids, those of tokens that no sentence had included.
  std::optional<TokenId> selected(const std::vector<TokenId>& context) const;

 private:
  std::map<TokenId, std::map<TokenId, Rational>> column_;  // of each query: entries other than 0
};

}  // namespace attest
