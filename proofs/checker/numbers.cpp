// Exact numbers of a dataset: see numbers.hpp.
#include "proofs/checker/numbers.hpp"

#include <bit>
#include <charconv>

#include "proofs/checker/failure.hpp"

namespace attest_check {

void NumberArray::push(std::int64_t mantissa, std::int32_t exponent) {
  if (mantissa == 0) {
    entries_.push_back({0, 0});
    return;
  }
  const int twos = std::countr_zero(static_cast<std::uint64_t>(mantissa));
  entries_.push_back({mantissa >> twos, exponent + twos});
}

void NumberArray::push(const Rational& value) {
  const Integer& p = value.get_num();
  const Integer& q = value.get_den();
  if (p == 0) return push(0, 0);
  if (mpz_popcount(q.get_mpz_t()) == 1) {
    const mp_bitcnt_t up = mpz_scan1(p.get_mpz_t(), 0);
    const mp_bitcnt_t down = mpz_scan1(q.get_mpz_t(), 0);
    if (bit_length(p) - up <= 62) {
      Integer odd;
      mpz_tdiv_q_2exp(odd.get_mpz_t(), p.get_mpz_t(), up);
      return push(odd.get_si(), static_cast<std::int32_t>(up) - static_cast<std::int32_t>(down));
    }
  }
  entries_.push_back({static_cast<std::int64_t>(wide_.size()), wide});
  wide_.push_back(value);
}

void NumberArray::push_binary64(std::uint64_t bits) {
  const std::int32_t biased = static_cast<std::int32_t>(bits >> 52 & 0x7ff);
  std::int64_t mantissa = static_cast<std::int64_t>(bits & ((1ULL << 52) - 1));
  if (biased == 0x7ff) {
    entries_.push_back({0, not_finite});
    return;
  }
  if (biased != 0) mantissa |= 1LL << 52;
  push(bits >> 63 ? -mantissa : mantissa, (biased == 0 ? 1 : biased) - 1075);
}

void NumberArray::push_binary32(std::uint32_t bits) {
  const std::int32_t biased = static_cast<std::int32_t>(bits >> 23 & 0xff);
  std::int64_t mantissa = static_cast<std::int64_t>(bits & ((1U << 23) - 1));
  if (biased == 0xff) {
    entries_.push_back({0, not_finite});
    return;
  }
  if (biased != 0) mantissa |= 1LL << 23;
  push(bits >> 31 ? -mantissa : mantissa, (biased == 0 ? 1 : biased) - 150);
}

void NumberArray::push_from(const NumberArray& other, std::size_t index) {
  if (other.entries_[index].exponent == wide) {
    push(other.exact(index));
  } else {
    entries_.push_back(other.entries_[index]);
  }
}

Rational NumberArray::exact(std::size_t index) const {
  const Entry& entry = entries_[index];
  if (entry.exponent == wide) return wide_[static_cast<std::size_t>(entry.mantissa)];
  return scale_by_power_of_two(Integer(static_cast<long>(entry.mantissa)), entry.exponent);
}

void NumberArray::append_canonical(std::size_t index, std::string& text) const {
  const Entry& entry = entries_[index];
  if (entry.exponent == wide) {
    text += canonical(wide_[static_cast<std::size_t>(entry.mantissa)]);
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

// A cursor over the characters of one number.
struct Cursor {
  std::string_view rest;
  bool take(char c) {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
  }
  template <class Predicate>
  std::string_view take_while(Predicate&& accepts) {
    std::size_t length = 0;
    while (length < rest.size() && accepts(rest[length])) ++length;
    const std::string_view taken = rest.substr(0, length);
    rest.remove_prefix(length);
    return taken;
  }
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

[[noreturn]] void not_a_number(std::string_view text) {
  malformed("not a number: \"" + std::string(text.substr(0, 60)) + (text.size() > 60 ? "…\"" : "\""));
}

// An optionally signed decimal exponent with |value| <= 2^16.
long take_exponent(Cursor& cursor, std::string_view whole) {
  const bool negative = cursor.take('-');
  if (!negative) cursor.take('+');
  std::string_view digits = cursor.take_while(is_digit);
  if (digits.empty()) not_a_number(whole);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  long value = max_exponent + 1;
  if (digits.size() <= 6) std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (value > max_exponent)
    malformed("an exponent beyond 65536 in \"" + std::string(whole.substr(0, 60)) + "\"");
  return negative ? -value : value;
}

// sign? digits [. digits] [e exponent], exactly. `strict` asks for JSON's form: no plus, no leading zeros,
// digits on both sides of a point.
Rational decimal(std::string_view text, bool strict) {
  Cursor cursor{text};
  const bool negative = cursor.take('-');
  if (!negative && !strict) cursor.take('+');
  const std::string_view whole = cursor.take_while(is_digit);
  std::string_view fraction;
  const bool point = cursor.take('.');
  if (point) fraction = cursor.take_while(is_digit);
  if (whole.empty() && fraction.empty()) not_a_number(text);
  if (strict &&
      (whole.empty() || (whole.size() > 1 && whole.front() == '0') || (point && fraction.empty()))) {
    not_a_number(text);
  }
  long exponent = 0;
  if (cursor.take('e') || cursor.take('E')) exponent = take_exponent(cursor, text);
  if (!cursor.rest.empty()) not_a_number(text);
  const Integer digits = integer_from_digits(std::string(whole) + std::string(fraction));
  exponent -= static_cast<long>(fraction.size());
  if (digits == 0) return 0;
  Integer power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(exponent < 0 ? -exponent : exponent));
  Rational value = exponent < 0 ? Rational(digits, power) : Rational(digits * power);
  value.canonicalize();
  if (negative) value = -value;
  return value;
}

Integer signed_integer(std::string_view text, std::string_view whole) {
  Cursor cursor{text};
  const bool negative = cursor.take('-');
  const std::string_view digits = cursor.take_while(is_digit);
  if (digits.empty() || !cursor.rest.empty()) not_a_number(whole);
  const Integer value = integer_from_digits(digits);
  return negative ? Integer(-value) : value;
}

// sign? 0x hex [. hex] [p exponent].
Rational hex_float(std::string_view text) {
  Cursor cursor{text};
  const bool negative = cursor.take('-');
  if (!negative) cursor.take('+');
  if (!cursor.take('0') || !(cursor.take('x') || cursor.take('X'))) not_a_number(text);
  const std::string_view whole = cursor.take_while(is_hex_digit);
  std::string_view fraction;
  if (cursor.take('.')) fraction = cursor.take_while(is_hex_digit);
  if (whole.empty() && fraction.empty()) not_a_number(text);
  long exponent = 0;
  if (cursor.take('p') || cursor.take('P')) exponent = take_exponent(cursor, text);
  if (!cursor.rest.empty()) not_a_number(text);
  if (whole.size() + fraction.size() > max_bits / 4) malformed("a number of more than 2^24 bits");
  Integer digits;
  mpz_set_str(digits.get_mpz_t(), (std::string(whole) + std::string(fraction)).c_str(), 16);
  exponent -= 4 * static_cast<long>(fraction.size());
  const Rational value = scale_by_power_of_two(digits, exponent);
  return negative ? Rational(-value) : value;
}

}  // namespace

void push_json_number(std::string_view token, NumberArray& numbers) {
  const bool plain = token.size() <= 18 && token.find_first_of(".eE") == std::string_view::npos;
  if (plain) {
    std::int64_t value = 0;
    const char* end = token.data() + token.size();
    const std::size_t sign = token.starts_with('-') ? 1 : 0;
    const bool leading_zero = token.size() > sign + 1 && token[sign] == '0';
    const auto [stop, error] = std::from_chars(token.data(), end, value);
    if (error != std::errc() || stop != end || leading_zero) not_a_number(token);
    return numbers.push(value, 0);
  }
  const Rational value = decimal(token, true);
  const Rational size = abs(value);
  if (size >= Rational(power_of_two(1024)) || (size != 0 && size < scale_by_power_of_two(1, -1074))) {
    malformed("a number beyond the range of binary64 must be written as a string: " +
              std::string(token.substr(0, 60)));
  }
  numbers.push(value);
}

void push_number_text(std::string_view text, NumberArray& numbers) {
  if (text.find_first_of("xX") != std::string_view::npos) return numbers.push(hex_float(text));
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const Integer q = signed_integer(text.substr(slash + 1), text);
    if (q <= 0) malformed("a denominator must be positive: \"" + std::string(text.substr(0, 60)) + "\"");
    Rational value(signed_integer(text.substr(0, slash), text), q);
    value.canonicalize();
    return numbers.push(value);
  }
  if (const std::size_t star = text.find("*2^"); star != std::string_view::npos) {
    Cursor cursor{text.substr(star + 3)};
    const long exponent = take_exponent(cursor, text);
    if (!cursor.rest.empty()) not_a_number(text);
    return numbers.push(scale_by_power_of_two(signed_integer(text.substr(0, star), text), exponent));
  }
  numbers.push(decimal(text, false));
}

}  // namespace attest_check
