#include "numerics/margin/fingerprint.hpp"

#include <gmp.h>

#include <cmath>

namespace attest {
namespace {

__extension__ using Wide = unsigned __int128;

Residue reduced(std::uint64_t value) {
  value = (value & Residue::kPrime) + (value >> 61);
  return {value >= Residue::kPrime ? value - Residue::kPrime : value};
}

Residue negative(Residue a) {
  return {a.value == 0 ? 0 : Residue::kPrime - a.value};
}

// 2^61 = 1: multiplying by a power of two turns the 61 bits round.
Residue times_power_of_two(Residue a, int exponent) {
  const int turn = ((exponent % 61) + 61) % 61;
  if (turn == 0) return a;
  return reduced(((a.value << turn) & Residue::kPrime) | (a.value >> (61 - turn)));
}

Residue residue(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const Residue size = times_power_of_two(reduced(mantissa), exponent - 53);
  return value < 0 ? negative(size) : size;
}

Residue residue(mpz_srcptr value) {
  static_assert(sizeof(unsigned long) == 8);
  return {mpz_fdiv_ui(value, Residue::kPrime)};
}

Residue residue(const Rational& value) {
  const auto* raw = value.backend().data();
  return residue(mpq_numref(raw)) * inverse(residue(mpq_denref(raw)));
}

// Powers of a fixed element: polynomials of degree < columns in it are the functionals.
std::vector<Residue> powers(Residue base, std::size_t count) {
  std::vector<Residue> power;
  Residue next = base;
  for (std::size_t k = 0; k < count; ++k, next = next * base) power.push_back(next);
  return power;
}

}  // namespace

Residue operator+(Residue a, Residue b) {
  return reduced(a.value + b.value);
}

Residue operator-(Residue a, Residue b) {
  return a + negative(b);
}

Residue operator*(Residue a, Residue b) {
  const Wide product = static_cast<Wide>(a.value) * b.value;
  return reduced((static_cast<std::uint64_t>(product) & Residue::kPrime) +
                 static_cast<std::uint64_t>(product >> 61));
}

Residue residue(const ExactArray& values, std::size_t index) {
  return values.is_binary64() ? residue(values.binary64()[index]) : residue(values.exact(index));
}

// Fermat: a^(p - 2).
Residue inverse(Residue a) {
  Residue result{1};
  for (std::uint64_t exponent = Residue::kPrime - 2; exponent != 0; exponent >>= 1, a = a * a) {
    if ((exponent & 1) != 0) result = result * a;
  }
  return result;
}

std::optional<Residue> Fingerprint::direction() const {
  if (first.value == 0 && second.value == 0) return std::nullopt;
  // A second functional that vanishes on a non-zero row leaves the directions with that property in one
  // class.
  return first * inverse(second);
}

std::vector<Fingerprint> fingerprints(const ExactArray& values, std::size_t columns) {
  const std::vector<Residue> first = powers({0x1234567890abcdeU}, columns);
  const std::vector<Residue> second = powers({0x0fedcba987654321U}, columns);
  std::vector<Fingerprint> result(columns == 0 ? 0 : values.size() / columns);
  for (std::size_t r = 0; r < result.size(); ++r) {
    for (std::size_t j = 0; j < columns; ++j) {
      const Residue entry = residue(values, r * columns + j);
      if (entry.value == 0) continue;
      result[r].first = result[r].first + entry * first[j];
      result[r].second = result[r].second + entry * second[j];
    }
  }
  return result;
}

}  // namespace attest
