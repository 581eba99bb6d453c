// Exact row products; see row_products.hpp.
#include "numerics/problem/row_products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace attest {
namespace {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

}  // namespace

// A signed fixed-point sum in two's complement, least significant limb first.
class RowProducts::Sum {
 public:
  explicit Sum(std::size_t limbs) : limbs_(limbs, 0) {}

  void clear() { std::fill(limbs_.begin(), limbs_.end(), 0); }

  // Adds product * 2^shift. The caller guarantees that the sum fits.
  void add(Int128 product, unsigned shift) {
    std::size_t at = shift / 64;
    const unsigned within = shift % 64;
    const auto bits = static_cast<UInt128>(product);
    const auto low = static_cast<std::uint64_t>(bits), high = static_cast<std::uint64_t>(bits >> 64);
    const std::uint64_t sign = product < 0 ? ~std::uint64_t{0} : 0;
    std::uint64_t word[3] = {low, high, sign};
    if (within != 0) {
      word[2] = sign << within | high >> (64 - within);
      word[1] = high << within | low >> (64 - within);
      word[0] = low << within;
    }
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < 3 && at < limbs_.size(); ++k, ++at) carry = add_limb(at, word[k], carry);
    for (; at < limbs_.size(); ++at) {
      if (sign + carry == 0) break;  // nothing left to add: 0 + 0, or all ones plus a carry
      carry = add_limb(at, sign, carry);
    }
  }

  // The sum times 2^exponent.
  Rational value(long exponent) {
    const bool negative = limbs_.back() >> 63 != 0;
    if (negative) {
      std::uint64_t carry = 1;
      for (std::uint64_t& limb : limbs_) {
        limb = ~limb + carry;
        carry = carry != 0 && limb == 0 ? 1 : 0;
      }
    }
    Rational result;
    auto* raw = result.backend().data();
    mpz_import(mpq_numref(raw), limbs_.size(), -1, sizeof(std::uint64_t), 0, 0, limbs_.data());
    if (negative) mpz_neg(mpq_numref(raw), mpq_numref(raw));
    if (exponent >= 0) {
      mpq_mul_2exp(raw, raw, static_cast<unsigned long>(exponent));
    } else {
      mpq_div_2exp(raw, raw, static_cast<unsigned long>(-exponent));
    }
    return result;
  }

 private:
  std::uint64_t add_limb(std::size_t at, std::uint64_t word, std::uint64_t carry) {
    const UInt128 sum = static_cast<UInt128>(limbs_[at]) + word + carry;
    limbs_[at] = static_cast<std::uint64_t>(sum);
    return static_cast<std::uint64_t>(sum >> 64);
  }

  std::vector<std::uint64_t> limbs_;
};

RowProducts::Binary64 RowProducts::split(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<int>(bits >> 52 & 0x7ff);
  auto mantissa = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << 52) - 1));
  if (biased != 0) mantissa |= std::int64_t{1} << 52;
  return {value < 0 ? -mantissa : mantissa, (biased == 0 ? 1 : biased) - 1075};
}

RowProducts::RowProducts(BinaryArray matrix, std::size_t width, const BinaryArray& vector)
    : matrix_(std::move(matrix)), width_(width), vector_(vector.doubles()) {
  int lowest_x = 1024, highest_x = -1075, lowest_v = 1024, highest_v = -1075;
  PassedNumbers passed(matrix_);
  for (std::size_t k = 0; k < matrix_.size(); ++k) {
    passed.before(k);
    if (matrix_[k] == 0) continue;
    const int exponent = split(matrix_[k]).exponent;
    lowest_x = std::min(lowest_x, exponent);
    highest_x = std::max(highest_x, exponent);
  }
  for (const double entry : vector_) {
    factor_.push_back(split(entry));
    if (entry == 0) continue;
    lowest_v = std::min(lowest_v, factor_.back().exponent);
    highest_v = std::max(highest_v, factor_.back().exponent);
  }
  if (highest_x < lowest_x || highest_v < lowest_v) return;
  lowest_ = lowest_x + lowest_v;
  const auto spread = static_cast<std::size_t>(highest_x + highest_v - lowest_);
  limbs_ = (spread + 106 + static_cast<std::size_t>(std::bit_width(width)) + 1) / 64 + 1;
}

Rational RowProducts::product(std::size_t r, Sum& sum) const {
  sum.clear();
  for (std::size_t j = 0; j < width_; ++j) {
    const Binary64 x = split(matrix_[r * width_ + j]);
    if (x.mantissa == 0 || factor_[j].mantissa == 0) continue;
    sum.add(static_cast<Int128>(x.mantissa) * factor_[j].mantissa,
            static_cast<unsigned>(x.exponent + factor_[j].exponent - lowest_));
  }
  return sum.value(lowest_);
}

Rational RowProducts::exact(std::size_t r) const {
  if (limbs_ == 0) return 0;
  Sum sum(limbs_);
  return product(r, sum);
}

// In any order of summation |fl(x'v) - x'v| <= gamma_d sum_j |x_j v_j| + underflow (Higham, section 3.1);
// (d + 4) 2^-52 is twice that and covers the rounding of the sum of magnitudes.
std::pair<double, double> RowProducts::nearly(std::size_t r) const {
  double sum = 0, magnitude = 0;
  for (std::size_t j = 0; j < width_; ++j) {
    const double term = matrix_[r * width_ + j] * vector_[j];
    sum += term;
    magnitude += std::fabs(term);
  }
  const auto terms = static_cast<double>(width_);
  return {sum, (terms + 4) * 0x1p-52 * magnitude + terms * 0x1p-1070};
}

void RowProducts::for_each(const std::function<void(Rational)>& visit) const {
  PassedNumbers passed(matrix_);
  Sum sum(limbs_);
  for (std::size_t r = 0; r < rows(); ++r) {
    passed.before(r * width_);
    visit(limbs_ == 0 ? Rational(0) : product(r, sum));
  }
}

namespace {

// Numerators over one common denominator.
Integer common_denominator(const ExactArray& values, std::size_t begin, std::size_t count,
                           std::vector<Integer>& numerators) {
  Integer common = 1;
  std::vector<Rational> entries;
  entries.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    entries.push_back(values.exact(begin + k));
    const Integer below = denominator(entries.back());
    if (common % below != 0) common = lcm(common, below);
  }
  numerators.clear();
  for (const Rational& entry : entries)
    numerators.push_back(numerator(entry) * (common / denominator(entry)));
  return common;
}

}  // namespace

void for_row_products(const ExactArray& matrix, std::size_t width, const ExactArray& vector,
                      const std::function<void(Rational)>& visit) {
  if (matrix.is_binary64() && vector.is_binary64())
    return RowProducts(matrix.binary64(), width, vector.binary64()).for_each(visit);
  std::vector<Integer> v, x;
  const Integer below_v = common_denominator(vector, 0, width, v);
  for (std::size_t r = 0; r < matrix.size() / width; ++r) {
    const Integer below_x = common_denominator(matrix, r * width, width, x);
    Integer sum = 0;
    for (std::size_t j = 0; j < width; ++j) sum += x[j] * v[j];
    visit(Rational(sum, below_x * below_v));
  }
}

std::vector<Rational> row_products(const ExactArray& matrix, std::size_t width, const ExactArray& vector) {
  std::vector<Rational> products;
  products.reserve(matrix.size() / width);
  for_row_products(matrix, width, vector, [&](Rational product) { products.push_back(std::move(product)); });
  return products;
}

}  // namespace attest
