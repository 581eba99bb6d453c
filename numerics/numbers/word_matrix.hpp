// Exact data as planes of machine words, and their dot products with fixed-point vectors.
//
// An entry x is stored as x = 2^scale X 2^(-64 planes) with a signed integer X below 2^(64 planes - 2), one
// scale for the whole matrix, and as many planes of words as the finest entry needs. Binary64 data of similar
// size fill plane 0; the rare small entries spill a few bits into plane 1, which is then kept as a sparse
// list. The two halves of a word are signed, and so are the digits of 26 bits they are multiplied by: sums of
// products need no corrections. Those of four rows are made at once, up to the words that are handed out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "numerics/numbers/fixed_point.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// A fixed-point vector prepared for many dot products: an entry is sum_l digit_l 2^(26 l), its digits at most
// 2^25 + 1 in magnitude.
struct FixedOperand {
  static constexpr long digit_bits = 26;

  FixedFormat format;
  std::size_t count = 0, size = 0;   // entries, and digits of each
  std::vector<std::int32_t> digits;  // size x count

  // Refills this operand with `entries` entries: entry k is at first + k * stride words.
  void prepare(const FixedFormat& of, const Limb* first, std::size_t entries, std::size_t stride);
};

class WordMatrix {
 public:
  WordMatrix() = default;

  // rows x columns entries, fewer than 2^24 columns, row-major. At most max_planes words an entry: entries
  // that need more (non-dyadic rationals, extreme exponent spreads) are rounded down and truncation() says by
  // how much.
  WordMatrix(std::size_t rows, std::size_t columns, const std::vector<Rational>& entries,
             std::size_t max_planes);
  // The same for entries that are made when they are asked for, twice each: nothing but the words is kept.
  using Entry = std::function<Rational(std::size_t row, std::size_t column)>;
  WordMatrix(std::size_t rows, std::size_t columns, const Entry& entry, std::size_t max_planes);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  // Bound of |entry - stored entry|; 0 when every entry is stored exactly.
  double truncation() const { return truncation_; }
  // Upper bound of sum_k |entry| of a row.
  double row_sum(std::size_t row) const { return row_sum_[row]; }

  // floor(<row, a>) in ulps of a's format for `count` rows from `first` on, into r, r + stride, ... The error
  // against the exact dot product of the *entries* with a is at most 1 ulp + truncation() * sum |a_k|. False
  // when out of range.
  bool dots(Limb* r, std::size_t stride, std::size_t first, std::size_t count, const FixedOperand& a) const;

 private:
  struct Plane {
    bool dense = true;
    std::vector<Limb> words;            // dense: by four rows, their columns one after another
    std::vector<std::size_t> first;     // sparse: rows + 1
    std::vector<std::uint32_t> column;  // sparse
    std::vector<Limb> word;             // sparse
  };

  std::size_t rows_ = 0, columns_ = 0;
  long scale_ = 2;
  std::vector<Plane> planes_;
  double truncation_ = 0;
  std::vector<double> row_sum_;
};

}  // namespace attest
