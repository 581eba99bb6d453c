// What JSON and the headers of npy files share: a text of words and brackets with white space between them.
#pragma once

#include <string>
#include <string_view>

#include "proofs/checker/base/cursor.hpp"
#include "proofs/checker/base/failure.hpp"

namespace attest_check {

// Read from left to right; what does not come next as asked for is malformed.
class Literal {
 public:
  // Messages begin with `what` and name the byte, counted from `before`.
  Literal(Cursor text, std::string what, std::string_view white, std::size_t before = 0)
      : in_(text), what_(std::move(what)), white_(white), before_(before) {}

  [[noreturn]] void bad(const std::string& why) const {
    malformed(what_ + ": byte " + std::to_string(before_ + in_.offset()) + ": " + why);
  }
  void skip_space() { in_.skip(white_); }
  bool take(char c) {
    skip_space();
    return in_.take(c);
  }
  void expect(char c) {
    if (!take(c)) bad(std::string("expected '") + c + "'");
  }
  std::size_t size() {
    skip_space();
    std::size_t value = 0;
    if (!in_.take_size(value)) bad("expected a size");
    return value;
  }

 protected:
  Cursor in_;
  std::string what_;
  std::string_view white_;
  std::size_t before_;
};

}  // namespace attest_check
