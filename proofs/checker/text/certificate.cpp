// Reading the certificate text: see text/certificate.hpp.
#include "proofs/checker/text/certificate.hpp"

#include <algorithm>
#include <charconv>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {
namespace {

constexpr std::size_t max_line = 1UL << 26;

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void Line::bad(const std::string& why) const {
  malformed("line " + std::to_string(number_) + ": " + why);
}

std::string_view Line::peek() const {
  if (at_end()) return {};
  const std::string_view rest = std::string_view(text_).substr(at_);
  return rest.substr(0, rest.find(' '));
}

std::string_view Line::take() {
  if (at_end()) bad("the line ends too early");
  const std::string_view token = peek();
  if (token.empty()) bad("tokens must be separated by single spaces");
  at_ += token.size() + 1;
  return token;
}

std::string Line::word() {
  return std::string(take());
}

void Line::expect(std::string_view word) {
  if (!accept(word))
    bad("expected \"" + std::string(word) + "\" instead of \"" + std::string(peek().substr(0, 60)) + "\"");
}

bool Line::accept(std::string_view word) {
  if (at_end() || peek() != word) return false;
  take();
  return true;
}

std::size_t Line::index() {
  const std::string_view token = take();
  if (!all_digits(token) || token.size() > 18 || (token.size() > 1 && token.front() == '0'))
    bad("expected an index");
  std::size_t value = 0;
  std::from_chars(token.data(), token.data() + token.size(), value);
  return value;
}

Integer Line::parse_integer(std::string_view token) const {
  const bool negative = token.starts_with('-');
  const std::string_view digits = token.substr(negative ? 1 : 0);
  if (!all_digits(digits) || (digits.front() == '0' && token.size() > 1)) bad("expected an integer");
  const Integer value = integer_from_digits(digits);
  return negative ? Integer(-value) : value;
}

Integer Line::integer() {
  return parse_integer(take());
}

Rational Line::rational() {
  const std::string_view token = take();
  if (const std::size_t star = token.find("*2^"); star != std::string_view::npos) {
    const Integer mantissa = parse_integer(token.substr(0, star));
    const std::string_view tail = token.substr(star + 3);
    if (tail.size() > 6) bad("an exponent beyond 65536");
    const long exponent = parse_integer(tail).get_si();
    if (exponent == 0 || exponent > max_exponent || exponent < -max_exponent)
      bad("an exponent of 0 or beyond 65536");
    if (mpz_odd_p(mantissa.get_mpz_t()) == 0) bad("the mantissa of m*2^e must be odd");
    return scale_by_power_of_two(mantissa, exponent);
  }
  if (const std::size_t slash = token.find('/'); slash != std::string_view::npos) {
    const Integer p = parse_integer(token.substr(0, slash)), q = parse_integer(token.substr(slash + 1));
    if (q < 2 || gcd(p, q) != 1) bad("a fraction must be in lowest terms with a denominator of at least 2");
    return {p, q};
  }
  return parse_integer(token);
}

Integer Line::denominator() {
  const std::string_view token = take();
  const bool power = token.starts_with("2^");
  if (power && token.size() > 7) bad("an exponent beyond 65536");
  const Integer value = parse_integer(power ? token.substr(2) : token);
  if (power && (value < 0 || value > max_exponent)) bad("an exponent beyond 65536");
  if (!power && value <= 0) bad("a denominator must be positive");
  return power ? power_of_two(value.get_ui()) : value;
}

EigenvalueBound Line::eigenvalue_bound() {
  EigenvalueBound result;
  expect("lambda-min");
  result.bound = rational();
  expect("bits");
  const std::size_t bits = index();
  if (bits < 29 || bits > 4096) bad("bits must be from 29 to 4096");
  result.bits = static_cast<unsigned>(bits);
  return result;
}

void Line::finish() const {
  if (!at_end()) bad("unexpected \"" + std::string(peek().substr(0, 60)) + "\"");
}

Line CertificateText::next() {
  std::string line;
  for (;;) {
    const std::size_t end = piece_.find('\n', at_);
    line.append(piece_, at_, end == std::string::npos ? std::string::npos : end - at_);
    if (line.size() > max_line) malformed("line " + std::to_string(lines_ + 1) + ": longer than 2^26 bytes");
    if (end != std::string::npos) {
      at_ = end + 1;
      break;
    }
    piece_ = source_.next();
    at_ = 0;
    if (piece_.empty()) {
      malformed(path_ + ": line " + std::to_string(lines_ + 1) + ": the certificate ends " +
                (line.empty() ? "without its end line" : "inside a line"));
    }
  }
  const bool printable = std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
  Line result(std::move(line), ++lines_);
  if (!printable) result.bad("a byte that is not printable ASCII");
  if (result.peek().empty()) result.bad("an empty line or a leading space");
  return result;
}

void CertificateText::finish() {
  if (at_ < piece_.size() || !source_.next().empty()) malformed(path_ + ": text after the end line");
}

Constraint read_constraint(Line& line, const Problem& problem) {
  Constraint c;
  c.group = line.index();
  c.token = line.index();
  if (!problem.is_constraint(c))
    line.bad(show(c) + " is not a constraint of problem " + std::to_string(problem.number));
  return c;
}

ConstraintVector CertificateText::vector(Line& first, const Problem& problem, std::string_view name) {
  ConstraintVector vector;
  first.expect("vector");
  first.expect(name);
  const std::size_t count = first.index();
  if (count > problem.constraint_count()) first.bad("more entries than the problem has constraints");
  first.expect("over");
  vector.denominator = first.denominator();
  first.finish();
  for (std::size_t k = 0; k < count; ++k) {
    Line line = next();
    const Constraint c = read_constraint(line, problem);
    if (!vector.at.empty() && c <= vector.at.back()) line.bad("constraints must strictly increase");
    vector.at.push_back(c);
    vector.numerator.push_back(line.integer());
    if (vector.numerator.back() == 0) line.bad("a numerator is zero");
    line.finish();
  }
  return vector;
}

std::vector<Constraint> CertificateText::constraints(const Problem& problem, std::size_t count) {
  if (count > problem.constraint_count()) {
    malformed("line " + std::to_string(lines_) + ": more constraints than the problem has");
  }
  std::vector<Constraint> list;
  for (std::size_t k = 0; k < count; ++k) {
    Line line = next();
    const Constraint c = read_constraint(line, problem);
    if (!list.empty() && c <= list.back()) line.bad("constraints must strictly increase");
    list.push_back(c);
    line.finish();
  }
  return list;
}

}  // namespace attest_check
