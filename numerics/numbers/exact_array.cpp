#include "numerics/numbers/exact_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace attest {

ExactArray ExactArray::from_binary(BinaryArray values) {
  PassedNumbers passed(values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    passed.before(k);
    if (!std::isfinite(values[k])) {
      std::fputs("attest: broken invariant: non-finite entry in an exact array\n", stderr);
      std::abort();
    }
  }
  ExactArray array;
  array.binary_ = std::move(values);
  return array;
}

ExactArray ExactArray::from_binary64(std::vector<double> values) {
  return from_binary(BinaryArray::of(std::move(values)));
}

ExactArray ExactArray::from_rationals(std::vector<Rational> values) {
  std::vector<double> doubles;
  doubles.reserve(values.size());
  for (const Rational& value : values) {
    const double nearest = mpq_get_d(value.backend().data());
    if (!std::isfinite(nearest) || Rational(nearest) != value) break;
    doubles.push_back(nearest);
  }
  ExactArray array;
  if (doubles.size() == values.size()) {
    array.binary_ = BinaryArray::of(std::move(doubles));
  } else {
    array.rationals_ = std::make_shared<const std::vector<Rational>>(std::move(values));
  }
  return array;
}

Rational ExactArray::exact(std::size_t index) const {
  return rationals_ ? (*rationals_)[index] : Rational(binary_[index]);
}

double ExactArray::approx(std::size_t index) const {
  if (!rationals_) return binary_[index];
  const double value = mpq_get_d((*rationals_)[index].backend().data());
  return std::clamp(value, -1.7976931348623157e308, 1.7976931348623157e308);
}

ExactArray ExactArray::ranges(std::span<const std::pair<std::size_t, std::size_t>> ranges) const {
  ExactArray array;
  if (!rationals_) {
    array.binary_ = binary_.ranges(ranges);
    return array;
  }
  std::vector<Rational> values;
  for (const auto& [begin, end] : ranges)
    values.insert(values.end(), rationals_->begin() + static_cast<std::ptrdiff_t>(begin),
                  rationals_->begin() + static_cast<std::ptrdiff_t>(end));
  return from_rationals(std::move(values));
}

std::pair<std::size_t, std::size_t> ExactArray::bits() const {
  std::pair<std::size_t, std::size_t> most{0, 0};
  for (std::size_t k = 0; k < binary_.size(); ++k) {  // value = odd integer * 2^exponent
    const double value = binary_[k];
    if (value == 0) {
      most.second = std::max<std::size_t>(most.second, 1);
      continue;
    }
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::fabs(std::frexp(value, &exponent)), 53));
    const int zeros = std::countr_zero(static_cast<std::uint64_t>(mantissa));
    exponent += zeros - 53;
    const auto width = static_cast<std::size_t>(53 - zeros);
    most.first = std::max(most.first, width + static_cast<std::size_t>(std::max(exponent, 0)));
    most.second = std::max(most.second, 1 + static_cast<std::size_t>(std::max(-exponent, 0)));
  }
  for (std::size_t k = 0; rationals_ && k < rationals_->size(); ++k) {
    const Rational& value = (*rationals_)[k];
    const auto* raw = value.backend().data();
    const std::size_t numerator = mpz_sgn(mpq_numref(raw)) == 0 ? 0 : mpz_sizeinbase(mpq_numref(raw), 2);
    most.first = std::max(most.first, numerator);
    most.second = std::max(most.second, mpz_sizeinbase(mpq_denref(raw), 2));
  }
  return most;
}

bool operator==(const ExactArray& a, const ExactArray& b) {
  // Rationals are stored only where some entry is no binary64 number.
  if (a.rationals_ && b.rationals_) return *a.rationals_ == *b.rationals_;
  return !a.rationals_ && !b.rationals_ && a.binary_ == b.binary_;
}

}  // namespace attest
