// Fingerprints of exact rows modulo a prime: parallel rows have equal directions, linear in the row, a few
// operations an entry. A filter: what they propose is to be checked exactly, what they miss is of probability
// 2^-60.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/numbers/exact_array.hpp"

namespace attest {

// Arithmetic modulo the prime 2^61 - 1, values below it.
struct Residue {
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
  std::uint64_t value = 0;

  friend bool operator==(const Residue&, const Residue&) = default;
  friend auto operator<=>(const Residue&, const Residue&) = default;  // NOLINT: compares with 0
};

Residue operator+(Residue a, Residue b);
Residue operator-(Residue a, Residue b);
Residue operator*(Residue a, Residue b);
Residue inverse(Residue a);  // 0 of 0

// Entry `index` modulo the prime; of denominators that it divides nothing is promised.
Residue residue(const ExactArray& values, std::size_t index);

// Two independent linear functionals of a row.
struct Fingerprint {
  Residue first, second;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  friend Fingerprint operator-(const Fingerprint& a, const Fingerprint& b) {
    return {a.first - b.first, a.second - b.second};
  }
  // The same for r and k r, k != 0; nothing for a row that is probably zero.
  std::optional<Residue> direction() const;
};

// Of each row of a row-major array with `columns` columns; exact values modulo the prime.
std::vector<Fingerprint> fingerprints(const ExactArray& values, std::size_t columns);

}  // namespace attest
