// .npy decoding and encoding; see instance/npy.hpp. Format: numpy.lib.format, versions 1.0 to 3.0.
#include "certify/instance/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

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
  // What to do about the types that arrays often have by accident.
  [[noreturn]] void fail_type(const std::string& type) const {
    std::string advice = "float16, float32, float64 and integers are";
    if (header_.kind == 'O') {
      advice = "Python objects: numpy.array(" + key_ + ".tolist(), dtype=float), or JSON for ragged lists";
    } else if (header_.kind == 'b') {
      advice = "booleans: " + key_ + ".astype(int), and 2*Y - 1 for labels";
    } else if (header_.kind == 'V') {
      advice = "as bfloat16: " + key_ + ".astype(numpy.float32), which is exact";
    }
    fail_input("dtype '" + type + "' is not supported (" + advice + ")", key_);
  }
  void read_type(const std::string& type) {
    header_.order = type.empty() ? '?' : type[0];
    header_.kind = type.size() < 2 ? '?' : type[1];
    std::size_t size = 0;
    if (type.size() > 2) std::from_chars(type.data() + 2, type.data() + type.size(), size);
    header_.item_size = size;
    const bool exact = type.size() > 2 && type.substr(2) == std::to_string(size);
    const bool number =
        (header_.kind == 'f' && (size == 2 || size == 4 || size == 8)) ||
        ((header_.kind == 'i' || header_.kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8));
    const bool text = (header_.kind == 'U' || header_.kind == 'S') && size >= 1 && size <= 64;
    const bool bytes = header_.kind == 'S' || (number && size == 1);
    const bool known_order = header_.order == '<' || header_.order == '>' || (header_.order == '|' && bytes);
    if (!exact || !known_order || !(number || text)) fail_type(type);
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

// Calls use(source item number) for every entry in C order; without `fortran` that is the order of the data.
template <class Use>
void in_c_order(const std::vector<std::size_t>& shape, bool fortran, std::size_t count, Use use) {
  if (!fortran || shape.size() < 2) {
    for (std::size_t k = 0; k < count; ++k) use(k);
    return;
  }
  const std::size_t axes = shape.size();
  std::vector<std::size_t> position(axes, 0), stride(axes, 1);
  for (std::size_t axis = 1; axis < axes; ++axis) stride[axis] = stride[axis - 1] * shape[axis - 1];
  std::size_t source = 0;
  for (std::size_t k = 0; k < count; ++k) {
    use(source);
    for (std::size_t axis = axes; axis-- > 0;) {
      source += stride[axis];
      if (++position[axis] < shape[axis]) break;
      source -= stride[axis] * shape[axis];
      position[axis] = 0;
    }
  }
}

// The number that 16 bits are: a sign, an exponent, `fraction_bits` of fraction.
double short_float(std::uint16_t bits, int fraction_bits) {
  const int largest = (1 << (15 - fraction_bits)) - 1, hidden = 1 << fraction_bits;
  const int biased = bits >> fraction_bits & largest, fraction = bits & (hidden - 1);
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (biased == largest) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign * std::ldexp(biased != 0 ? fraction + hidden : fraction,
                           std::max(biased, 1) - largest / 2 - fraction_bits);
}

void push_integer(NumberList& values, std::int64_t word) {
  constexpr std::int64_t limit = std::int64_t{1} << 53;
  if (-limit <= word && word <= limit) return values.push(static_cast<double>(word));
  values.push(Rational(word));
}

void push_integer(NumberList& values, std::uint64_t word) {
  if (word <= std::uint64_t{1} << 53) return values.push(static_cast<double>(word));
  values.push(Rational(word));
}

// Calls use(entry) with every entry in C order, in the machine's type that holds it.
template <class Word, class Use>
void each_entry(std::string_view data, const EntryType& type, const std::vector<std::size_t>& shape,
                bool fortran, Use use) {
  in_c_order(shape, fortran, data.size() / sizeof(Word),
             [&](std::size_t k) { use(load<Word>(data.data() + k * sizeof(Word), type.big_endian)); });
}

template <class Word>
NumberList decode_floats(std::string_view data, const EntryType& type, const std::vector<std::size_t>& shape,
                         bool fortran, const std::shared_ptr<const void>& owner) {
  constexpr bool is_short = std::is_same_v<Word, std::uint16_t>;
  if constexpr (!is_short) {
    const bool as_it_lies = !type.big_endian && (!fortran || shape.size() < 2);
    if (owner && as_it_lies)
      return NumberList::of(BinaryArray::in(data, BinaryArray::Precision{sizeof(Word)}, owner));
  }
  std::vector<std::conditional_t<is_short, float, Word>> values;
  values.reserve(data.size() / sizeof(Word));
  each_entry<Word>(data, type, shape, fortran, [&](Word word) {
    if constexpr (is_short) {
      values.push_back(static_cast<float>(short_float(word, type.kind == 'b' ? 7 : 10)));
    } else {
      values.push_back(word);
    }
  });
  return NumberList::of(BinaryArray::of(std::move(values)));
}

template <class Word>
NumberList decode_integers(std::string_view data, const EntryType& type,
                           const std::vector<std::size_t>& shape, bool fortran,
                           const std::shared_ptr<const void>& /*owner*/) {
  using Wide = std::conditional_t<std::is_signed_v<Word>, std::int64_t, std::uint64_t>;
  NumberList values;
  values.reserve(data.size() / sizeof(Word));
  each_entry<Word>(data, type, shape, fortran,
                   [&](Word word) { push_integer(values, static_cast<Wide>(word)); });
  return values;
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

// How many entries the shape has; they must be all of `data`.
std::size_t check_size(const std::vector<std::size_t>& shape, std::size_t item_size, std::string_view data,
                       const std::string& key) {
  std::size_t count = 1, expected = 0;
  for (const std::size_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) fail_input("shape is too large", key);
  }
  if (__builtin_mul_overflow(count, item_size, &expected) || expected != data.size()) {
    fail_input("shape asks for " + std::to_string(count) + " entries of " + std::to_string(item_size) +
                   " bytes, but the data has " + std::to_string(data.size()) + " bytes",
               key);
  }
  return count;
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

RawArray decode_entries(std::string_view data, const EntryType& type, const std::vector<std::size_t>& shape,
                        bool fortran, const std::string& key, const std::shared_ptr<const void>& owner) {
  check_size(shape, type.size, data, key);
  RawArray array;
  array.shape = shape;
  const auto decode = [&](auto* decoder) { array.values = decoder(data, type, shape, fortran, owner); };
  if (type.kind == 'f' || type.kind == 'b') {
    decode(type.size == 2   ? decode_floats<std::uint16_t>
           : type.size == 4 ? decode_floats<float>
                            : decode_floats<double>);
  } else if (type.kind == 'i') {
    decode(type.size == 1   ? decode_integers<std::int8_t>
           : type.size == 2 ? decode_integers<std::int16_t>
           : type.size == 4 ? decode_integers<std::int32_t>
                            : decode_integers<std::int64_t>);
  } else {
    decode(type.size == 1   ? decode_integers<std::uint8_t>
           : type.size == 2 ? decode_integers<std::uint16_t>
           : type.size == 4 ? decode_integers<std::uint32_t>
                            : decode_integers<std::uint64_t>);
  }
  return array;
}

RawArray decode_npy(std::string_view bytes, const std::string& key,
                    const std::shared_ptr<const void>& owner) {
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
  const bool big_endian = header.order == '>';
  if (header.kind != 'U' && header.kind != 'S') {
    return decode_entries(data, {header.kind, header.item_size, big_endian}, header.shape, header.fortran,
                          key, owner);
  }
  if (check_size(header.shape, header.item_size, data, key) != 1)
    fail_input("expected numbers, found a list of strings", key);
  RawArray array;
  array.shape = header.shape;
  array.text = decode_text(header, data, big_endian);
  return array;
}

std::string encode_npy(const BinaryArray& values, const std::vector<std::size_t>& shape) {
  if (values.precision() == BinaryArray::Precision::binary64) return encode_npy(values.doubles(), shape);
  std::vector<float> narrow(values.size());
  for (std::size_t k = 0; k < narrow.size(); ++k) narrow[k] = static_cast<float>(values[k]);
  return encode("<f4", narrow.data(), narrow.size() * sizeof(float), shape);
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
