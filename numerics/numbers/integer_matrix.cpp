#include "numerics/numbers/integer_matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// A finite non-zero double as odd * 2^exponent, |odd| < 2^53.
struct OddDyadic {
  std::uint64_t odd;
  int exponent;
};

OddDyadic odd_dyadic(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int zeros = std::countr_zero(mantissa);
  return {mantissa >> zeros, exponent - 53 + zeros};
}

}  // namespace

IntegerMatrix::IntegerMatrix(const ExactArray& values, std::size_t columns) : columns_(columns) {
  if (values.is_binary64()) {
    refer_to(values.binary64());
    return;
  }
  Integer denominator = 1;
  for (std::size_t k = 0; k < values.size(); ++k) {
    denominator = lcm(denominator, Integer(boost::multiprecision::denominator(values.exact(k))));
  }
  std::vector<Integer> integers(values.size());
  Integer content = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Rational value = values.exact(k);
    integers[k] =
        boost::multiprecision::numerator(value) * (denominator / boost::multiprecision::denominator(value));
    content = gcd(content, integers[k]);
  }
  if (content == 0) content = 1;
  for (Integer& value : integers) value /= content;
  scale_ = Rational(content, denominator);
  store(integers);
}

void IntegerMatrix::set_width(std::size_t bits) {
  planes_ = std::max<std::size_t>(1, (bits + 63) / 64);
  padding_ = 64 * planes_ - std::max<std::size_t>(1, bits);
}

void IntegerMatrix::store(const std::vector<Integer>& values) {
  std::size_t bits = 1;
  for (const Integer& value : values) {
    if (value != 0) bits = std::max(bits, mpz_sizeinbase(value.backend().data(), 2));
  }
  set_width(bits);
  entries_ = values.size();
  limbs_.assign(entries_ * planes_, 0);
  negative_.assign(entries_, 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] == 0) continue;
    negative_[k] = values[k] < 0;
    const Integer padded = abs(values[k]) << static_cast<unsigned long>(padding_);
    for (std::size_t plane = 0; plane < planes_; ++plane) {
      limbs_[plane * entries_ + k] = mpz_getlimbn(padded.backend().data(), static_cast<mp_size_t>(plane));
    }
  }
}

void IntegerMatrix::refer_to(const BinaryArray& values) {
  int lowest = std::numeric_limits<int>::max();
  int highest = std::numeric_limits<int>::min();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] == 0) continue;
    const OddDyadic dyadic = odd_dyadic(values[k]);
    lowest = std::min(lowest, dyadic.exponent);
    highest = std::max(highest, dyadic.exponent + static_cast<int>(std::bit_width(dyadic.odd)));
  }
  if (lowest > highest) lowest = highest = 0;  // all entries are zero
  set_width(static_cast<std::size_t>(highest - lowest));
  scale_ = power_of_two(lowest);
  first_shift_ = static_cast<int>(padding_) - lowest;
  binary_ = values;
}

}  // namespace attest
