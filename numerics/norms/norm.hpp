// Norms of a margin problem other than the Euclidean one, by name (theory.md T5).
#pragma once

#include <optional>
#include <string>

#include "numerics/numbers/rational.hpp"

namespace attest {

enum class NormKind { frobenius, nuclear, one, power, maximum };

// `word` is the certificate's: "nuclear", "l1", "l3", "l7/4", "linf".
struct Norm {
  NormKind kind = NormKind::frobenius;
  std::string word = "euclidean";
  Rational exponent = 2;  // of an entrywise power norm: more than 1, numerator and denominator at most 64

  // p/(p-1).
  Rational dual_exponent() const { return exponent / (exponent - 1); }
  bool strictly_convex() const { return kind == NormKind::power; }
};

// "fro", "nuc", "l1", "linf", or "l" and a rational above 1, as a fraction or a decimal: "l7/4", "l1.75".
// "l2" is "fro". Nothing for other words.
std::optional<Norm> parse_norm(const std::string& text);

}  // namespace attest
