// A strict reader of instance files in JSON: see json.hpp.
#include "proofs/checker/json.hpp"

#include <algorithm>
#include <cstdint>

#include "proofs/checker/failure.hpp"

namespace attest_check {
namespace {

class JsonParser {
 public:
  JsonParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  std::map<std::string, Array> parse() {
    check_utf8();
    std::map<std::string, Array> arrays;
    skip_space();
    expect('{');
    skip_space();
    if (!take('}')) {
      do {
        skip_space();
        key_ = string();
        if (arrays.contains(key_)) bad("duplicate key");
        skip_space();
        expect(':');
        arrays[key_] = value();
        skip_space();
      } while (take(','));
      expect('}');
    }
    skip_space();
    if (at_ != text_.size()) bad("text after the object");
    return arrays;
  }

 private:
  [[noreturn]] void bad(const std::string& why) const {
    malformed(path_ + (key_.empty() ? "" : ": key " + key_) + ": byte " + std::to_string(at_) + ": " + why);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) bad(std::string("expected '") + c + "'");
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  Array value() {
    Array array;
    skip_space();
    if (peek() == '"') {
      array.text = string();
      return array;
    }
    depth_ = 0;
    lengths_.clear();
    widths_.clear();
    element(0, array);
    array.shape.resize(depth_);
    if (depth_ > 0) array.shape[0] = top_count_;
    if (depth_ == 2) array.shape[1] = uniform_width();
    if (depth_ == 3) {
      array.lengths = lengths_;
      array.shape[1] = *std::max_element(lengths_.begin(), lengths_.end());
      array.shape[2] = uniform_width();
    }
    return array;
  }

  // A number at nesting level `level` (the depth of all numbers is fixed by the first), or a list one level
  // deeper.
  void element(std::size_t level, Array& array) {
    skip_space();
    if (peek() != '[') {
      if (array.numbers.size() == 0) depth_ = level;
      if (level != depth_) bad("lists of uneven depth");
      number(array.numbers);
      return;
    }
    if (level == 3) bad("lists nested more than three deep");
    expect('[');
    std::size_t count = 0;
    skip_space();
    if (peek() == ']') bad("an empty list");
    do {
      element(level + 1, array);
      ++count;
      skip_space();
    } while (take(','));
    expect(']');
    if (level == 0) {
      top_count_ = count;
    } else if (level + 1 < depth_) {
      lengths_.push_back(count);
    } else {
      if (widths_.empty()) widths_.push_back(count);
      if (widths_.front() != count) bad("rows of different lengths");
    }
  }

  std::size_t uniform_width() const { return widths_.empty() ? 0 : widths_.front(); }

  void number(NumberArray& numbers) {
    try {
      if (peek() == '"') return push_number_text(string(), numbers);
      const std::size_t start = at_;
      while (at_ < text_.size() &&
             std::string_view("+-.0123456789eE").find(text_[at_]) != std::string_view::npos)
        ++at_;
      if (at_ == start) bad("expected a number");
      push_json_number(text_.substr(start, at_ - start), numbers);
    } catch (const Failure& failure) {
      if (std::string_view(failure.what()).starts_with(path_)) throw;
      bad(failure.what());
    }
  }

  unsigned hex4() {
    if (text_.size() - at_ < 4) bad("an escape that is cut off");
    unsigned code = 0;
    for (int k = 0; k < 4; ++k) {
      const char c = text_[at_++];
      const std::size_t digit =
          std::string_view("0123456789abcdef").find(static_cast<char>(c >= 'A' && c <= 'F' ? c + 32 : c));
      if (digit == std::string_view::npos) bad("an escape that is not hexadecimal");
      code = code << 4 | static_cast<unsigned>(digit);
    }
    return code;
  }

  void append_escape(std::string& out) {
    if (at_ >= text_.size()) bad("an escape that is cut off");
    const char c = text_[at_++];
    static constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
    if (const std::size_t which = names.find(c); which != std::string_view::npos) {
      out.push_back(values[which]);
      return;
    }
    if (c != 'u') bad("an unknown escape");
    unsigned code = hex4();
    if (code >= 0xd800 && code < 0xdc00) {
      if (!take('\\') || !take('u')) bad("half a surrogate pair");
      const unsigned low = hex4();
      if (low < 0xdc00 || low > 0xdfff) bad("half a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
      bad("half a surrogate pair");
    }
    const auto tail = [&](unsigned shift) {
      out.push_back(static_cast<char>(0x80 | (code >> shift & 0x3f)));
    };
    if (code < 0x80) {
      out.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
      out.push_back(static_cast<char>(0xc0 | code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      out.push_back(static_cast<char>(0xe0 | code >> 12));
      tail(6), tail(0);
    } else {
      out.push_back(static_cast<char>(0xf0 | code >> 18));
      tail(12), tail(6), tail(0);
    }
  }

  std::string string() {
    expect('"');
    std::string out;
    for (;;) {
      if (at_ >= text_.size()) bad("a string that is cut off");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) bad("a control character in a string");
      if (c == '\\') {
        append_escape(out);
      } else {
        out.push_back(c);
      }
    }
  }

  // Well-formed UTF-8: no stray or missing continuation bytes, overlong forms, surrogates or code points past
  // 10ffff.
  void check_utf8() {
    for (at_ = 0; at_ < text_.size();) {
      const auto first = static_cast<unsigned char>(text_[at_]);
      if (first < 0x80) {
        ++at_;
        continue;
      }
      const std::size_t tails = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
      std::uint32_t code = first & (0x3fU >> tails);
      if (first < 0xc2 || first > 0xf4 || text_.size() - at_ <= tails) bad("not UTF-8");
      for (std::size_t k = 1; k <= tails; ++k) {
        const auto byte = static_cast<unsigned char>(text_[at_ + k]);
        if ((byte & 0xc0) != 0x80) bad("not UTF-8");
        code = code << 6 | (byte & 0x3f);
      }
      if ((tails == 2 && code < 0x800) || (tails == 3 && (code < 0x10000 || code > 0x10ffff)) ||
          (code >= 0xd800 && code <= 0xdfff)) {
        bad("not UTF-8");
      }
      at_ += 1 + tails;
    }
    at_ = 0;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  std::string key_;
  std::size_t depth_ = 0, top_count_ = 0;
  std::vector<std::size_t> lengths_, widths_;
};

}  // namespace

std::map<std::string, Array> read_json(std::string_view text, const std::string& path) {
  return JsonParser(text, path).parse();
}

}  // namespace attest_check
