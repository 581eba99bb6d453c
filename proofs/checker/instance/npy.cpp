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
class NpyHeader : public Literal {
 public:
  NpyHeader(std::string_view text, const std::string& what)
      : Literal(Cursor(text), what + ": npy header", " ") {
    if (!in_.take('{')) bad("expected '{'");
    const auto entry = [&] {
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
    };
    list('}', entry, true);
    skip_space();
    if (!in_.take('\n') || !in_.at_end() || !descr || !fortran || !shape) bad("not a complete dictionary");
  }

  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<std::size_t>> shape;

 private:
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
    const std::size_t commas = list(
        ')', [&] { extents.push_back(size()); }, true);
    if (commas == 0 && extents.size() == 1) bad("a size in brackets is not a tuple");
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

std::string text_element(const Bytes& data, const ElementType& type, const std::string& what) {
  const NumberArray codes(data, {'u', type.kind == 'U' ? 4UL : 1UL, type.big_endian});
  std::string text;
  for (std::size_t k = 0; k < codes.size(); ++k) {
    if (*codes.integer(k) >= 128) malformed(what + ": a string that is not ASCII");
    text.push_back(static_cast<char>(*codes.integer(k)));
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

// The bytes of an array in Fortran order, as they are in the other one: as much of them at a time as is held.
Bytes in_row_order(const Bytes& data, std::size_t width, const std::size_t (&extent)[3],
                   const std::string& what) {
  const std::size_t rows = extent[0] * extent[1], row = extent[2] * width;
  const std::size_t together = std::clamp<std::size_t>(Bytes::most_held() / row, 1, rows);
  Spool turned(what);
  for (std::size_t first = 0; first < rows; first += together) {
    const std::size_t end = std::min(rows, first + together);
    std::string part((end - first) * row, '\0');
    // In the order of the file: k, j, i of row i extent[1] + j.
    for (std::size_t k = 0; k < extent[2]; ++k) {
      for (std::size_t j = 0; j < extent[1]; ++j) {
        for (std::size_t i = first / extent[1]; i * extent[1] < end; ++i) {
          const std::size_t r = i * extent[1] + j, from = i + extent[0] * (j + extent[1] * k);
          if (r < first || r >= end) continue;
          data.few(from * width, width).copy(&part[(r - first) * row + k * width], width);
        }
      }
    }
    turned.add(part);
  }
  return turned.bytes();
}

}  // namespace

Array read_entries(const Bytes& data, const ElementType& type, const std::vector<std::size_t>& shape,
                   bool fortran, const std::string& what) {
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
  if (shape.size() == 2) std::swap(extent[1], extent[2]);
  const bool turned = fortran && shape.size() > 1;
  array.numbers = NumberArray(turned ? in_row_order(data, type.width, extent, what) : data, type);
  return array;
}

Array read_npy(const Bytes& file, const std::string& what) {
  const std::string begin = file.text(0, 12);
  if (begin.size() < 12 || !begin.starts_with("\x93NUMPY")) malformed(what + ": not an npy file");
  const auto version = static_cast<unsigned char>(begin[6]);
  if (version < 1 || version > 3 || begin[7] != 0) malformed(what + ": unsupported npy version");
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t size = little_endian(std::string_view(begin).substr(8, start - 8));
  // NumPy reads headers of at most 10,000 bytes.
  if (size > std::min<std::size_t>(file.size() - start, 10000))
    malformed(what + ": npy header is cut off or too long");
  const std::string text = file.text(start, size);
  const NpyHeader header(text, what);
  const Bytes data = file.part(start + size, file.size() - start - size);
  return read_entries(data, element_type(*header.descr, what), *header.shape, *header.fortran, what);
}

}  // namespace attest_check
