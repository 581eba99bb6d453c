// Exact reading and writing of numbers; see exact_number.hpp.
#include "certify/numbers/exact_number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>

namespace attest {
namespace {

constexpr std::uint64_t two_53 = std::uint64_t{1} << 53;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads a signed exponent that must fill `text`; nothing when malformed. Values beyond the limit are reported
// as limit + 1 so that the caller can tell the two apart.
std::optional<long> parse_exponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  long value = 0;
  for (const char c : text) value = std::min(largest_exponent + 1, value * 10 + (c - '0'));
  return negative ? -value : value;
}

// More decimal digits than this are too many whatever they are (the checkers have the same bound); of fewer
// the bits decide.
bool too_long(std::size_t digits) {
  return digits > largest_number_bits / 3;
}
bool too_wide(const Integer& value) {
  return mpz_sizeinbase(value.backend().data(), 2) > largest_number_bits;
}

std::string too_long_message() {
  return "number has more than 2^24 bits";
}
std::string exponent_message() {
  return "exponent beyond 2^16";
}

Integer integer_of_digits(std::string_view digits, int base) {
  const std::string text(digits);
  Integer value;
  mpz_set_str(value.backend().data(), text.c_str(), base);
  return value;
}

Rational power_scaled(const Integer& numerator, unsigned base, long exponent) {
  Integer power;
  mpz_ui_pow_ui(power.backend().data(), base, static_cast<unsigned long>(std::labs(exponent)));
  if (exponent >= 0) return Rational(numerator * power);
  return Rational(numerator, power);
}

Rational dyadic(const Integer& numerator, long exponent) {
  Rational value(numerator);
  auto* raw = value.backend().data();
  if (exponent >= 0) {
    mpq_mul_2exp(raw, raw, static_cast<unsigned long>(exponent));
  } else {
    mpq_div_2exp(raw, raw, static_cast<unsigned long>(-exponent));
  }
  return value;
}

bool out_of_bounds(const Rational& value) {
  const auto* raw = value.backend().data();
  return mpz_sizeinbase(mpq_numref(raw), 2) > largest_number_bits ||
         mpz_sizeinbase(mpq_denref(raw), 2) > largest_number_bits;
}

constexpr auto powers_of_five = [] {
  std::array<std::uint64_t, 28> powers{};
  powers[0] = 1;
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = powers[k - 1] * 5;
  return powers;
}();

// mantissa * 10^exponent, mantissa below 2^64: a double when cheaply seen to be one.
ParsedNumber small_decimal(bool negative, std::uint64_t mantissa, long exponent) {
  if (mantissa == 0) return 0.0;
  while (exponent < 0 && mantissa % 10 == 0) {
    mantissa /= 10;
    ++exponent;
  }
  const long size = std::labs(exponent);
  if (size < static_cast<long>(powers_of_five.size())) {
    const std::uint64_t five = powers_of_five[static_cast<std::size_t>(size)];
    const std::uint64_t fifth = mantissa / five;
    if (exponent < 0 && fifth * five == mantissa && fifth <= two_53) {
      const double value = std::ldexp(static_cast<double>(fifth), static_cast<int>(exponent));
      return negative ? -value : value;
    }
    if (exponent >= 0 && mantissa <= two_53 / five) {
      const double value = std::ldexp(static_cast<double>(mantissa * five), static_cast<int>(exponent));
      return negative ? -value : value;
    }
  }
  if (exponent < 0 && size <= 19) {  // a fraction of two words
    const std::uint64_t below = powers_of_five[static_cast<std::size_t>(size)] << size;
    const std::uint64_t common = std::gcd(mantissa, below);
    Rational value;
    mpq_set_ui(value.backend().data(), mantissa / common, below / common);
    if (negative) mpq_neg(value.backend().data(), value.backend().data());
    return value;
  }
  Integer numerator = mantissa;
  if (negative) numerator = -numerator;
  return power_scaled(numerator, 10, exponent);
}

// The unsigned decimal `text` (sign already taken off).
ParsedNumber parse_decimal(bool negative, std::string_view text) {
  std::uint64_t mantissa = 0;
  std::size_t digits = 0, significant = 0, fraction = 0, at = 0;
  bool point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
    } else if (is_digit(c)) {
      ++digits;
      if (point) ++fraction;
      if (significant > 0 || c != '0') ++significant;
      if (significant <= 19) mantissa = mantissa * 10 + static_cast<std::uint64_t>(c - '0');
    } else {
      break;
    }
  }
  if (digits == 0) return "not a number";
  long exponent = 0;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return "not a number";
    const std::optional<long> written = parse_exponent(text.substr(at + 1));
    if (!written) return "not a number";
    if (std::labs(*written) > largest_exponent) return exponent_message();
    exponent = *written;
  }
  if (too_long(digits)) return too_long_message();
  exponent -= static_cast<long>(fraction);
  if (significant <= 19) return small_decimal(negative, mantissa, exponent);
  std::string all;
  all.reserve(digits);
  for (const char c : text.substr(0, at)) {
    if (c != '.') all.push_back(c);
  }
  Integer numerator = integer_of_digits(all, 10);
  if (too_wide(numerator)) return too_long_message();
  if (negative) numerator = -numerator;
  return power_scaled(numerator, 10, exponent);
}

ParsedNumber parse_hexadecimal(bool negative, std::string_view text) {
  std::string digits;
  std::size_t at = 0;
  long fraction = 0;
  bool point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
    } else if (hex_value(text[at]) >= 0) {
      digits.push_back(text[at]);
      if (point) ++fraction;
    } else {
      break;
    }
  }
  if (digits.empty()) return "not a number";
  if (digits.size() > largest_number_bits / 4) return too_long_message();
  long exponent = 0;
  if (at < text.size()) {
    if (text[at] != 'p' && text[at] != 'P') return "not a number";
    const std::optional<long> written = parse_exponent(text.substr(at + 1));
    if (!written) return "not a number";
    if (std::labs(*written) > largest_exponent) return exponent_message();
    exponent = *written;
  }
  Integer numerator = integer_of_digits(digits, 16);
  if (negative) numerator = -numerator;
  return dyadic(numerator, exponent - 4 * fraction);
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

ParsedNumber parse_unsigned(bool negative, std::string_view text) {
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    return parse_hexadecimal(negative, text.substr(2));
  }
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view top = text.substr(0, slash), bottom = text.substr(slash + 1);
    if (!all_digits(top) || !all_digits(bottom)) return "not a number";
    if (too_long(top.size()) || too_long(bottom.size())) return too_long_message();
    Integer numerator = integer_of_digits(top, 10);
    const Integer denominator = integer_of_digits(bottom, 10);
    if (denominator == 0) return "denominator is zero";
    if (too_wide(numerator) || too_wide(denominator)) return too_long_message();
    if (negative) numerator = -numerator;
    return Rational(numerator, denominator);
  }
  if (const std::size_t star = text.find('*'); star != std::string_view::npos) {
    const std::string_view mantissa = text.substr(0, star);
    if (!all_digits(mantissa) || text.substr(star, 3) != "*2^") return "not a number";
    const std::optional<long> exponent = parse_exponent(text.substr(star + 3));
    if (!exponent) return "not a number";
    if (std::labs(*exponent) > largest_exponent) return exponent_message();
    if (too_long(mantissa.size())) return too_long_message();
    std::uint64_t small = 0;
    if (mantissa.size() <= 16 &&
        std::labs(*exponent) <= 900) {  // far from overflow and from subnormal numbers
      std::from_chars(mantissa.data(), mantissa.data() + mantissa.size(), small);
      if (small <= two_53) {
        const double value = std::ldexp(static_cast<double>(small), static_cast<int>(*exponent));
        return negative && small != 0 ? -value : value;
      }
    }
    Integer numerator = integer_of_digits(mantissa, 10);
    if (too_wide(numerator)) return too_long_message();
    if (negative) numerator = -numerator;
    return dyadic(numerator, *exponent);
  }
  return parse_decimal(negative, text);
}

void append_digits(std::string& out, const mpz_t value) {
  const std::size_t start = out.size();
  out.resize(start + mpz_sizeinbase(value, 10) + 2);
  mpz_get_str(out.data() + start, 10, value);
  out.resize(out.find('\0', start));
}

void append_machine(std::string& out, long value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

}  // namespace

ParsedNumber parse_number(std::string_view text) {
  if (text.empty()) return "empty text is not a number";
  bool negative = false;
  if (text[0] == '+' || text[0] == '-') {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  ParsedNumber number = parse_unsigned(negative, text);
  if (const auto* value = std::get_if<Rational>(&number); value && out_of_bounds(*value))
    return too_long_message();
  return number;
}

// From the bits: instances are hashed number by number.
void append_canonical(std::string& out, double value) {
  if (value == 0) {
    out.push_back('0');
    return;
  }
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto power = static_cast<int>(bits >> 52 & 0x7ff);  // 0: subnormal
  const std::uint64_t mantissa = (bits & (two_53 / 2 - 1)) | (power > 0 ? two_53 / 2 : 0);
  const int zeros = std::countr_zero(mantissa), exponent = std::max(power, 1) - 1075 + zeros;
  char buffer[40], *at = buffer, *const end = buffer + sizeof buffer;
  if (value < 0) *at++ = '-';
  at = std::to_chars(at, end, mantissa >> zeros).ptr;
  if (exponent != 0) {
    for (const char c : {'*', '2', '^'}) *at++ = c;
    at = std::to_chars(at, end, exponent).ptr;
  }
  out.append(buffer, at);
}

void append_canonical(std::string& out, const Rational& value) {
  const auto* raw = value.backend().data();
  const mpz_srcptr top = mpq_numref(raw), bottom = mpq_denref(raw);
  if (mpz_sgn(top) == 0) {
    out.push_back('0');
    return;
  }
  const bool dyadic_value = mpz_scan1(bottom, 0) + 1 == mpz_sizeinbase(bottom, 2);
  if (!dyadic_value) {
    append_digits(out, top);
    out.push_back('/');
    append_digits(out, bottom);
    return;
  }
  const auto zeros = mpz_scan1(top, 0);
  const long exponent = static_cast<long>(zeros) - static_cast<long>(mpz_scan1(bottom, 0));
  mpz_t mantissa;
  mpz_init(mantissa);
  mpz_tdiv_q_2exp(mantissa, top, zeros);
  append_digits(out, mantissa);
  mpz_clear(mantissa);
  if (exponent != 0) {
    out += "*2^";
    append_machine(out, exponent);
  }
}

void append_integer(std::string& out, const Integer& value) {
  append_digits(out, value.backend().data());
}

void NumberList::push(double value) {
  if (all_doubles_) {
    doubles_.push_back(value);
  } else {
    rationals_.emplace_back(value);
  }
}

void NumberList::push(Rational value) {
  if (all_doubles_) {
    const double nearest = mpq_get_d(value.backend().data());
    if (std::isfinite(nearest) && Rational(nearest) == value) {
      doubles_.push_back(nearest);
      return;
    }
    all_doubles_ = false;
    rationals_.reserve(doubles_.capacity());
    for (const double earlier : doubles_) rationals_.emplace_back(earlier);
    doubles_ = {};
  }
  rationals_.push_back(std::move(value));
}

bool NumberList::finite(std::size_t index) const {
  if (given_) return std::isfinite((*given_)[index]);
  return !all_doubles_ || std::isfinite(doubles_[index]);
}

std::size_t NumberList::first_not_finite(std::size_t begin, std::size_t end) const {
  std::size_t k = begin;
  if (!given_ || end - begin < std::size_t{1} << 16) {
    while (k < end && finite(k)) ++k;
    return k;
  }
  PassedNumbers passed(*given_, begin);
  for (; k < end && std::isfinite((*given_)[k]); ++k) passed.before(k);
  return k;
}

Rational NumberList::exact(std::size_t index) const {
  if (given_) return Rational((*given_)[index]);
  return all_doubles_ ? Rational(doubles_[index]) : rationals_[index];
}

std::optional<std::vector<double>> NumberList::doubles() const {
  if (given_) return given_->doubles();
  return all_doubles_ ? std::optional(doubles_) : std::nullopt;
}

ExactArray NumberList::take() && {
  if (given_) return ExactArray::from_binary(*std::move(given_));
  return all_doubles_ ? ExactArray::from_binary64(std::move(doubles_))
                      : ExactArray::from_rationals(std::move(rationals_));
}

void NumberList::keep_ranges(const std::vector<std::pair<std::size_t, std::size_t>>& ranges) {
  const auto keep = [&](auto& values) {
    std::size_t to = 0;
    for (const auto& [begin, end] : ranges) {
      for (std::size_t k = begin; k < end; ++k, ++to) {
        if (to != k) values[to] = std::move(values[k]);
      }
    }
    values.resize(to);
  };
  if (given_) {
    given_ = given_->ranges(ranges);
  } else if (all_doubles_) {
    keep(doubles_);
  } else {
    keep(rationals_);
  }
}

NumberList NumberList::of(BinaryArray values) {
  NumberList list;
  list.given_ = std::move(values);
  return list;
}

}  // namespace attest
