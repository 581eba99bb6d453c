// A place in a text that is read from left to right, held or coming in pieces: what the readers of JSON,
// headers and numbers share.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

// A text that comes in pieces, of which what is being looked at is held.
struct Pieces {
  std::function<std::string_view()> next;  // empty at the end
  std::string held = {};
};

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  // One cursor reads these, which outlive it.
  explicit Cursor(Pieces& pieces) : pieces_(&pieces) {}

  std::size_t offset() const { return before_ + at_; }
  bool at_end() { return at_ == text_.size() && !more(); }
  // The next character, '\0' at the end.
  char peek() { return at_end() ? '\0' : text_[at_]; }
  // Skips `word` if it comes next.
  bool take(std::string_view word) {
    while (text_.size() - at_ < word.size() && more()) {
    }
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool take(char c) { return take(std::string_view(&c, 1)); }
  // The longest stretch of these characters, held until the next call.
  std::string_view take_any(std::string_view characters) {
    while (text_.find_first_not_of(characters, at_) == text_.npos && more()) {
    }
    return take_until(text_.find_first_not_of(characters, at_));
  }
  void skip(std::string_view characters) {
    do {
      take_until(text_.find_first_not_of(characters, at_));
    } while (at_ == text_.size() && more());
  }
  // The characters before the next one of these, of a text that is held.
  std::string_view take_before(std::string_view characters) {
    return take_until(text_.find_first_of(characters, at_));
  }
  // A decimal size without leading zeros; false, and nothing taken, when there is none or it does not fit.
  bool take_size(std::size_t& size) {
    while (text_.size() - at_ < 21 && more()) {
    }
    const char* const start = text_.data() + at_;
    const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), size);
    if (error != std::errc() || (*start == '0' && end - start > 1)) return false;
    at_ += static_cast<std::size_t>(end - start);
    return true;
  }

 private:
  std::string_view take_until(std::size_t end) {
    const std::string_view taken = text_.substr(at_, end - at_);
    at_ += taken.size();
    return taken;
  }

  // Adds the next piece, and lets go what lies behind.
  bool more() {
    std::string_view piece;
    if (pieces_ == nullptr || (piece = pieces_->next()).empty()) return false;
    std::string& held = pieces_->held;
    held.erase(0, at_) += piece;
    if (held.size() > longest_word + piece.size()) too_large("a word of more than 16 MB");
    before_ += at_;
    at_ = 0;
    text_ = held;
    return true;
  }
  static constexpr std::size_t longest_word = 1UL << 24;

  std::string_view text_;
  std::size_t at_ = 0, before_ = 0;  // `before_`: of what was let go
  Pieces* pieces_ = nullptr;
};

}  // namespace attest_check
