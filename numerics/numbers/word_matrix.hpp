// Exact data as planes of machine words, and their dot products with fixed-point vectors.
//
// An entry x is stored as x = 2^scale (w_0 2^-64 + w_1 2^-128 + ... - 1/2) with 64-bit words w_k: one scale
// for the whole matrix, as many planes as the finest entry needs. Binary64 data of similar size fill plane 0;
// the rare small entries spill a few bits into plane 1, which is then kept as a sparse list. The offset 1/2
// makes every word non-negative, so that products need no sign corrections. Words are multiplied in halves,
// by digits of 50 bits in halves, those of four rows at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "numerics/numbers/fixed_point.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// A fixed-point vector prepared for many dot products: the words of each entry with their sign bit flipped
// (so that they are unsigned), the same as digits of radix 2^50, and the exact sum of the entries.
struct FixedOperand {
  static constexpr long digit_bits = 50, half_bits = digit_bits / 2;

  FixedFormat format;
  std::size_t count = 0, digits = 0;
  std::vector<Limb> words;   // count x format.limbs
  std::vector<Limb> halves;  // digits x count x 2, the low half first
  std::vector<Limb> sum;     // format.limbs + 1 words, two's complement

  // Refills this operand with `size` entries: entry k is at first + k * stride words.
  void prepare(const FixedFormat& of, const Limb* first, std::size_t size, std::size_t stride);
};

__extension__ typedef unsigned __int128 WideWord;

class WordMatrix {
 public:
  WordMatrix() = default;

  // rows x columns entries, row-major. At most max_planes words an entry: entries that need more (non-dyadic
  // rationals, extreme exponent spreads) are rounded down and truncation() says by how much.
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
    std::vector<WideWord> sum;          // of each row's words
  };
  // The dot product of a row from those with the dense planes' words, which are used up, and what their
  // offset adds to plane 0's.
  bool finish(Limb* r, std::size_t row, const FixedOperand& a, const Limb* offset, Limb* products) const;

  std::size_t rows_ = 0, columns_ = 0;
  long scale_ = 1;
  std::vector<Plane> planes_;
  double truncation_ = 0;
  std::vector<double> row_sum_;
};

}  // namespace attest
