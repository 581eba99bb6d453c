// .npy decoding and encoding; see instance/npy.hpp. Format: numpy.lib.format, versions 1.0 to 3.0.
#include "certify/instance/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "certify/process/input_error.hpp"

namespace attest {
namespace {

static_assert(std::endian::native == std::endian::little,
              "byte swapping below assumes a little-endian machine");

struct Header {
  char order = '<';  // '<', '>', or '|' for single bytes
  char kind = 'f';   // 'f', 'i', 'u', 'U', 'S'
  std::size_t item_size = 8;
  bool fortran = false;
  std::vector<std::size_t> shape;
};

// Reads the Python dictionary literal that numpy writes, then spaces and one newline; anything else is an
// error, also where numpy would make something of it.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& key) : text_(text), key_(key) {}

  Header parse() {
    bool descr = false, fortran = false, shape = false;
    if (text_.empty() || text_[0] != '{') fail();
    at_ = 1;
    while (!accept('}')) {
      const std::string name = quoted();
      expect(':');
      if (name == "descr" && !descr) {
        descr = true;
        read_type(quoted());
      } else if (name == "fortran_order" && !fortran) {
        fortran = true;
        if (accept_word("True")) {
          header_.fortran = true;
        } else if (!accept_word("False")) {
          fail();
        }
      } else if (name == "shape" && !shape) {
        shape = true;
        read_shape();
      } else {
        fail();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ + 1 != text_.size() || text_[at_] != '\n' || !descr || !fortran || !shape) fail();
    return header_;
  }

 private:
  [[noreturn]] void fail() const {
    fail_input("malformed .npy header at its byte " + std::to_string(at_), key_);
  }
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  std::string quoted() {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail();
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) fail();
    std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }
  void read_shape() {
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::size_t extent = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (error != std::errc{} ||
          (text_[at_] == '0' && end - text_.data() > static_cast<std::ptrdiff_t>(at_ + 1)))
        fail();
      at_ = static_cast<std::size_t>(end - text_.data());
      header_.shape.push_back(extent);
      if (header_.shape.size() > 8) fail_input("more than 8 dimensions", key_);
      if (!accept(',')) {
        if (header_.shape.size() == 1) fail();  // a size in brackets is not a tuple
        expect(')');
        break;
      }
    }
  }
  void read_type(const std::string& type) {
    header_.order = type.empty() ? '?' : type[0];
    header_.kind = type.size() < 2 ? '?' : type[1];
    std::size_t size = 0;
    if (type.size() > 2) std::from_chars(type.data() + 2, type.data() + type.size(), size);
    header_.item_size = size;
    const bool exact = type.size() > 2 && type.substr(2) == std::to_string(size);
    const bool number =
        (header_.kind == 'f' && (size == 4 || size == 8)) ||
        ((header_.kind == 'i' || header_.kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8));
    const bool text = (header_.kind == 'U' || header_.kind == 'S') && size >= 1 && size <= 64;
    const bool bytes = header_.kind == 'S' || (number && size == 1);
    const bool known_order = header_.order == '<' || header_.order == '>' || (header_.order == '|' && bytes);
    if (!exact || !known_order || !(number || text)) {
      fail_input("dtype '" + type + "' is not supported (float32, float64 and integers are)", key_);
    }
    if (header_.kind == 'U') header_.item_size = size * 4;
  }

  std::string_view text_;
  std::string key_;
  std::size_t at_ = 0;
  Header header_;
};

template <class Word>
Word load(const char* from, bool swap) {
  std::array<char, sizeof(Word)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Word));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Word>(bytes);
}

// Calls use(source item number) for every entry in C order.
template <class Use>
void in_c_order(const Header& header, std::size_t count, Use use) {
  if (!header.fortran || header.shape.size() < 2) {
    for (std::size_t k = 0; k < count; ++k) use(k);
    return;
  }
  const std::size_t axes = header.shape.size();
  std::vector<std::size_t> position(axes, 0), stride(axes, 1);
  for (std::size_t axis = 1; axis < axes; ++axis) stride[axis] = stride[axis - 1] * header.shape[axis - 1];
  std::size_t source = 0;
  for (std::size_t k = 0; k < count; ++k) {
    use(source);
    for (std::size_t axis = axes; axis-- > 0;) {
      source += stride[axis];
      if (++position[axis] < header.shape[axis]) break;
      source -= stride[axis] * header.shape[axis];
      position[axis] = 0;
    }
  }
}

template <class Word>
NumberList decode_floats(const Header& header, std::string_view data, std::size_t count, bool swap) {
  std::vector<double> values;
  values.reserve(count);
  in_c_order(header, count,
             [&](std::size_t k) { values.push_back(load<Word>(data.data() + k * sizeof(Word), swap)); });
  return NumberList::of(std::move(values));
}

template <class Word>
NumberList decode_integers(const Header& header, std::string_view data, std::size_t count, bool swap) {
  NumberList values;
  values.reserve(count);
  in_c_order(header, count, [&](std::size_t k) {
    const Word word = load<Word>(data.data() + k * sizeof(Word), swap);
    if constexpr (sizeof(Word) == 8) {
      constexpr Word limit = Word{1} << 53;
      const bool small =
          std::is_signed_v<Word> ? (word <= limit && word >= static_cast<Word>(-limit)) : word <= limit;
      if (!small) {
        values.push(Rational(word));
        return;
      }
    }
    values.push(static_cast<double>(word));
  });
  return values;
}

NumberList decode_numbers(const Header& header, std::string_view data, std::size_t count, bool swap) {
  const bool is_signed = header.kind == 'i';
  if (header.kind == 'f') {
    return header.item_size == 4 ? decode_floats<float>(header, data, count, swap)
                                 : decode_floats<double>(header, data, count, swap);
  }
  switch (header.item_size) {
    case 1:
      return is_signed ? decode_integers<std::int8_t>(header, data, count, swap)
                       : decode_integers<std::uint8_t>(header, data, count, swap);
    case 2:
      return is_signed ? decode_integers<std::int16_t>(header, data, count, swap)
                       : decode_integers<std::uint16_t>(header, data, count, swap);
    case 4:
      return is_signed ? decode_integers<std::int32_t>(header, data, count, swap)
                       : decode_integers<std::uint32_t>(header, data, count, swap);
    default:
      return is_signed ? decode_integers<std::int64_t>(header, data, count, swap)
                       : decode_integers<std::uint64_t>(header, data, count, swap);
  }
}

// The ASCII text of a 0-dimensional string array; '?' stands for anything else.
std::string decode_text(const Header& header, std::string_view data, bool swap) {
  const std::size_t width = header.kind == 'U' ? 4 : 1;
  std::string text;
  for (std::size_t k = 0; k + width <= data.size(); k += width) {
    const std::uint32_t c =
        width == 4 ? load<std::uint32_t>(data.data() + k, swap) : static_cast<unsigned char>(data[k]);
    text.push_back(c < 128 ? static_cast<char>(c) : '?');
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::string encode(const char* type, const void* data, std::size_t bytes,
                   const std::vector<std::size_t>& shape) {
  std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t extent : shape) header += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) header.resize(header.size() - 2);
  header += "), }";
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::string image("\x93NUMPY\x01\x00", 8);
  image.push_back(static_cast<char>(header.size() & 0xff));
  image.push_back(static_cast<char>(header.size() >> 8));
  image += header;
  image.append(static_cast<const char*>(data), bytes);
  return image;
}

}  // namespace

RawArray decode_npy(std::string_view bytes, const std::string& key) {
  if (bytes.size() < 12 || bytes.substr(0, 6) != "\x93NUMPY") fail_input("not a .npy array", key);
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3 || bytes[7] != 0)
    fail_input(".npy version " + std::to_string(version) + " is not supported", key);
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t length = version == 1 ? load<std::uint16_t>(bytes.data() + 8, false)
                                          : load<std::uint32_t>(bytes.data() + 8, false);
  if (length > bytes.size() - start) fail_input("truncated .npy header", key);
  if (length > 10000) fail_input(".npy header of more than 10000 bytes, which numpy does not read", key);
  const Header header = HeaderParser(bytes.substr(start, length), key).parse();
  const std::string_view data = bytes.substr(start + length);

  std::size_t count = 1;
  for (const std::size_t extent : header.shape) {
    if (__builtin_mul_overflow(count, extent, &count)) fail_input("shape is too large", key);
  }
  std::size_t expected = 0;
  if (__builtin_mul_overflow(count, header.item_size, &expected) || expected != data.size()) {
    fail_input("shape asks for " + std::to_string(count) + " entries of " + std::to_string(header.item_size) +
                   " bytes, but the data has " + std::to_string(data.size()) + " bytes",
               key);
  }
  const bool swap = header.order == '>';
  RawArray array;
  array.shape = header.shape;
  if (header.kind == 'U' || header.kind == 'S') {
    if (count != 1) fail_input("expected numbers, found a list of strings", key);
    array.text = decode_text(header, data, swap);
  } else {
    array.values = decode_numbers(header, data, count, swap);
  }
  return array;
}

std::string encode_npy(const std::vector<double>& values, const std::vector<std::size_t>& shape) {
  return encode("<f8", values.data(), values.size() * sizeof(double), shape);
}

std::string encode_npy(const std::vector<std::int64_t>& values, const std::vector<std::size_t>& shape) {
  return encode("<i8", values.data(), values.size() * sizeof(std::int64_t), shape);
}

std::string encode_npy_text(const std::string& text) {
  const std::vector<std::uint32_t> wide(text.begin(), text.end());
  return encode(("<U" + std::to_string(text.size())).c_str(), wide.data(),
                wide.size() * sizeof(std::uint32_t), {});
}

}  // namespace attest
