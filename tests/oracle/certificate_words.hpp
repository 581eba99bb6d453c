// The words of the certificate language: a walk over a text's lines and their words, and the numbers among
// them.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/oracle/certificate.hpp"

namespace reference {

// The values of `integer` and `denominator` words; throw std::invalid_argument when a word is not one.
mpz_class parse_integer(const std::string& word);
Number parse_denominator(const std::string& word);

// `0`, or digits that do not begin with 0.
bool is_natural(const std::string& word);

// Walks over the lines of a certificate, and over the words of the current line.
class Walker {
 public:
  explicit Walker(const std::string& text) {
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = text.find('\n', start);
      if (end == std::string::npos) throw Malformed(lines_.size() + 1, "no line feed at the end");
      lines_.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  bool at_end() const { return next_ == lines_.size(); }
  std::size_t line_number() const { return next_; }
  std::size_t line_count() const { return lines_.size(); }

  // First word of the line that next_line() would read.
  std::string peek() const {
    if (at_end()) throw Malformed(next_ + 1, "text ends early");
    return lines_[next_].substr(0, lines_[next_].find(' '));
  }

  void next_line() {
    if (at_end()) throw Malformed(next_ + 1, "text ends early");
    const std::string& line = lines_[next_++];
    words_.clear();
    word_ = 0;
    std::string word;
    for (const char c : line) {
      if (c == ' ') {
        if (word.empty()) fail("spaces");
        words_.push_back(word);
        word.clear();
      } else {
        if (c <= 32 || c > 126) fail("not a printable character");
        word += c;
      }
    }
    if (word.empty()) fail("empty line or space at the end");
    words_.push_back(word);
  }

  void finish_line() const {
    if (word_ != words_.size()) fail("words left over");
  }

  bool more() const { return word_ < words_.size(); }
  bool at_word(const std::string& text) const { return more() && words_[word_] == text; }

  const std::string& word() {
    if (!more()) fail("line too short");
    return words_[word_++];
  }

  void expect(const std::string& text) {
    if (word() != text) fail("expected " + text);
  }

  std::string one_of(const std::vector<std::string>& choices) {
    const std::string& found = word();
    if (std::find(choices.begin(), choices.end(), found) == choices.end()) fail("unknown word " + found);
    return found;
  }

  std::size_t natural() {
    const std::string& found = word();
    if (!is_natural(found) || found.size() > 18) fail("not an index or count: " + found);
    return static_cast<std::size_t>(std::stoull(found));
  }

  template <class Parse>
  auto number(Parse parse) {
    try {
      return parse(word());
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  [[noreturn]] void fail(const std::string& why) const { throw Malformed(next_, why); }

 private:
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
  std::vector<std::string> words_;
  std::size_t word_ = 0;
};

}  // namespace reference
