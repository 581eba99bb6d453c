// Matrices of integers in limbs, scaled from exact data: the form in which margins are evaluated without
// rounding.
#pragma once

#include <gmp.h>

#include <bit>
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
// Binary data are not held a second time: their planes are shifts of the numbers as they lie.
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
    const std::size_t entry = row * columns_ + column;
    return limbs_.empty() ? shifted(binary_[entry], plane) : limbs_[plane * entries_ + entry];
  }
  bool negative(std::size_t row, std::size_t column) const {
    const std::size_t entry = row * columns_ + column;
    return limbs_.empty() ? binary_[entry] < 0 : negative_[entry] != 0;
  }

 private:
  void store(const std::vector<Integer>& values);
  void refer_to(const BinaryArray& values);
  void set_width(std::size_t bits);

  // Bits [64 plane, 64 plane + 64) of |value| * 2^(padding() - lowest exponent), which is an integer.
  mp_limb_t shifted(double value, std::size_t plane) const {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto biased = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const std::uint64_t mantissa = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const int shift = (biased == 0 ? 1 : biased) - 1075 + first_shift_ - 64 * static_cast<int>(plane);
    if (shift <= -64 || shift >= 64) return 0;
    return shift >= 0 ? mantissa << shift : mantissa >> -shift;
  }

  std::size_t columns_ = 0;
  std::size_t entries_ = 0;
  std::size_t planes_ = 1;
  std::size_t padding_ = 0;
  Rational scale_ = 1;
  BinaryArray binary_;   // the data, unless they are rationals
  int first_shift_ = 0;  // padding() - lowest exponent
  std::vector<mp_limb_t> limbs_;
  std::vector<std::uint8_t> negative_;
};

}  // namespace attest
