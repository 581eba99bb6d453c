// Exact numbers of a dataset: see numbers.hpp.
#include "proofs/checker/base/numbers.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "proofs/checker/base/cursor.hpp"
#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/job.hpp"

namespace attest_check {

namespace {

Rational decimal_value(const Integer& mantissa, long exponent) {
  Integer power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  return exponent < 0 ? fraction(mantissa, power) : Rational(mantissa * power);
}

}  // namespace

NumberArray::NumberArray(Bytes bytes, const ElementType& type)
    : raw_(std::move(bytes)), type_(type), surveyed_(false) {}

NumberArray NumberArray::rows(std::vector<std::size_t> chosen, std::size_t width) const {
  if (chosen.empty()) return {};
  if (!rows_.empty() && row_width_ % width != 0) throw Failure(Exit::internal, "rows across rows");
  for (std::size_t& row : chosen) row = place(row * width);
  NumberArray result(raw_, type_);
  result.wide_ = wide_;
  result.rows_ = std::move(chosen);
  result.row_width_ = width;
  return result;
}

const Survey& NumberArray::survey() const {
  if (surveyed_) return survey_;
  const auto [begin, end] = share_of(size());
  for (std::size_t k = begin; k < end; ++k) add_to_survey(entry(k), k);
  surveyed_ = true;
  return survey_ = survey_of_all(survey_);
}

void NumberArray::add_to_survey(const Entry& entry, std::size_t index) const {
  if (entry.exponent > decimal) return survey_.add_small(entry.mantissa, entry.exponent);
  survey_.all_small = false;
  if (entry.exponent == not_finite) survey_.first_not_finite = std::min(survey_.first_not_finite, index);
}

inline NumberArray::Entry NumberArray::odd(std::int64_t mantissa, std::int32_t exponent) {
  const int twos = mantissa == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(mantissa));
  return {mantissa >> twos, mantissa == 0 ? 0 : exponent + twos};
}

inline NumberArray::Entry NumberArray::ieee(std::uint64_t bits, int fraction_bits, int exponent_bits) {
  const std::uint64_t hidden = 1ULL << fraction_bits;
  const std::int32_t largest = (1 << exponent_bits) - 1;
  const std::int32_t biased = static_cast<std::int32_t>(bits >> fraction_bits) & largest;
  if (biased == largest) return {0, not_finite};
  const std::int64_t mantissa = static_cast<std::int64_t>((bits & (hidden - 1)) | (biased != 0 ? hidden : 0));
  const bool negative = (bits >> (fraction_bits + exponent_bits) & 1) != 0;
  return odd(negative ? -mantissa : mantissa, std::max(biased, 1) - largest / 2 - fraction_bits);
}

inline std::uint64_t NumberArray::bits_of(std::size_t index) const {
  const std::uint64_t bits = little_endian(raw_.few(place(index) * type_.width, type_.width));
  return type_.big_endian ? __builtin_bswap64(bits) >> (64 - 8 * type_.width) : bits;
}

NumberArray::Entry NumberArray::entry(std::size_t index) const {
  if (type_.kind == 'e') {
    const std::size_t at = place(index) * type_.width;
    const std::uint64_t mantissa = little_endian(raw_.few(at, 8)),
                        others = little_endian(raw_.few(at + 8, 8));
    return {static_cast<std::int64_t>(mantissa), static_cast<std::int32_t>(others),
            static_cast<std::int32_t>(others >> 32)};
  }
  const std::uint64_t bits = bits_of(index);
  const int width = static_cast<int>(8 * type_.width);
  if (type_.kind == 'i') return odd(static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width), 0);
  if (type_.kind == 'u') {
    if (bits >> 63 == 0) return odd(static_cast<std::int64_t>(bits), 0);
    return bits % 2 == 1 ? Entry{0, wide} : odd(static_cast<std::int64_t>(bits >> 1), 1);
  }
  const int exponent_bits = width == 64 ? 11 : width == 32 || type_.kind == 'b' ? 8 : 5;
  return ieee(bits, width - 1 - exponent_bits, exponent_bits);
}

void NumberWriter::append(const NumberArray::Entry& entry) {
  known_.add_to_survey(entry, made_++);
  std::string bytes;
  for (int k = 0; k < 64; k += 8) bytes.push_back(static_cast<char>(entry.mantissa >> k));
  for (int k = 0; k < 32; k += 8) bytes.push_back(static_cast<char>(entry.exponent >> k));
  for (int k = 0; k < 32; k += 8) bytes.push_back(static_cast<char>(entry.tens >> k));
  entries_.add(bytes);
}

void NumberWriter::push(std::int64_t mantissa, std::int32_t exponent) {
  append(NumberArray::odd(mantissa, exponent));
}

NumberArray NumberWriter::numbers() {
  known_.raw_ = entries_.bytes();
  known_.wide_ = wide_.bytes();
  known_.type_ = {'e', 16};
  return std::move(known_);
}

bool NumberWriter::push_small(const Rational& value) {
  const Integer& p = value.get_num();
  const Integer& q = value.get_den();
  if (mpz_popcount(q.get_mpz_t()) != 1) return false;
  const mp_bitcnt_t up = p == 0 ? 0 : mpz_scan1(p.get_mpz_t(), 0);
  const mp_bitcnt_t down = mpz_scan1(q.get_mpz_t(), 0);
  if (bit_length(p) > up + 62) return false;
  push(shift_floor(p, up).get_si(), static_cast<std::int32_t>(up) - static_cast<std::int32_t>(down));
  return true;
}

void NumberWriter::push(const Rational& value) {
  if (bit_length(value.get_num()) > max_bits || bit_length(value.get_den()) > max_bits) {
    malformed("a number of more than 2^24 bits");
  }
  if (push_small(value)) return;
  const std::string digits = value.get_str(16);
  append(
      {static_cast<std::int64_t>(wide_.size()), NumberArray::wide, static_cast<std::int32_t>(digits.size())});
  wide_.add(digits);
}

void NumberWriter::push_decimal(const Integer& mantissa, long exponent) {
  if (!mantissa.fits_slong_p()) return push(decimal_value(mantissa, exponent));
  // 5^27 > 2^62: beyond, neither m / 10^k nor m * 10^k, m not 0, is an m * 2^e of one word.
  if (mantissa == 0) return push(0, 0);
  if (std::abs(exponent) <= 27 && push_small(decimal_value(mantissa, exponent))) return;
  append({mantissa.get_si(), NumberArray::decimal, static_cast<std::int32_t>(exponent)});
}

std::optional<long> NumberArray::integer(std::size_t index) const {
  const auto [mantissa, exponent] = parts(index);
  if (exponent < 0 || std::bit_width(static_cast<std::uint64_t>(std::abs(mantissa))) + exponent > 62)
    return {};
  return mantissa * (1L << exponent);
}

Rational NumberArray::exact(std::size_t index) const {
  const Entry entry = this->entry(index);
  if (entry.exponent == wide && type_.kind != 'e') return Integer(bits_of(index));
  if (entry.exponent == wide) {
    const auto at = static_cast<std::size_t>(entry.mantissa), size = static_cast<std::size_t>(entry.tens);
    return Rational(wide_.text(at, size), 16);
  }
  if (entry.exponent == decimal) return decimal_value(Integer(static_cast<long>(entry.mantissa)), entry.tens);
  return scale_by_power_of_two(Integer(static_cast<long>(entry.mantissa)), entry.exponent);
}

void NumberArray::append_canonical(std::size_t index, std::string& text) const {
  const Entry entry = this->entry(index);
  if (entry.exponent <= decimal) {
    text += canonical(exact(index));
    return;
  }
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, entry.mantissa).ptr);
  if (entry.exponent != 0) {
    text += "*2^";
    text.append(digits, std::to_chars(digits, digits + sizeof digits, entry.exponent).ptr);
  }
}

namespace {

[[noreturn]] void not_a_number(std::string_view text) {
  malformed("not a number: \"" + std::string(text.substr(0, 60)) + (text.size() > 60 ? "…\"" : "\""));
}

constexpr std::string_view decimal_digits = "0123456789", hex_digits = "0123456789abcdefABCDEF";

// An optionally signed decimal exponent with |value| <= 2^16.
long take_exponent(Cursor& cursor, std::string_view whole) {
  const bool negative = cursor.take('-');
  if (!negative) cursor.take('+');
  const std::string_view digits = cursor.take_any(decimal_digits);
  if (digits.empty()) not_a_number(whole);
  long value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || value > max_exponent)
    malformed("an exponent beyond 65536 in \"" + std::string(whole.substr(0, 60)) + "\"");
  return negative ? -value : value;
}

// digits * base^exponent, base 10 or 2, or digits / divisor.
struct Written {
  Integer digits;
  long exponent = 0;
  bool binary = false;
  Integer divisor = 1;

  Rational value() const {
    return binary ? scale_by_power_of_two(digits, exponent) : decimal_value(digits, exponent);
  }
};

// digits [. digits] [e exponent], 0x digits [. digits] [p exponent] in base 16, digits*2^exponent or
// digits/digits, exactly. `json` asks for the first of these, without leading zeros, with digits on both
// sides of a point.
Written written(std::string_view text, bool json) {
  Cursor cursor(text);
  const bool hex = !json && (cursor.take("0x") || cursor.take("0X"));
  const std::string_view accepted = hex ? hex_digits : decimal_digits;
  const std::string_view whole = cursor.take_any(accepted);
  const bool other = !json && !hex;
  const bool power = other && cursor.take("*2^"), quotient = other && !power && cursor.take('/');
  const bool point = !power && !quotient && cursor.take('.');
  const std::string_view fraction = point ? cursor.take_any(accepted) : "";
  const std::string_view divisor = quotient ? cursor.take_any(decimal_digits) : "1";
  if ((whole.empty() && fraction.empty()) || divisor.empty()) not_a_number(text);
  if (json && (whole.empty() || (whole.size() > 1 && whole.front() == '0') || (point && fraction.empty())))
    not_a_number(text);
  const std::string_view markers = hex ? "pP" : "eE";
  const bool scaled = power || (!quotient && (cursor.take(markers[0]) || cursor.take(markers[1])));
  const long exponent = scaled ? take_exponent(cursor, text) : 0;
  if (!cursor.at_end()) not_a_number(text);
  const Integer digits = integer_from_digits(std::string(whole) + std::string(fraction), hex ? 16 : 10);
  const long places = static_cast<long>(fraction.size());
  Written number{digits, exponent - (hex ? 4 : 1) * places, hex || power, integer_from_digits(divisor)};
  if (number.divisor == 0)
    malformed("a denominator must be positive: \"" + std::string(text.substr(0, 60)) + "\"");
  return number;
}

}  // namespace

void push_json_number(std::string_view token, NumberWriter& numbers) {
  const bool negative = token.starts_with('-');
  const std::string_view digits = token.substr(negative ? 1 : 0);
  if (digits.size() <= 15 && digits.find_first_not_of(decimal_digits) == std::string_view::npos) {
    if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) not_a_number(token);
    const long value = integer_from_digits(digits).get_si();
    return numbers.push(negative ? -value : value, 0);
  }
  Written number = written(digits, true);
  const Rational value = number.value();
  // What rounds to infinity as a binary64, and what is not zero but rounds to zero.
  static const Rational huge(power_of_two(1024) - power_of_two(970)), tiny = scale_by_power_of_two(1, -1075);
  if (value >= huge || (value != 0 && value <= tiny)) {
    malformed("a number beyond the range of binary64 must be written as a string: " +
              std::string(token.substr(0, 60)));
  }
  if (negative) number.digits = -number.digits;
  numbers.push_decimal(number.digits, number.exponent);
}

void push_number_text(std::string_view text, NumberWriter& numbers) {
  const bool negative = text.starts_with('-');
  Written number = written(text.substr(negative || text.starts_with('+') ? 1 : 0), false);
  if (negative) number.digits = -number.digits;
  if (number.divisor != 1) return numbers.push(fraction(number.digits, number.divisor));
  if (number.binary) return numbers.push(number.value());
  numbers.push_decimal(number.digits, number.exponent);
}

}  // namespace attest_check
