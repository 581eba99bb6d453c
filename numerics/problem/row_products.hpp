// Exact products of every row of a matrix with one vector, fast enough for millions of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// Products of binary64 rows with one binary64 vector, each computed when it is asked for. Any number of
// threads may ask.
class RowProducts {
 public:
  // matrix: rows x width, row-major, width >= 1. Looks at every number once.
  RowProducts(BinaryArray matrix, std::size_t width, const BinaryArray& vector);

  std::size_t rows() const { return matrix_.size() / width_; }
  const BinaryArray& matrix() const { return matrix_; }
  std::size_t width() const { return width_; }

  // Of row r, exactly.
  Rational exact(std::size_t r) const;
  // The same in doubles, and what that is off by at most; no number where a double overflows.
  std::pair<double, double> nearly(std::size_t r) const;
  // exact(r) of every row in order.
  void for_each(const std::function<void(Rational)>& visit) const;

 private:
  // value = mantissa * 2^exponent, mantissa zero or below 2^53 in magnitude.
  struct Binary64 {
    std::int64_t mantissa = 0;
    int exponent = 0;
  };
  class Sum;
  static Binary64 split(double value);
  Rational product(std::size_t r, Sum& sum) const;

  BinaryArray matrix_;
  std::size_t width_;
  std::vector<double> vector_;
  std::vector<Binary64> factor_;  // vector_, split
  int lowest_ = 0;                // of the exponents of a product of entries
  std::size_t limbs_ = 0;         // that hold every sum in units of 2^lowest_; 0: all products are 0
};

// Calls visit(sum_j matrix[r * width + j] * vector[j]) for every row r in order, exactly. matrix: rows x
// width, row-major; vector: width >= 1. Binary64 data are accumulated in fixed point, without a rational per
// term (64 terms cost about 0.5 microseconds).
void for_row_products(const ExactArray& matrix, std::size_t width, const ExactArray& vector,
                      const std::function<void(Rational)>& visit);

// result[r] = sum_j matrix[r * width + j] * vector[j], likewise.
std::vector<Rational> row_products(const ExactArray& matrix, std::size_t width, const ExactArray& vector);

}  // namespace attest
