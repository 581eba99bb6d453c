#include "numerics/next_token/sentences.hpp"

#include <algorithm>
#include <unordered_set>

namespace attest {

std::optional<TokenId> Collocation::found(const std::map<TokenId, TokenId>& in, TokenId key) {
  const auto at = in.find(key);
  return at == in.end() ? std::nullopt : std::optional(at->second);
}

void Collocation::add(TokenId x, TokenId y) {
  next_.emplace(x, y);
  before_.emplace(y, x);
}

void Collocation::remove(TokenId x) {
  const auto at = next_.find(x);
  before_.erase(at->second);
  next_.erase(at);
}

std::vector<AttentionGroup> attention_groups(const Sentences& sentences) {
  std::vector<AttentionGroup> groups;
  for (std::size_t k = 0; k < sentences.sentence.size(); ++k) {
    const std::vector<TokenId>& sentence = sentences.sentence[k];
    if (sentence.size() == 2) continue;
    AttentionGroup& group = groups.emplace_back();
    group.sentence = k;
    group.query = sentence[sentence.size() - 2];
    group.next = sentence.back();
    std::unordered_set<TokenId> seen;
    for (std::size_t t = 0; t + 1 < sentence.size(); ++t) {
      if (seen.insert(sentence[t]).second) group.tokens.push_back(sentence[t]);
    }
  }
  return groups;
}

std::optional<std::size_t> selected_token(const AttentionGroup& group, const Collocation& collocation) {
  const auto x = collocation.before(group.next);
  if (!x) return std::nullopt;
  const auto at = std::find(group.tokens.begin(), group.tokens.end(), *x);
  if (at == group.tokens.end()) return std::nullopt;
  return static_cast<std::size_t>(at - group.tokens.begin());
}

}  // namespace attest
