// Sentences for next-token prediction (theory.md section 14), and what both stages ask of them.
//
// The last token of a sentence follows the others, its context, whose last token is the query. Sentences of
// two tokens x, y are the collocation n(x) = y that the feed-forward stage learns. In the others attention
// has to select the token x of the context whose n(x) is the sentence's last token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace attest {

using TokenId = std::uint32_t;

struct Sentences {
  std::size_t vocabulary = 0;                  // ids are 0 .. vocabulary - 1
  std::vector<std::vector<TokenId>> sentence;  // each of two tokens or more
};

// The pairs x -> n(x) and back; n is injective.
class Collocation {
 public:
  std::optional<TokenId> next(TokenId x) const { return found(next_, x); }
  std::optional<TokenId> before(TokenId y) const { return found(before_, y); }
  // Adds n(x) = y, where neither has a partner yet.
  void add(TokenId x, TokenId y);
  void remove(TokenId x);
  const std::map<TokenId, TokenId>& pairs() const { return next_; }

 private:
  static std::optional<TokenId> found(const std::map<TokenId, TokenId>& in, TokenId key);
  std::map<TokenId, TokenId> next_, before_;
};

// A sentence of three tokens or more, as a group of the attention stage.
struct AttentionGroup {
  std::size_t sentence = 0;     // its index
  TokenId query = 0;            // last token of the context
  TokenId next = 0;             // last token of the sentence
  std::vector<TokenId> tokens;  // the different ones of the context, in the order in which they come first
};

std::vector<AttentionGroup> attention_groups(const Sentences& sentences);

// The index among `group.tokens` of the token that n asks attention to select, if it is there.
std::optional<std::size_t> selected_token(const AttentionGroup& group, const Collocation& collocation);

}  // namespace attest
