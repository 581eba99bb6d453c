#include "numerics/norms/norm.hpp"

#include <algorithm>

namespace attest {
namespace {

// Digits with at most one point or one slash between digits, eight characters at most.
std::optional<Rational> short_number(const std::string& text) {
  const std::size_t mark = text.find_first_of("./");
  const std::string whole = text.substr(0, mark);
  const std::string rest = mark == std::string::npos ? "" : text.substr(mark + 1);
  const auto digits = [](const std::string& part) {
    return !part.empty() && part.size() <= 8 &&
           std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!digits(whole) || (mark != std::string::npos && !digits(rest))) return std::nullopt;
  Rational value(std::stol(whole));
  if (mark == std::string::npos) return value;
  long unit = 1;
  if (text[mark] == '/') {
    unit = std::stol(rest);
    return unit == 0 ? std::nullopt : std::optional<Rational>(value / unit);
  }
  for (std::size_t k = 0; k < rest.size(); ++k) unit *= 10;
  return value + Rational(std::stol(rest), unit);
}

}  // namespace

std::optional<Norm> parse_norm(const std::string& text) {
  if (text == "fro" || text == "euclidean") return Norm{};
  if (text == "nuc" || text == "nuclear") return Norm{NormKind::nuclear, "nuclear", 1};
  if (text == "l1") return Norm{NormKind::one, text, 1};
  if (text == "linf") return Norm{NormKind::maximum, text, 1};
  if (text.empty() || text.front() != 'l') return std::nullopt;
  const std::optional<Rational> exponent = short_number(text.substr(1));
  if (!exponent || *exponent <= 1 || numerator(*exponent) > 64 || denominator(*exponent) > 64)
    return std::nullopt;
  if (*exponent == 2) return Norm{};
  return Norm{NormKind::power, "l" + exponent->str(), *exponent};
}

}  // namespace attest
