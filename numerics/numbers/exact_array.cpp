#include "numerics/numbers/exact_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace attest {

ExactArray ExactArray::from_binary64(std::vector<double> values) {
  for (double& value : values) {
    if (!std::isfinite(value)) {
      std::fputs("attest: broken invariant: non-finite entry in an exact array\n", stderr);
      std::abort();
    }
    if (value == 0) value = 0;  // drops the sign of -0
  }
  ExactArray array;
  array.binary64_ = std::move(values);
  return array;
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
    array.binary64_ = std::move(doubles);
  } else {
    array.is_binary64_ = false;
    array.rationals_ = std::move(values);
  }
  return array;
}

Rational ExactArray::exact(std::size_t index) const {
  return is_binary64_ ? Rational(binary64_[index]) : rationals_[index];
}

double ExactArray::approx(std::size_t index) const {
  if (is_binary64_) return binary64_[index];
  const double value = mpq_get_d(rationals_[index].backend().data());
  return std::clamp(value, -1.7976931348623157e308, 1.7976931348623157e308);
}

std::pair<std::size_t, std::size_t> ExactArray::bits() const {
  std::pair<std::size_t, std::size_t> most{0, 0};
  for (const double value : binary64_) {  // value = odd integer * 2^exponent
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
  for (const Rational& value : rationals_) {
    const auto* raw = value.backend().data();
    const std::size_t numerator = mpz_sgn(mpq_numref(raw)) == 0 ? 0 : mpz_sizeinbase(mpq_numref(raw), 2);
    most.first = std::max(most.first, numerator);
    most.second = std::max(most.second, mpz_sizeinbase(mpq_denref(raw), 2));
  }
  return most;
}

bool operator==(const ExactArray& a, const ExactArray& b) {
  // from_rationals is canonical and from_binary64 always stores doubles, so equal values have equal storage.
  return a.is_binary64_ == b.is_binary64_ && a.binary64_ == b.binary64_ && a.rationals_ == b.rationals_;
}

}  // namespace attest
