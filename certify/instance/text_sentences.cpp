#include "certify/instance/text_sentences.hpp"

#include <charconv>
#include <cstdio>

#include "certify/instance/sentences.hpp"

namespace attest {
namespace {

[[noreturn]] void bad_line(std::size_t line, const std::string& why) {
  fail_input("line " + std::to_string(line) + " " + why);
}

std::string hexadecimal(unsigned char byte) {
  char text[8];
  std::snprintf(text, sizeof text, "\\x%02x", byte);
  return text;
}

bool white(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

void add_words(std::string_view text, std::size_t line, Vocabulary& vocabulary,
               std::vector<TokenId>& sentence) {
  for (std::size_t at = 0; at < text.size();) {
    if (white(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    for (; end < text.size() && !white(text[end]); ++end) {
      if (static_cast<unsigned char>(text[end]) < 32 || text[end] == 127)
        bad_line(line, "is not text: byte " + hexadecimal(static_cast<unsigned char>(text[end])) +
                           " (--tokens bytes takes any)");
    }
    const std::string_view token = text.substr(at, end - at);
    if (vocabulary.kind() == TokenKind::ids) {
      TokenId id = 0;
      const auto [rest, error] = std::from_chars(token.data(), token.data() + token.size(), id);
      if (error != std::errc{} || rest != token.data() + token.size() || id > largest_token_id)
        bad_line(line, "has " + std::string(token.substr(0, 40)) +
                           " where a token id from 0 to 16777215 is expected");
    }
    sentence.push_back(vocabulary.add(token));
    at = end;
  }
}

TextSentences sentences_of(std::string_view text, Vocabulary& vocabulary) {
  TextSentences found;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    std::vector<TokenId> sentence;
    if (vocabulary.kind() == TokenKind::bytes) {
      for (std::size_t k = 0; k < line.size(); ++k) sentence.push_back(vocabulary.add(line.substr(k, 1)));
    } else {
      add_words(line, number, vocabulary, sentence);
    }
    if (sentence.empty()) continue;
    if (sentence.size() == 1)
      bad_line(number, "has one token only: the last token of a line is the next one of those before it");
    found.sentence.push_back(std::move(sentence));
    found.line.push_back(number);
  }
  if (found.sentence.empty()) fail_input("has no sentences (one a line, its last token the next one)");
  return found;
}

}  // namespace

TokenId Vocabulary::add(std::string_view token) {
  if (kind_ == TokenKind::ids) {
    TokenId id = 0;
    std::from_chars(token.data(), token.data() + token.size(), id);
    largest_ = std::max<std::size_t>(largest_, std::size_t{id} + 1);
    return id;
  }
  const auto found = id_.find(token);
  if (found != id_.end()) return found->second;
  const auto id = static_cast<TokenId>(labels_.size());
  labels_.emplace_back(token);
  id_.emplace(token, id);
  return id;
}

std::string Vocabulary::label(TokenId id) const {
  if (kind_ == TokenKind::ids) return std::to_string(id);
  const std::string& token = labels_[id];
  if (kind_ == TokenKind::words || (token[0] > 32 && token[0] < 127)) return token;
  return hexadecimal(static_cast<unsigned char>(token[0]));
}

Result<TextSentences> read_text_sentences(const std::string& path, Vocabulary& vocabulary,
                                          const ReadLimits& limits) {
  try {
    const std::string bytes = read_file(path, limits);
    if (vocabulary.kind() != TokenKind::bytes && bytes.starts_with("PK\x03\x04"))
      fail_input("is an archive; expected a text, a sentence a line");
    return sentences_of(bytes, vocabulary);
  } catch (InputFailure& failure) {
    failure.error.file = path;
    return std::move(failure.error);
  }
}

}  // namespace attest
