// A place in a text that is read from left to right: what the readers of JSON, npy headers and numbers share.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace attest_check {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t offset() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }
  // The next character, '\0' at the end.
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  // Skips `word` if it comes next.
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool take(char c) { return take(std::string_view(&c, 1)); }
  // The longest stretch of these characters.
  std::string_view take_any(std::string_view characters) {
    return take_until(text_.find_first_not_of(characters, at_));
  }
  // The characters before the next one of these.
  std::string_view take_before(std::string_view characters) {
    return take_until(text_.find_first_of(characters, at_));
  }
  // A decimal size without leading zeros; false, and nothing taken, when there is none or it does not fit.
  bool take_size(std::size_t& size) {
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

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace attest_check
