// A matrix of exact numbers as integers over one denominator: see scaled_matrix.hpp.
#include "proofs/checker/base/scaled_matrix.hpp"

#include <algorithm>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

ScaledMatrix::ScaledMatrix(std::shared_ptr<const NumberArray> array, std::size_t columns)
    : numbers_(std::move(array)), columns_(columns) {
  const NumberArray& numbers = *numbers_;
  const std::size_t count = numbers.size();
  // The common denominator: 2^shift times the least common multiple of the others' denominators.
  for (std::size_t k = 0; !numbers.survey().all_small && k < count; ++k) {
    if (numbers.small(k)) continue;
    denominator_ = lcm(denominator_, numbers.exact(k).get_den());
    if (bit_length(denominator_) > max_bits) too_large("the numbers have no common denominator of 2^24 bits");
  }
  denominator_ = lcm(denominator_, power_of_two(static_cast<std::size_t>(-numbers.survey().least_exponent)));
  twos_ = mpz_scan1(denominator_.get_mpz_t(), 0);
  // The width of the widest integer.
  const long denominator_bits = static_cast<long>(bit_length(denominator_));
  long bits = std::max(1L, numbers.survey().bits + denominator_bits);
  for (std::size_t k = 0; !numbers.survey().all_small && k < count; ++k) {
    if (numbers.small(k)) continue;
    const Rational value = numbers.exact(k);
    bits = std::max(bits, static_cast<long>(bit_length(value.get_num())) + denominator_bits -
                              static_cast<long>(bit_length(value.get_den())) + 2);
  }
  limbs_per_entry_ = static_cast<std::size_t>(bits) / GMP_NUMB_BITS + 1;
  if (count > max_table_limbs / limbs_per_entry_)
    too_large("the numbers, over one denominator, take too much memory");
  for (std::size_t k = 0; !numbers.survey().all_small && k < count; ++k) {
    const Rational exact = numbers.exact(k);
    stored_.push_back(exact.get_num() * (denominator_ / exact.get_den()));
  }
}

ScaledMatrix ScaledMatrix::unit_rows(std::vector<std::uint32_t> ones, std::size_t columns) {
  ScaledMatrix matrix(columns);
  matrix.unit_ = true;
  matrix.ones_ = std::move(ones);
  return matrix;
}

const Integer& ScaledMatrix::integer(std::size_t at, Integer& room) const {
  if (!stored_.empty()) return stored_[at];
  const auto [mantissa, exponent] = numbers_->parts(at);
  room = static_cast<long>(mantissa);
  mpz_mul_2exp(room.get_mpz_t(), room.get_mpz_t(), twos_ + static_cast<std::size_t>(exponent));
  return room;
}

Integer ScaledMatrix::entry(std::size_t row, std::size_t column) const {
  if (unit_) return ones_[row] == column ? 1 : 0;
  Integer room;
  return integer(row * columns_ + column, room);
}

template <class Visit>
void ScaledMatrix::for_each(std::size_t row, Visit visit) const {
  Integer room = 1;
  if (unit_) return visit(ones_[row], room);
  for (std::size_t k = 0; k < columns_; ++k) visit(k, integer(row * columns_ + k, room));
}

std::vector<Integer> ScaledMatrix::row(std::size_t row) const {
  std::vector<Integer> result(columns_);
  for_each(row, [&](std::size_t k, const Integer& x) { result[k] = x; });
  return result;
}

Integer ScaledMatrix::dot(std::size_t row, const ScaledMatrix& other, std::size_t other_row) const {
  if (other.unit_) return entry(row, other.ones_[other_row]);
  Integer sum, room;
  for_each(row, [&](std::size_t k, const Integer& x) {
    add_product(sum, x, other.integer(other_row * columns_ + k, room));
  });
  return sum;
}

Integer ScaledMatrix::dot(std::size_t row, const std::vector<Integer>& vector) const {
  Integer sum;
  for_each(row, [&](std::size_t k, const Integer& x) { add_product(sum, vector[k], x); });
  return sum;
}

void ScaledMatrix::add_multiple(const Integer& factor, std::size_t row, Integer* target) const {
  for_each(row, [&](std::size_t k, const Integer& x) { add_product(target[k], factor, x); });
}

std::vector<Integer> ScaledMatrix::difference(std::size_t a, std::size_t b) const {
  std::vector<Integer> result = row(a);
  add_multiple(-1, b, result.data());
  return result;
}

Integer ScaledMatrix::distance_squared(std::size_t a, std::size_t b) const {
  return dot(a, *this, a) - 2 * dot(a, *this, b) + dot(b, *this, b);
}

int ScaledMatrix::compare(std::size_t a, std::size_t b) const {
  if (unit_) return ones_[a] == ones_[b] ? 0 : ones_[a] < ones_[b] ? -1 : 1;
  Integer x, y;
  for (std::size_t k = 0; k < columns_; ++k) {
    const int order = cmp(integer(a * columns_ + k, x), integer(b * columns_ + k, y));
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace attest_check
