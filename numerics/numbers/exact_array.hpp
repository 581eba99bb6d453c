// A list of exact numbers, stored in the precision of a binary floating-point format while it can hold every
// entry.
//
// Datasets are nearly always binary32 or binary64 arrays, and every finite number of these is an exact dyadic
// rational; it costs 4 or 8 bytes there instead of about 80. Decimal or fractional input falls back to
// rationals. Copies share what is stored.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "numerics/numbers/binary_array.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

class ExactArray {
 public:
  ExactArray() = default;

  // Every entry must be finite (checked; aborts otherwise: readers reject non-finite input first).
  static ExactArray from_binary(BinaryArray values);
  static ExactArray from_binary64(std::vector<double> values);

  // Stored as doubles when every value is a finite binary64 number exactly.
  static ExactArray from_rationals(std::vector<Rational> values);

  std::size_t size() const { return rationals_ ? rationals_->size() : binary_.size(); }
  bool empty() const { return size() == 0; }

  // True when binary64() holds every entry exactly.
  bool is_binary64() const { return !rationals_; }
  // The entries as doubles, though they may be stored as binary32 numbers. No entry is a negative zero.
  const BinaryArray& binary64() const { return binary_; }

  // The exact value of entry `index`.
  Rational exact(std::size_t index) const;

  // A double near the entry (exact when is_binary64(); otherwise within one part in 2^52, saturating): a
  // guess.
  double approx(std::size_t index) const;

  // The entries [begin, end) of each range, one after the other, stored as these are.
  ExactArray ranges(std::span<const std::pair<std::size_t, std::size_t>> ranges) const;

  // Largest bit length of numerator and of denominator over all entries: {numerator, denominator}.
  std::pair<std::size_t, std::size_t> bits() const;

  friend bool operator==(const ExactArray& a, const ExactArray& b);

 private:
  BinaryArray binary_;
  std::shared_ptr<const std::vector<Rational>> rationals_;  // null unless some entry is no binary64 number
};

}  // namespace attest
