// Text files as sentences of tokens: one sentence a line, whose last token is the next one of those before
// it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certify/process/file_bytes.hpp"
#include "certify/process/input_error.hpp"
#include "numerics/next_token/sentences.hpp"

namespace attest {

enum class TokenKind {
  words,  // between white space
  bytes,  // of the line, each a token
  ids,    // whole numbers from 0 on, which are the ids themselves
};

// Tokens by id: words and bytes in the order in which they first come.
class Vocabulary {
 public:
  explicit Vocabulary(TokenKind kind) : kind_(kind) {}

  // The id of the token, a new one if it had none.
  TokenId add(std::string_view token);
  // How a token is shown: bytes that are not printable as \xNN.
  std::string label(TokenId id) const;
  std::size_t size() const { return kind_ == TokenKind::ids ? largest_ : labels_.size(); }
  TokenKind kind() const { return kind_; }

 private:
  TokenKind kind_;
  std::size_t largest_ = 0;  // of ids: the largest one and 1 more
  std::vector<std::string> labels_;
  std::map<std::string, TokenId, std::less<>> id_;
};

struct TextSentences {
  std::vector<std::vector<TokenId>> sentence;
  std::vector<std::size_t> line;  // of each, counted from 1
};

// Blank lines are left out. Refused, with the line: control characters in words, numbers that are none in
// ids, a line of one token; and a file without sentences.
Result<TextSentences> read_text_sentences(const std::string& path, Vocabulary& vocabulary,
                                          const ReadLimits& limits = {});

}  // namespace attest
