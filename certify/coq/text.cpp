// Numbers and lists of exported Coq files: see coq/text.hpp.
#include "certify/coq/text.hpp"

#include <algorithm>
#include <cstdio>

namespace attest {
namespace {

using attest_check::Integer;

constexpr std::size_t digit_bits = 63;
constexpr std::size_t line_length = 140;

// What coq_digits writes.
std::vector<Integer> digits_of(const Integer& x) {
  static const Integer base = Integer(1) << digit_bits, half = base / 2;
  std::vector<Integer> digits;
  for (Integer rest = x; rest != 0;) {
    const Integer shifted = rest + half;
    mpz_fdiv_q_2exp(rest.get_mpz_t(), shifted.get_mpz_t(), digit_bits);
    digits.push_back(shifted - rest * base - half);
  }
  return digits;
}

// Appends the digits, and zeros up to `width`, separated by "; ".
void append_digits(std::string& text, const std::vector<Integer>& digits, std::size_t width) {
  for (std::size_t k = 0; k < width; ++k) {
    if (k > 0) text += "; ";
    text += k < digits.size() ? digits[k].get_str() : "0";
  }
}

}  // namespace

std::string coq_digits(const Integer& x) {
  if (x == 0) return "[::]";
  std::string text = "[:: ";
  const auto digits = digits_of(x);
  append_digits(text, digits, digits.size());
  return text += "]";
}

std::string coq_number(const Integer& x) {
  return "(number_of " + coq_digits(x) + ")";
}

std::string coq_fraction(const attest_check::Rational& x) {
  return "(fraction_of " + coq_digits(x.get_num()) + " " + coq_digits(x.get_den()) + ")";
}

CoqReal coq_real(const attest_check::Rational& x) {
  const std::string whole = x.get_num().get_str();
  return {x.get_den() == 1 ? whole : whole + " / " + x.get_den().get_str(), x.get_num(), x.get_den()};
}

namespace {

// x as a decimal, rounded downwards or upwards by less than `most`.
CoqReal rounded_decimal(const attest_check::Rational& x, const attest_check::Rational& most, bool up) {
  std::size_t places = 0;
  Integer unit = 1;
  for (; most * unit < 1; ++places) unit *= 10;
  const Integer scaled = x.get_num() * unit;
  Integer whole =
      up ? attest_check::divide_ceil(scaled, x.get_den()) : attest_check::divide_floor(scaled, x.get_den());
  for (; places > 0 && whole % 10 == 0; --places) {
    whole /= 10;
    unit /= 10;
  }
  std::string digits = Integer(abs(whole)).get_str();
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, 1, '.');
  return {(whole < 0 ? "-" : "") + digits, whole, unit};
}

}  // namespace

CoqReal coq_upper(const attest_check::Rational& x) {
  return x == 0 ? coq_real(x) : rounded_decimal(x, x / 1000000000, true);
}

CoqBand coq_band(const attest_check::Rational& lo, const attest_check::Rational& hi) {
  if (lo == hi) return {coq_real(lo), coq_real(hi)};
  const attest_check::Rational most = (hi - lo) / 1000;
  return {rounded_decimal(lo, most, false), rounded_decimal(hi, most, true)};
}

void add_unselected(CoqParts& parts, const CoqBand& band, const std::string& w, const std::string& alpha) {
  parts.add("(forall i, 1 - attention " + w + " (" + alpha + " i) <= " + band.hi.text + ")");
  parts.add("(exists i, " + band.lo.text + " <= 1 - attention " + w + " (" + alpha + " i))");
}

std::string coq_about(const CoqReal& x) {
  if (x.denominator == 1) return x.text;
  char comment[32];
  std::snprintf(comment, sizeof comment, " (* about %.6g *)",
                attest_check::fraction(x.numerator, x.denominator).get_d());
  return x.text + comment;
}

std::string coq_list(std::size_t count, const std::function<std::string(std::size_t)>& item) {
  if (count == 0) return "[::]";
  std::string text = "[:: ";
  std::size_t line = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string next = item(k);
    if (k > 0) text += ';';
    if (k > 0 && line + next.size() > line_length) {
      text += "\n    ";
      line = 0;
    } else if (k > 0) {
      text += ' ';
    }
    text += next;
    line += next.size();
  }
  return text += "]";
}

std::string coq_row(const attest_check::ScaledMatrix& matrix, std::size_t row) {
  std::vector<std::vector<Integer>> digits;
  std::size_t width = 1;
  for (std::size_t k = 0; k < matrix.columns(); ++k) {
    digits.push_back(digits_of(matrix.entry(row, k)));
    width = std::max(width, digits.back().size());
  }
  const auto item = [&](std::size_t k) {
    std::string text;
    append_digits(text, digits[k], width);
    return text;
  };
  return "row_of " + std::to_string(width) + " " + coq_list(matrix.columns(), item);
}

std::string coq_rows(const attest_check::ScaledMatrix& matrix, std::size_t first, std::size_t last) {
  std::string text = "[::";
  for (std::size_t row = first; row < last; ++row) {
    text += (row > first ? ";\n  " : "\n  ") + coq_row(matrix, row);
  }
  return text += "]";
}

}  // namespace attest
