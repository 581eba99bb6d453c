// Strict readers of JSON: see json.hpp.
#include "proofs/checker/instance/json.hpp"

#include <algorithm>
#include <iterator>

namespace attest_check {

std::string JsonText::string() {
  expect('"');
  std::string out;
  while (!in_.take('"')) {
    if (in_.at_end()) bad("a string that is cut off");
    const char c = in_.peek();
    if (static_cast<unsigned char>(c) < 0x20) bad("a control character in a string");
    if (static_cast<unsigned char>(c) >= 0x80) bad("a byte that is not ASCII");
    in_.take(c);
    out.push_back(c == '\\' ? escaped() : c);
    if (out.size() > 1UL << 24) too_large(what_ + ": a string of more than 16 MB");
  }
  return out;
}

// The character after a backslash.
char JsonText::escaped() {
  static constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
  const char c = in_.peek();
  if (!in_.take("u00")) {
    const std::size_t which = in_.at_end() ? std::string_view::npos : names.find(c);
    if (which == std::string_view::npos) bad("an unknown escape, or one of a character that is not ASCII");
    in_.take(c);
    return values[which];
  }
  int code = 0;
  for (int k = 0; k < 2; ++k) {
    const char digit = in_.peek();
    const std::size_t value = std::string_view("0123456789abcdef").find(static_cast<char>(digit | 0x20));
    if (digit < '0' || value == std::string_view::npos) bad("an escape that is not hexadecimal");
    in_.take(digit);
    code = code << 4 | static_cast<int>(value);
  }
  if (code >= 0x80) bad("an escape of a character that is not ASCII");
  return static_cast<char>(code);
}

std::vector<std::size_t> JsonText::sizes() {
  std::vector<std::size_t> found;
  expect('[');
  list(']', [&] { found.push_back(size()); });
  return found;
}

namespace {

class InstanceText : public JsonText {
 public:
  InstanceText(Pieces& text, const std::string& path) : JsonText(text, path), path_(path) {}

  void read(const UseArray& use) {
    whole([&](const std::string& key) {
      key_ = key;
      what_ = path_ + ": key " + key;
      use(key, value());
    });
  }

 private:
  Array value() {
    Array array;
    skip_space();
    if (in_.peek() == '"') {
      array.text = string();
      return array;
    }
    counts_.assign(3, {});
    constexpr std::string_view rows[] = {"scores", "offsets", "sentences", "Y", "y", "alpha"};
    ragged_ = std::find(std::begin(rows), std::end(rows), key_) != std::end(rows);
    NumberWriter numbers;
    element(0, numbers);
    array.numbers = numbers.numbers();
    for (std::size_t level = 0; level < depth_; ++level) {
      array.shape.push_back(*std::max_element(counts_[level].begin(), counts_[level].end()));
    }
    const std::vector<std::size_t>& lengths = counts_[1];
    const bool uneven = std::any_of(lengths.begin(), lengths.end(), [&](auto x) { return x != lengths[0]; });
    if (depth_ == 2 && uneven) array.shape.push_back(1);
    if (array.shape.size() == 3) array.lengths = lengths;
    return array;
  }

  // A number at nesting level `level` (the depth of all numbers is fixed by the first), or a list one level
  // deeper.
  void element(std::size_t level, NumberWriter& numbers) {
    if (!take('[')) {
      if (numbers.size() == 0) depth_ = level;
      if (level != depth_) bad("lists of uneven depth");
      return number(numbers);
    }
    if (level == 3) bad("lists nested more than three deep");
    if (take(']')) bad("an empty list");
    const std::size_t count = list(']', [&] { element(level + 1, numbers); }) + 1;
    std::vector<std::size_t>& counts = counts_[level];
    // All of one length; only that is kept.
    const bool rows = level + 1 == depth_ && (level == 2 || !ragged_);
    if (rows && !counts.empty() && counts.front() != count) bad("rows of different lengths");
    if (!rows || counts.empty()) counts.push_back(count);
  }

  void number(NumberWriter& numbers) {
    const bool quoted = in_.peek() == '"';
    const std::string text = quoted ? string() : std::string(in_.take_any("+-.0123456789eE"));
    if (text.empty() && !quoted) bad("expected a number");
    try {
      quoted ? push_number_text(text, numbers) : push_json_number(text, numbers);
    } catch (const Failure& failure) {
      if (failure.status() != Exit::malformed) throw;
      bad(failure.what());
    }
  }

  const std::string& path_;
  std::string key_;
  bool ragged_ = false;  // the lists of a list of numbers may differ in length
  std::size_t depth_ = 0;
  std::vector<std::vector<std::size_t>> counts_;  // lengths of the lists of each level
};

}  // namespace

void read_json(Pieces& text, const std::string& path, const UseArray& use) {
  InstanceText(text, path).read(use);
}

}  // namespace attest_check
