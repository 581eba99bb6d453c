// The .npy format: see array.hpp. Specified in NumPy's numpy.lib.format, versions 1.0, 2.0 and 3.0.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "proofs/checker/instance/array.hpp"
#include "proofs/checker/instance/compressed.hpp"
#include "proofs/checker/instance/literal.hpp"

namespace attest_check {
namespace {

// The header: the Python literal {'descr': '<f8', 'fortran_order': False, 'shape': (6, 8, 10), } with its
// keys in any order, then spaces and one newline. What NumPy would read otherwise or not at all is malformed.
class Header : public Literal {
 public:
  Header(std::string_view text, const std::string& what) : Literal(text, what + ": npy header", " ") {
    if (!in_.take('{')) bad("expected '{'");
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = string();
      } else if (key == "fortran_order" && !fortran) {
        skip_space();
        fortran = in_.take("True");
        if (!*fortran && !in_.take("False")) bad("expected True or False");
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        bad("unexpected key '" + key + "'");
      }
      if (!separator('}')) break;
    }
    skip_space();
    if (!in_.take('\n') || !in_.at_end() || !descr || !fortran || !shape) bad("not a complete dictionary");
  }

  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<std::size_t>> shape;

 private:
  // A comma, or else the closing bracket (false).
  bool separator(char closing) {
    if (take(',')) return true;
    expect(closing);
    return false;
  }
  std::string string() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::string_view value = in_.take_before(std::string_view(&quote, 1));
    if (!in_.take(quote) || value.size() > 64)
      bad("expected a short string (structured types are not supported)");
    return std::string(value);
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> extents;
    expect('(');
    while (!take(')')) {
      extents.push_back(size());
      if (separator(')')) continue;
      if (extents.size() == 1) bad("a size in brackets is not a tuple");
      break;
    }
    return extents;
  }
};

bool is_text(const ElementType& type) {
  return type.kind == 'U' || type.kind == 'S';
}

// As NumPy writes it: byte order, kind, width. Only single bytes may have the order '|'.
ElementType element_type(const std::string& descr, const std::string& what) {
  ElementType type;
  Cursor in(descr);
  type.big_endian = in.take('>');
  const bool bytes = in.take('|');
  if (!type.big_endian && !bytes && !in.take('<')) in = Cursor("");
  type.kind = in.peek();
  if (in.take(type.kind) && in.take_size(type.width) && in.at_end()) {
    const std::size_t w = type.width;
    const bool word = !bytes && (w == 2 || w == 4 || w == 8);
    if (type.kind == 'f' && word) return type;
    if ((type.kind == 'i' || type.kind == 'u') && (word || w == 1)) return type;
    if (is_text(type) && w >= 1 && w <= 64 && (!bytes || type.kind == 'S')) {
      if (type.kind == 'U') type.width *= 4;
      return type;
    }
  }
  malformed(what + ": unsupported element type '" + descr +
            "' (float16, float32, float64 and integers are read)");
}

std::uint64_t load(std::string_view bytes, bool big_endian) {
  return big_endian ? little_endian(std::string(bytes.rbegin(), bytes.rend())) : little_endian(bytes);
}

void push_element(std::string_view bytes, const ElementType& type, NumberArray& numbers) {
  const std::uint64_t bits = load(bytes, type.big_endian);
  if (type.kind == 'f' || type.kind == 'b') {
    const int exponent_bits = type.width == 8 ? 11 : type.width == 4 || type.kind == 'b' ? 8 : 5;
    numbers.push_ieee(bits, static_cast<int>(8 * type.width) - 1 - exponent_bits, exponent_bits);
  } else if (type.kind == 'i') {
    const std::size_t unused = 64 - 8 * type.width;
    numbers.push(static_cast<std::int64_t>(bits << unused) >> unused, 0);
  } else {
    bits >> 63 ? numbers.push(Rational(Integer(bits))) : numbers.push(static_cast<std::int64_t>(bits), 0);
  }
}

std::string text_element(std::string_view bytes, const ElementType& type, const std::string& what) {
  const std::size_t unit = type.kind == 'U' ? 4 : 1;
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += unit) {
    const std::uint64_t code = load(bytes.substr(at, unit), type.big_endian);
    if (code >= 128) malformed(what + ": a string that is not ASCII");
    text.push_back(static_cast<char>(code));
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

Array read_entries(std::string_view data, const ElementType& type, const std::vector<std::size_t>& shape,
                   bool fortran, const std::string& what, const Bytes& owner) {
  if (shape.size() > 3) malformed(what + ": more than three dimensions");
  Array array;
  array.shape = shape;
  std::size_t count = 1, extent[3] = {1, 1, 1};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    extent[k] = shape[k];
    if (extent[k] == 0) malformed(what + ": an empty array");
    if (extent[k] > data.size() / count) malformed(what + ": the shape asks for more data than the file has");
    count *= extent[k];
  }
  if (count > data.size() / type.width || count * type.width != data.size()) {
    malformed(what + ": the data does not match the shape");
  }
  if (shape.size() == 3) array.lengths.assign(extent[0], extent[1]);
  if (is_text(type)) {
    if (count != 1) malformed(what + ": an array of strings");
    array.text = text_element(data, type, what);
    return array;
  }
  if (owner && type.kind == 'f' && type.width >= 4 && !type.big_endian && !fortran) {
    array.numbers = NumberArray(data, type.width, owner);
    return array;
  }
  array.numbers.reserve(count);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = n / extent[2] / extent[1], j = n / extent[2] % extent[1], k = n % extent[2];
    const std::size_t at = fortran ? i + extent[0] * (j + extent[1] * k) : n;
    push_element(data.substr(at * type.width, type.width), type, array.numbers);
  }
  return array;
}

Array read_npy(std::string_view file, const std::string& what, const Bytes& owner) {
  if (file.size() < 12 || !file.starts_with("\x93NUMPY")) malformed(what + ": not an npy file");
  const int version = file[6];
  if (version < 1 || version > 3 || file[7] != 0) malformed(what + ": unsupported npy version");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t header_size = little_endian(file.substr(8, length_bytes));
  const std::string_view data = file.substr(8 + length_bytes);
  // NumPy reads headers of at most 10,000 bytes.
  if (header_size > std::min<std::size_t>(data.size(), 10000))
    malformed(what + ": npy header is cut off or too long");
  const Header header(data.substr(0, header_size), what);
  const ElementType type = element_type(*header.descr, what);
  return read_entries(data.substr(header_size), type, *header.shape, *header.fortran, what, owner);
}

}  // namespace attest_check
