// A list of exact numbers, stored as doubles while every entry is a binary64 number.
//
// Datasets are nearly always binary64 arrays, and every finite binary64 number is an exact dyadic rational;
// keeping them as doubles costs 8 bytes an entry instead of about 80. Decimal or fractional input falls back
// to rationals.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "numerics/numbers/rational.hpp"

namespace attest {

class ExactArray {
 public:
  ExactArray() = default;

  // Every entry must be finite (checked; aborts otherwise: readers reject non-finite input first). -0 becomes
  // 0.
  static ExactArray from_binary64(std::vector<double> values);

  // Stored as doubles when every value is a finite binary64 number exactly.
  static ExactArray from_rationals(std::vector<Rational> values);

  std::size_t size() const { return is_binary64_ ? binary64_.size() : rationals_.size(); }
  bool empty() const { return size() == 0; }

  // True when binary64() holds every entry exactly.
  bool is_binary64() const { return is_binary64_; }
  const std::vector<double>& binary64() const { return binary64_; }

  // The exact value of entry `index`.
  Rational exact(std::size_t index) const;

  // A double near the entry (exact when is_binary64(); otherwise within one part in 2^52, saturating): a
  // guess.
  double approx(std::size_t index) const;

  // Largest bit length of numerator and of denominator over all entries: {numerator, denominator}.
  std::pair<std::size_t, std::size_t> bits() const;

  friend bool operator==(const ExactArray& a, const ExactArray& b);

 private:
  bool is_binary64_ = true;
  std::vector<double> binary64_;
  std::vector<Rational> rationals_;
};

}  // namespace attest
