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
  // The rest of a list, up to its closing bracket: calls element() where one begins. Commas stand between
  // them and, if they may, behind the last one. Returns how many commas there were.
  template <class Element>
  std::size_t list(char closing, Element element, bool comma_at_end = false) {
    std::size_t commas = 0;
    if (take(closing)) return commas;
    for (element(); take(','); element()) {
      ++commas;
      if (comma_at_end && take(closing)) return commas;
    }
    expect(closing);
    return commas;
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
