// Predictions on sentences that were not trained on (paper E, dataset shift; theory.md section 14).
#pragma once

#include <optional>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/next_token/sentences.hpp"

namespace attest {

// What attention tends to in the direction W* of the attention stage: the token x of the context whose logit
// E_x' W* E_query is the greatest. Exact; nothing where several are greatest, as where W* knows nothing of
// the query and the context has two different tokens or more, or where a token has no embedding.
class LimitAttention {
 public:
  // `embeddings`: vocabulary x dimension, which must outlive it; empty: one-hot.
  LimitAttention(const std::vector<AttentionGroup>& groups, const Collocation& collocation,
                 const ExactOptimum& optimum, const ExactArray& embeddings, std::size_t vocabulary);

  // The logit along W*; one-hot 0 where W* has no such entry.
  Rational entry(TokenId query, TokenId token) const;
  // `context`: ids, those of tokens that no sentence had included.
  std::optional<TokenId> selected(const std::vector<TokenId>& context) const;

 private:
  Rational product(TokenId a, TokenId b) const;  // of embeddings

  const ExactArray& embeddings_;
  std::size_t vocabulary_;
  std::map<TokenId, std::map<TokenId, Rational>> column_;  // of W* = sum entry E_token E_query': per query
};

}  // namespace attest
