// JSON instances by streaming events, so that no document tree is built; see instance/json.hpp.
#include "certify/instance/json.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "certify/instance/counted_text.hpp"
#include "certify/process/input_error.hpp"

namespace attest {
namespace {

constexpr std::size_t deepest = 3;

// One key's value while it is read.
class ArrayReader {
 public:
  explicit ArrayReader(std::string key) : key_(std::move(key)) {}

  void open() {
    if (leaf_level_ && level_ >= *leaf_level_) fail("a list where a number is expected");
    if (level_ == deepest) fail("lists nest more than three deep");
    if (level_ > 0) ++count_[level_ - 1];
    count_[level_++] = 0;
  }

  // Returns true when the value is complete.
  bool close() {
    const std::size_t axis = level_ - 1, count = count_[axis];
    if (axis == 1) second_axis_.push_back(count);
    if (!extent_[axis]) {
      extent_[axis] = count;
    } else if (*extent_[axis] != count) {
      if (axis != 1 || (key_ != "X" && key_ != "K" && !row_of_numbers())) {
        --level_;
        fail_at_parent("has " + std::to_string(count) + " entries, the lists before it " +
                       std::to_string(*extent_[axis]));
      }
      ragged_ = true;
    }
    --level_;
    deepest_level_ = std::max(deepest_level_, axis + 1);
    return level_ == 0;
  }

  void push_unsigned(std::uint64_t value) {
    place();
    if (value <= (std::uint64_t{1} << 53)) {
      array_.values.push(static_cast<double>(value));
    } else {
      array_.values.push(Rational(value));
    }
  }

  void push_negative(std::int64_t value) {
    place();
    if (value >= -(std::int64_t{1} << 53)) {
      array_.values.push(static_cast<double>(value));
    } else {
      array_.values.push(Rational(value));
    }
  }

  // A string: "last" for the query, the name of the head or the setting, elsewhere an entry of a list.
  void push_string(const std::string& text) {
    if (level_ > 0) return push_text(text);
    if (key_ != "head" && key_ != "setting" && (key_ != "query" || text != "last")) fail("unexpected text");
    array_.text = text;
  }

  // The text of a number.
  void push_text(const std::string& text) {
    place();
    ParsedNumber number = parse_number(text);
    if (auto* message = std::get_if<std::string>(&number)) {
      --count_[level_ == 0 ? 0 : level_ - 1];
      fail(*message);
    }
    if (const auto* value = std::get_if<double>(&number)) {
      array_.values.push(*value);
    } else {
      array_.values.push(std::move(std::get<Rational>(number)));
    }
  }

  RawArray finish() {
    if (array_.text) return std::move(array_);
    const std::size_t axes = leaf_level_ ? *leaf_level_ : deepest_level_;
    if (leaf_level_ && *leaf_level_ != deepest_level_) fail("lists of different depth");
    for (std::size_t axis = 0; axis < axes; ++axis) array_.shape.push_back(extent_[axis].value_or(0));
    if (ragged_) {
      if (axes == 2 && row_of_numbers()) array_.shape.push_back(1);
      if (array_.shape.size() != 3) fail("lists of different lengths");
      array_.shape[1] = 0;
      array_.lengths = std::move(second_axis_);
    }
    return std::move(array_);
  }

  bool open_lists() const { return level_ > 0; }

  // Fails at the entry that would come next.
  [[noreturn]] void fail(const std::string& message) const { fail_input(message, key_, position(level_)); }

 private:
  // Its lists of numbers may differ in length.
  bool row_of_numbers() const {
    constexpr std::string_view rows[] = {"scores", "offsets", "sentences", "Y", "y", "alpha"};
    return std::find(std::begin(rows), std::end(rows), key_) != std::end(rows);
  }

  void place() {
    if (!leaf_level_) {
      if (deepest_level_ > level_) fail("a number where a list is expected");
      leaf_level_ = level_;
    }
    if (*leaf_level_ != level_) fail("a number where a list is expected");
    if (level_ > 0) ++count_[level_ - 1];
  }

  [[noreturn]] void fail_at_parent(const std::string& message) {
    if (level_ > 0) --count_[level_ - 1];
    fail_input(message, key_, position(level_));
  }

  std::string position(std::size_t levels) const {
    if (levels == 0) return {};
    std::string text = "[";
    for (std::size_t level = 0; level < levels; ++level) {
      // Inside the deeper levels the counter already counts the list being read.
      const std::size_t at = level + 1 < levels ? count_[level] - 1 : count_[level];
      if (level > 0) text.push_back(',');
      text += std::to_string(at);
    }
    return text + "]";
  }

  std::string key_;
  RawArray array_;
  std::size_t level_ = 0, deepest_level_ = 0;
  std::array<std::size_t, deepest> count_{};
  std::array<std::optional<std::size_t>, deepest> extent_{};
  std::optional<std::size_t> leaf_level_;
  std::vector<std::size_t> second_axis_;
  bool ragged_ = false;
};

// A number token must not round to infinity as a double, nor to zero unless it is zero.
constexpr const char* beyond_range = "number beyond the range of a double must be written as a string";

class InstanceEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit InstanceEvents(const CountedText& text) : text_(text) {}

  RawInstance take() { return std::move(arrays_); }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("true or false"); }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool number_integer(number_integer_t value) override {
    reader("a number").push_negative(value);
    return finish_scalar();
  }
  bool number_unsigned(number_unsigned_t value) override {
    reader("a number").push_unsigned(value);
    return finish_scalar();
  }
  bool number_float(number_float_t rounded, const string_t& text) override {
    const std::string_view mantissa = std::string_view(text).substr(0, text.find_first_of("eE"));
    if (rounded == 0 && mantissa.find_first_of("123456789") != std::string_view::npos) {
      reader("a number").fail(beyond_range);
    }
    reader("a number").push_text(text);
    return finish_scalar();
  }
  bool string(string_t& text) override {
    reader("a string").push_string(text);
    return finish_scalar();
  }

  bool start_object(std::size_t) override {
    if (inside_) unexpected("an object");
    inside_ = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override {
    reader("a list").open();
    return true;
  }
  bool end_array() override { return !reader_->close() || store(); }

  bool key(string_t& name) override {
    if (!is_instance_key(name)) {
      fail_input("unknown key (" + known_keys() + ")", printable(name));
    }
    if (arrays_.count(name) != 0) fail_input("given twice, at byte " + std::to_string(text_.read()), name);
    key_ = name;
    reader_.emplace(name);
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception& error) override {
    // 406: a float literal overflows a double.
    std::string message = error.id == 406 ? beyond_range : "malformed JSON at byte " + std::to_string(byte);
    // What Python's json writes for numbers that are none.
    const std::string_view rest = text_.text().substr(std::min(text_.text().size(), byte > 0 ? byte - 1 : 0));
    if (rest.starts_with("NaN") || rest.starts_with("Infinity")) message = "not a finite number";
    if (rest.starts_with('\'')) message += " (single quotes; Python's json.dump writes double ones)";
    if (reader_) reader_->fail(message);
    fail_input(message);
  }

 private:
  static std::string printable(const std::string& name) {
    std::string shown;
    for (const char c : name.substr(0, 40)) shown.push_back(c >= 32 && c < 127 ? c : '?');
    return name.size() > 40 ? shown + "..." : shown;
  }

  [[noreturn]] void unexpected(const char* what) {
    const std::string message = std::string("unexpected ") + what;
    if (reader_) reader_->fail(message);
    fail_input(inside_ ? message : "expected a JSON object");
  }

  ArrayReader& reader(const char* what) {
    if (!reader_) unexpected(what);
    return *reader_;
  }

  bool finish_scalar() { return reader_->open_lists() || store(); }

  bool store() {
    arrays_.emplace(key_, reader_->finish());
    reader_.reset();
    return true;
  }

  const CountedText& text_;
  RawInstance arrays_;
  std::optional<ArrayReader> reader_;
  std::string key_;
  bool inside_ = false;
};

}  // namespace

RawInstance parse_json_instance(std::string_view text) {
  // The parser would skip a byte order mark; RFC 8259 forbids writing one, and the checker's reader refuses
  // it.
  if (text.starts_with("\xef\xbb\xbf")) fail_input("a byte order mark before the JSON text");
  // It would also take a zero byte for the end of the text.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    fail_input("malformed JSON at byte " + std::to_string(zero));
  }
  CountedText counted(text);
  InstanceEvents events(counted);
  nlohmann::json::sax_parse(counted.begin(), counted.end(), &events);
  return events.take();
}

}  // namespace attest
