#include "numerics/next_token/shift.hpp"

namespace attest {

LimitAttention::LimitAttention(const std::vector<AttentionGroup>& groups, const Collocation& collocation,
                               const ExactOptimum& optimum) {
  for (std::size_t k = 0; k < optimum.multipliers.size(); ++k) {
    const Constraint& c = optimum.multipliers.constraint[k];
    const AttentionGroup& group = groups[c.group];
    const Rational value = optimum.multipliers.value(k);
    column_[group.query][group.tokens[*selected_token(group, collocation)]] += value;
    column_[group.query][group.tokens[c.token]] -= value;
  }
}

Rational LimitAttention::entry(TokenId query, TokenId token) const {
  const auto column = column_.find(query);
  if (column == column_.end()) return Rational(0);
  const auto at = column->second.find(token);
  return at == column->second.end() ? Rational(0) : at->second;
}

std::optional<TokenId> LimitAttention::selected(const std::vector<TokenId>& context) const {
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
