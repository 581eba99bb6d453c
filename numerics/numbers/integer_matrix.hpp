// Matrices of integers in limbs, scaled from exact data: the form in which margins are evaluated without
// rounding.
#pragma once

#include <gmp.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// Entry (r, j) of the exact data equals scale() * X(r, j) with X an integer matrix without common factor 2,
// held as sign and magnitude with
//     |X(r, j)| * 2^padding() = sum_k plane(k)[r * columns + j] * 2^(64 k).
// The padding lifts the top bit of the largest entry to the top of the highest plane, so that a binary64
// entry not much smaller than the largest one occupies that plane alone; kernels skip planes that are zero.
class IntegerMatrix {
 public:
  IntegerMatrix() = default;
  // Scales `values` (rows x columns, row-major) exactly.
  IntegerMatrix(const ExactArray& values, std::size_t columns);

  std::size_t columns() const { return columns_; }
  std::size_t planes() const { return planes_; }
  std::size_t padding() const { return padding_; }
  // Every |X(r, j)| * 2^padding() is below 2^padded_bits(); a multiple of 64.
  std::size_t padded_bits() const { return 64 * planes_; }
  const Rational& scale() const { return scale_; }

  mp_limb_t magnitude(std::size_t row, std::size_t column, std::size_t plane) const {
    return limbs_[plane * entries_ + row * columns_ + column];
  }
  bool negative(std::size_t row, std::size_t column) const { return negative_[row * columns_ + column] != 0; }

 private:
  void store(const std::vector<Integer>& values);
  void store_binary64(const std::vector<double>& values);
  void allocate(std::size_t entries, std::size_t bits);

  std::size_t columns_ = 0;
  std::size_t entries_ = 0;
  std::size_t planes_ = 1;
  std::size_t padding_ = 0;
  Rational scale_ = 1;
  std::vector<mp_limb_t> limbs_;
  std::vector<std::uint8_t> negative_;
};

}  // namespace attest
