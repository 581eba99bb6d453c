// The .npy format: see array.hpp. Specified in NumPy's numpy.lib.format, versions 1.0, 2.0 and 3.0.
#include <bit>
#include <charconv>
#include <cstdint>

#include "proofs/checker/array.hpp"
#include "proofs/checker/failure.hpp"

namespace attest_check {
namespace {

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<std::size_t> shape;
  std::size_t data = 0;  // where the numbers start
};

// Parser of the header: the Python literal {'descr': '<f8', 'fortran_order': False, 'shape': (6, 8, 10), }
// with its keys in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& what) : rest_(text), what_(what) {}

  Header parse() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !has_descr) {
        header.descr = string();
        has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        header.fortran = boolean();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = tuple();
        has_shape = true;
      } else {
        bad("unexpected key '" + key + "'");
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty() || !has_descr || !has_order || !has_shape) bad("not a complete dictionary");
    return header;
  }

  [[noreturn]] void bad(const std::string& why) const { malformed(what_ + ": npy header: " + why); }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) bad(std::string("expected '") + c + "'");
  }
  std::string string() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos || end > 64)
      bad("expected a short string (structured types are not supported)");
    const std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    skip_space();
    const bool value = rest_.starts_with("True");
    if (!value && !rest_.starts_with("False")) bad("expected True or False");
    rest_.remove_prefix(value ? 4 : 5);
    return value;
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> shape;
    expect('(');
    while (!take(')')) {
      skip_space();
      std::size_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc()) bad("expected a size");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(extent);
      if (shape.size() > 3) bad("more than three dimensions");
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view rest_;
  const std::string& what_;
};

// One element type: kind f, i, u, U or S, of `width` bytes.
struct ElementType {
  char kind = 0;
  std::size_t width = 0;
  bool big_endian = false;
};

ElementType element_type(const std::string& descr, const std::string& what) {
  ElementType type;
  std::string_view text = descr;
  if (text.starts_with('<') || text.starts_with('>') || text.starts_with('|') || text.starts_with('=')) {
    type.big_endian = text.front() == '>' || (text.front() == '=' && std::endian::native == std::endian::big);
    text.remove_prefix(1);
  }
  if (text.size() >= 2) {
    type.kind = text.front();
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), type.width);
    const bool complete = error == std::errc() && end == text.data() + text.size();
    const std::size_t w = type.width;
    if (complete && type.kind == 'f' && (w == 4 || w == 8)) return type;
    if (complete && (type.kind == 'i' || type.kind == 'u') && (w == 1 || w == 2 || w == 4 || w == 8))
      return type;
    if (complete && (type.kind == 'U' || type.kind == 'S') && w >= 1 && w <= 64) {
      if (type.kind == 'U') type.width *= 4;
      return type;
    }
  }
  malformed(what + ": unsupported element type '" + descr + "' (float32, float64 and integers are read)");
}

std::uint64_t load(const char* bytes, std::size_t width, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < width; ++k) {
    value = value << 8 | static_cast<unsigned char>(bytes[big_endian ? k : width - 1 - k]);
  }
  return value;
}

void push_element(const char* bytes, const ElementType& type, NumberArray& numbers) {
  const std::uint64_t bits = load(bytes, type.width, type.big_endian);
  if (type.kind == 'f') {
    type.width == 8 ? numbers.push_binary64(bits) : numbers.push_binary32(static_cast<std::uint32_t>(bits));
    return;
  }
  const unsigned unused = static_cast<unsigned>(64 - 8 * type.width);
  const bool negative = type.kind == 'i' && (bits << unused) >> 63 != 0;
  if (negative) {
    const std::int64_t value = static_cast<std::int64_t>(bits << unused) >> unused;
    value == INT64_MIN ? numbers.push(-1, 63) : numbers.push(value, 0);
  } else if (bits >> 63) {
    numbers.push(Rational(Integer(static_cast<unsigned long>(bits))));
  } else {
    numbers.push(static_cast<std::int64_t>(bits), 0);
  }
}

std::string text_element(std::string_view bytes, const ElementType& type, const std::string& what) {
  const std::size_t unit = type.kind == 'U' ? 4 : 1;
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += unit) {
    const std::uint64_t code = load(bytes.data() + at, unit, type.big_endian);
    if (code >= 128) malformed(what + ": a string that is not ASCII");
    text.push_back(static_cast<char>(code));
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

Array read_npy(std::string_view file, const std::string& what) {
  if (file.size() < 10 || !file.starts_with("\x93NUMPY")) malformed(what + ": not an npy file");
  const int version = file[6];
  if (version < 1 || version > 3 || file[7] != 0) malformed(what + ": unsupported npy version");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (file.size() < 8 + length_bytes) malformed(what + ": npy header is cut off");
  const std::size_t start = 8 + length_bytes;
  const std::size_t header_size = load(file.data() + 8, length_bytes, false);
  if (header_size > file.size() - start) malformed(what + ": npy header is cut off");
  Header header = HeaderParser(file.substr(start, header_size), what).parse();
  const ElementType type = element_type(header.descr, what);
  const std::string_view data = file.substr(start + header_size);

  std::size_t count = 1;
  for (const std::size_t extent : header.shape) {
    if (extent == 0) malformed(what + ": an empty array");
    if (extent > data.size() / count) malformed(what + ": the shape asks for more data than the file has");
    count *= extent;
  }
  if (count > data.size() / type.width || count * type.width != data.size()) {
    malformed(what + ": the data does not match the shape");
  }
  Array array;
  array.shape = header.shape;
  if (header.shape.size() == 3) array.lengths.assign(header.shape[0], header.shape[1]);
  if (type.kind == 'U' || type.kind == 'S') {
    if (count != 1) malformed(what + ": an array of strings");
    array.text = text_element(data, type, what);
    return array;
  }
  array.numbers.reserve(count);
  if (!header.fortran || header.shape.size() < 2) {
    for (std::size_t k = 0; k < count; ++k) push_element(data.data() + k * type.width, type, array.numbers);
    return array;
  }
  // Fortran order: the first index runs fastest.
  const std::size_t n0 = header.shape[0], n1 = header.shape[1],
                    n2 = header.shape.size() == 3 ? header.shape[2] : 1;
  for (std::size_t i = 0; i < n0; ++i) {
    for (std::size_t j = 0; j < n1; ++j) {
      for (std::size_t k = 0; k < n2; ++k) {
        push_element(data.data() + (i + n0 * (j + n1 * k)) * type.width, type, array.numbers);
      }
    }
  }
  return array;
}

}  // namespace attest_check
