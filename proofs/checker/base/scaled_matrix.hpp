// A matrix of exact numbers as integers over one common denominator. Binary floating-point numbers become
// integers when they are asked for, by a shift; others are stored as integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "proofs/checker/base/exact.hpp"
#include "proofs/checker/base/numbers.hpp"

namespace attest_check {

// The most limbs any one table of integers may take (1 GB); more is refused with exit 5 before allocation.
inline constexpr std::size_t max_table_limbs = 1UL << 27;

class ScaledMatrix {
 public:
  // The numbers, row-major with `columns` columns, exactly. All must be finite. Exit 5 when it would not fit.
  // Keeps them: those of an instance without a copy.
  ScaledMatrix(std::shared_ptr<const NumberArray> numbers, std::size_t columns);
  // Of numbers that outlive the matrix.
  ScaledMatrix(const NumberArray& numbers, std::size_t columns)
      : ScaledMatrix(std::shared_ptr<const NumberArray>(std::shared_ptr<void>(), &numbers), columns) {}
  ScaledMatrix(NumberArray&& numbers, std::size_t columns)
      : ScaledMatrix(std::make_shared<const NumberArray>(std::move(numbers)), columns) {}

  // Rows of the unit matrix, of which only their columns are kept.
  static ScaledMatrix unit_rows(std::vector<std::uint32_t> ones, std::size_t columns);

  std::size_t rows() const { return unit_ ? ones_.size() : numbers_->size() / columns_; }
  bool unit() const { return unit_; }
  std::size_t columns() const { return columns_; }
  // Entry = integer / denominator().
  const Integer& denominator() const { return denominator_; }
  std::size_t entry_bits() const { return limbs_per_entry_ * GMP_NUMB_BITS; }

  Integer entry(std::size_t row, std::size_t column) const;
  std::vector<Integer> row(std::size_t row) const;
  // Sum over columns of entry(row) * other.entry(other_row), as an integer over both denominators.
  Integer dot(std::size_t row, const ScaledMatrix& other, std::size_t other_row) const;
  // Sum over columns of entry(row, k) * vector[k].
  Integer dot(std::size_t row, const std::vector<Integer>& vector) const;
  // target[k] += factor * entry(row, k).
  void add_multiple(const Integer& factor, std::size_t row, Integer* target) const;
  // entry(a, k) - entry(b, k).
  std::vector<Integer> difference(std::size_t a, std::size_t b) const;
  // Sum of (entry(a, k) - entry(b, k))^2.
  Integer distance_squared(std::size_t a, std::size_t b) const;
  // An order of rows in which equal ones, and only they, compare as 0.
  int compare(std::size_t a, std::size_t b) const;

 private:
  explicit ScaledMatrix(std::size_t columns) : columns_(columns) {}
  // The integer of entry `at`, made in `room` where it is not stored.
  const Integer& integer(std::size_t at, Integer& room) const;
  // Calls visit(column, integer) for the row's numbers: of a unit row for its 1 alone.
  template <class Visit>
  void for_each(std::size_t row, Visit visit) const;

  std::shared_ptr<const NumberArray> numbers_;
  std::size_t columns_;
  std::size_t limbs_per_entry_ = 1;
  std::size_t twos_ = 0;
  Integer denominator_ = 1;      // 2^twos_ where nothing is stored
  std::vector<Integer> stored_;  // empty when all numbers are small dyadic ones
  bool unit_ = false;
  std::vector<std::uint32_t> ones_;  // of unit rows: where each has its 1
};

}  // namespace attest_check
