#include "numerics/next_token/shift.hpp"

namespace attest {

LimitAttention::LimitAttention(const std::vector<AttentionGroup>& groups, const Collocation& collocation,
                               const ExactOptimum& optimum, const ExactArray& embeddings,
                               std::size_t vocabulary)
    : embeddings_(embeddings), vocabulary_(vocabulary) {
  for (std::size_t k = 0; k < optimum.multipliers.size(); ++k) {
    const Constraint& c = optimum.multipliers.constraint[k];
    const AttentionGroup& group = groups[c.group];
    const Rational value = optimum.multipliers.value(k);
    column_[group.query][group.tokens[*selected_token(group, collocation)]] += value;
    column_[group.query][group.tokens[c.token]] -= value;
  }
}

Rational LimitAttention::product(TokenId a, TokenId b) const {
  if (embeddings_.empty()) return Rational(a == b ? 1 : 0);
  return exact_dot(embeddings_, a, embeddings_, b, embeddings_.size() / vocabulary_);
}

Rational LimitAttention::entry(TokenId query, TokenId token) const {
  Rational sum = 0;
  for (const auto& [asked, column] : column_) {
    const Rational shared = product(asked, query);
    if (shared == 0) continue;
    for (const auto& [x, value] : column) sum += shared * value * product(x, token);
  }
  return sum;
}

std::optional<TokenId> LimitAttention::selected(const std::vector<TokenId>& context) const {
  for (const TokenId x : context) {
    if (!embeddings_.empty() && x >= vocabulary_) return std::nullopt;
  }
  TokenId best = context.front();
  Rational most = entry(context.back(), best);
  bool unique = true;
  for (const TokenId x : context) {
    if (x == best) continue;
    const Rational value = entry(context.back(), x);
    if (value < most) continue;
    unique = value > most;
    if (!unique) continue;
    best = x;
    most = value;
  }
  return unique ? std::optional(best) : std::nullopt;
}

}  // namespace attest
