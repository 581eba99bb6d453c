// A matrix of exact numbers as integers over one common denominator, in contiguous limbs: GMP reads the
// entries in place, so a matrix costs a few words per entry and no allocation each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proofs/checker/base/exact.hpp"
#include "proofs/checker/base/numbers.hpp"

namespace attest_check {

// The most limbs any one table of integers may take (1 GB); more is refused with exit 5 before allocation.
inline constexpr std::size_t max_table_limbs = 1UL << 27;

class ScaledMatrix {
 public:
  // The numbers, row-major with `columns` columns, exactly. All must be finite. Exit 5 when it would not fit.
  ScaledMatrix(const NumberArray& numbers, std::size_t columns);

  // Rows of the unit matrix, of which only their columns are kept.
  static ScaledMatrix unit_rows(std::vector<std::uint32_t> ones, std::size_t columns);

  std::size_t rows() const { return unit_ ? ones_.size() : sizes_.size() / columns_; }
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
  // An order of rows in which equal ones, and only they, compare as 0.
  int compare(std::size_t a, std::size_t b) const;

 private:
  explicit ScaledMatrix(std::size_t columns) : columns_(columns) {}
  // A read-only view of an entry for GMP.
  class View {
   public:
    View(const ScaledMatrix& matrix, std::size_t at) {
      mpz_roinit_n(value_, matrix.limbs_.data() + at * matrix.limbs_per_entry_, matrix.sizes_[at]);
    }
    operator mpz_srcptr() const { return value_; }

   private:
    mpz_t value_;
  };
  void store(std::size_t at, const Integer& value);

  std::size_t columns_;
  std::size_t limbs_per_entry_ = 1;
  Integer denominator_ = 1;
  std::vector<mp_limb_t> limbs_;
  std::vector<std::int32_t> sizes_;  // signed limb counts, as in mpz_t
  bool unit_ = false;
  std::vector<std::uint32_t> ones_;  // of unit rows: where each has its 1
};

}  // namespace attest_check
