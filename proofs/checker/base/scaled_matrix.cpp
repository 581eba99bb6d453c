// A matrix of exact numbers as integers over one denominator: see scaled_matrix.hpp.
#include "proofs/checker/base/scaled_matrix.hpp"

#include <algorithm>
#include <bit>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

ScaledMatrix::ScaledMatrix(const NumberArray& numbers, std::size_t columns) : columns_(columns) {
  const std::size_t count = numbers.size();
  // Pass 1: the common denominator, 2^shift times the least common multiple of the wide entries'
  // denominators.
  std::int32_t lowest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (numbers.small(k)) {
      lowest = std::min(lowest, numbers.exponent(k));
    } else {
      const Integer q = numbers.exact(k).get_den();
      denominator_ = lcm(denominator_, q);
      if (bit_length(denominator_) > max_bits)
        too_large("the numbers have no common denominator of 2^24 bits");
    }
  }
  denominator_ = lcm(denominator_, power_of_two(static_cast<std::size_t>(-lowest)));
  const std::size_t twos = mpz_scan1(denominator_.get_mpz_t(), 0);
  const Integer odd = shift_floor(denominator_, twos);
  // Pass 2: the width of the widest integer.
  std::size_t bits = 1;
  for (std::size_t k = 0; k < count; ++k) {
    if (numbers.small(k)) {
      const std::uint64_t magnitude = static_cast<std::uint64_t>(std::abs(numbers.mantissa(k)));
      if (magnitude == 0) continue;
      const std::size_t up = static_cast<std::size_t>(numbers.exponent(k) + static_cast<long>(twos));
      bits = std::max(bits, static_cast<std::size_t>(std::bit_width(magnitude)) + up + bit_length(odd));
    } else {
      const Rational value = numbers.exact(k);
      bits = std::max(
          bits, bit_length(value.get_num()) + bit_length(denominator_) - bit_length(value.get_den()) + 2);
    }
  }
  limbs_per_entry_ = bits / GMP_NUMB_BITS + 1;
  if (count > max_table_limbs / limbs_per_entry_)
    too_large("the numbers, over one denominator, take too much memory");
  limbs_.assign(count * limbs_per_entry_, 0);
  sizes_.assign(count, 0);
  Integer value;
  for (std::size_t k = 0; k < count; ++k) {
    if (numbers.small(k)) {
      value = static_cast<long>(numbers.mantissa(k));
      mpz_mul_2exp(value.get_mpz_t(), value.get_mpz_t(),
                   value == 0 ? 0 : static_cast<mp_bitcnt_t>(numbers.exponent(k) + static_cast<long>(twos)));
      if (odd != 1) value *= odd;
    } else {
      const Rational exact = numbers.exact(k);
      value = exact.get_num() * (denominator_ / exact.get_den());
    }
    store(k, value);
  }
}

ScaledMatrix ScaledMatrix::unit_rows(std::vector<std::uint32_t> ones, std::size_t columns) {
  ScaledMatrix matrix(columns);
  matrix.unit_ = true;
  matrix.ones_ = std::move(ones);
  return matrix;
}

void ScaledMatrix::store(std::size_t at, const Integer& value) {
  const std::size_t size = mpz_size(value.get_mpz_t());
  std::copy_n(mpz_limbs_read(value.get_mpz_t()), size,
              limbs_.begin() + static_cast<std::ptrdiff_t>(at * limbs_per_entry_));
  sizes_[at] = static_cast<std::int32_t>(size) * sgn(value);
}

Integer ScaledMatrix::entry(std::size_t row, std::size_t column) const {
  if (unit_) return ones_[row] == column ? 1 : 0;
  return Integer(View(*this, row * columns_ + column));
}

std::vector<Integer> ScaledMatrix::row(std::size_t row) const {
  std::vector<Integer> result;
  for (std::size_t k = 0; k < columns_; ++k) result.push_back(entry(row, k));
  return result;
}

Integer ScaledMatrix::dot(std::size_t row, const ScaledMatrix& other, std::size_t other_row) const {
  if (unit_) return other.entry(other_row, ones_[row]);
  if (other.unit_) return entry(row, other.ones_[other_row]);
  Integer sum;
  for (std::size_t k = 0; k < columns_; ++k) {
    mpz_addmul(sum.get_mpz_t(), View(*this, row * columns_ + k), View(other, other_row * columns_ + k));
  }
  return sum;
}

Integer ScaledMatrix::dot(std::size_t row, const std::vector<Integer>& vector) const {
  if (unit_) return vector[ones_[row]];
  Integer sum;
  for (std::size_t k = 0; k < columns_; ++k) {
    mpz_addmul(sum.get_mpz_t(), vector[k].get_mpz_t(), View(*this, row * columns_ + k));
  }
  return sum;
}

void ScaledMatrix::add_multiple(const Integer& factor, std::size_t row, Integer* target) const {
  if (unit_) {
    target[ones_[row]] += factor;
    return;
  }
  for (std::size_t k = 0; k < columns_; ++k) {
    mpz_addmul(target[k].get_mpz_t(), factor.get_mpz_t(), View(*this, row * columns_ + k));
  }
}

std::vector<Integer> ScaledMatrix::difference(std::size_t a, std::size_t b) const {
  std::vector<Integer> result(columns_);
  if (unit_) {
    ++result[ones_[a]];
    --result[ones_[b]];
    return result;
  }
  for (std::size_t k = 0; k < columns_; ++k) {
    mpz_sub(result[k].get_mpz_t(), View(*this, a * columns_ + k), View(*this, b * columns_ + k));
  }
  return result;
}

int ScaledMatrix::compare(std::size_t a, std::size_t b) const {
  if (unit_) return ones_[a] == ones_[b] ? 0 : ones_[a] < ones_[b] ? -1 : 1;
  for (std::size_t k = 0; k < columns_; ++k) {
    const int order = mpz_cmp(View(*this, a * columns_ + k), View(*this, b * columns_ + k));
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace attest_check
