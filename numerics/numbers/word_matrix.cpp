#include "numerics/numbers/word_matrix.hpp"

#include <gmp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace attest {
namespace {

using Wide = WideWord;

// acc (with its overflow counted in top) += a w.
inline void multiply_add(Wide& acc, Limb& top, Limb a, Limb w) {
  top += __builtin_add_overflow(acc, static_cast<Wide>(a) * w, &acc);
}

// sum (size words, modulo 2^(64 size)) += sum_k a_k (limbs words, unsigned, at a + at(k)) w_k. One word of
// all a_k after the other: three words of accumulator and no carry from word to word inside the loop.
template <typename Place>
void accumulate(std::size_t limbs, Limb* sum, std::size_t size, const Limb* a, const Limb* w,
                std::size_t count, Place at) {
  Wide carry = 0;
  for (std::size_t i = 0; i < limbs; ++i) {
    Wide acc = 0;
    Limb top = 0;
    for (std::size_t k = 0; k < count; ++k) multiply_add(acc, top, a[i + at(k)], w[k]);
    const Wide low = static_cast<Wide>(static_cast<Limb>(acc)) + sum[i] + carry;  // carry is far below 2^127
    sum[i] = static_cast<Limb>(low);
    carry = (low >> 64) + (acc >> 64) + (static_cast<Wide>(top) << 64);
  }
  for (std::size_t i = limbs; carry != 0 && i < size; ++i) {
    carry += sum[i];
    sum[i] = static_cast<Limb>(carry);
    carry >>= 64;
  }
}

// a (size words) -= (b, b_size words) 2^(64 word + 63), b two's complement when signed_b, modulo 2^(64 size).
void subtract_shifted(Limb* a, std::size_t size, const Limb* b, std::size_t b_size, std::size_t word,
                      bool signed_b) {
  const Limb extension = signed_b && (b[b_size - 1] >> 63) != 0 ? ~Limb{0} : 0;
  Limb previous = 0, borrow = 0;
  for (std::size_t k = word; k < size; ++k) {
    const std::size_t index = k - word;
    const Limb current = index < b_size ? b[index] : extension;
    // Word `index` of b 2^63 is (current << 63) | (previous >> 1).
    const Limb part = (current << 63) | (previous >> 1);
    const Wide t = static_cast<Wide>(a[k]) - part - borrow;
    a[k] = static_cast<Limb>(t);
    borrow = static_cast<Limb>(t >> 64) & 1;
    previous = current;
  }
}

// Number of bits of |x|'s fractional part: e with x 2^e an integer, or -1 when x is not dyadic.
long fraction_length(const Rational& x) {
  const auto* q = x.backend().data();
  if (mpz_sgn(mpq_numref(q)) == 0) return 0;
  const mp_bitcnt_t zeros = mpz_scan1(mpq_denref(q), 0);
  if (mpz_sizeinbase(mpq_denref(q), 2) != zeros + 1) return -1;
  return static_cast<long>(zeros);
}

}  // namespace

void FixedOperand::prepare(const FixedFormat& of, const Limb* from, std::size_t size, std::size_t stride) {
  format = of;
  count = size;
  const std::size_t limbs = of.limbs;
  words.resize(size * limbs);
  sum.assign(limbs + 1, 0);
  Limb high = 0;
  for (std::size_t k = 0; k < size; ++k, from += stride) {
    Limb* to = words.data() + k * limbs;
    Limb carry = 0;
    for (std::size_t i = 0; i < limbs; ++i) {
      to[i] = from[i];
      const Wide t = static_cast<Wide>(sum[i]) + from[i] + carry;
      sum[i] = static_cast<Limb>(t);
      carry = static_cast<Limb>(t >> 64);
    }
    high += carry - (from[limbs - 1] >> 63);
    to[limbs - 1] ^= Limb{1} << 63;
  }
  sum[limbs] = high;
}

WordMatrix::WordMatrix(std::size_t rows, std::size_t columns, const std::vector<Rational>& entries,
                       std::size_t max_planes)
    : WordMatrix(
          rows, columns, [&](std::size_t row, std::size_t column) { return entries[row * columns + column]; },
          max_planes) {}

WordMatrix::WordMatrix(std::size_t rows, std::size_t columns, const Entry& entry, std::size_t max_planes)
    : rows_(rows), columns_(columns) {
  // |x| < 2^(scale - 1) for every entry, and the finest fraction decides the number of planes.
  long finest = 0;
  for (std::size_t k = 0; k < rows * columns; ++k) {
    const Rational x = entry(k / columns, k % columns);
    const auto* q = x.backend().data();
    if (mpz_sgn(mpq_numref(q)) == 0) continue;
    const long magnitude = static_cast<long>(mpz_sizeinbase(mpq_numref(q), 2)) -
                           static_cast<long>(mpz_sizeinbase(mpq_denref(q), 2)) + 1;  // |x| < 2^magnitude
    scale_ = std::max(scale_, magnitude + 1);
    const long fraction = fraction_length(x);
    finest = fraction < 0 ? std::numeric_limits<long>::max() / 4 : std::max(finest, fraction);
  }
  const long wanted = (finest + scale_ + 63) / 64;
  const long least = (scale_ + 63) / 64;  // keeps the binary point inside the planes
  const long count = std::max({1L, least, std::min(wanted, static_cast<long>(max_planes))});
  const long fraction_bits = 64 * count - scale_;
  truncation_ = wanted > count ? std::ldexp(1.0, static_cast<int>(-std::min(fraction_bits, 1000L))) : 0;

  // Every entry as floor(x 2^fraction_bits) + 2^(64 count - 1): count words, non-negative.
  planes_.resize(static_cast<std::size_t>(count));
  for (Plane& plane : planes_) plane.words.resize(rows * columns);
  row_sum_.assign(rows, 0);
  mpz_t value, half;
  mpz_init(value);
  mpz_init_set_ui(half, 1);
  mpz_mul_2exp(half, half, static_cast<mp_bitcnt_t>(64 * count - 1));
  for (std::size_t k = 0; k < rows * columns; ++k) {
    const Rational x = entry(k / columns, k % columns);
    const auto* q = x.backend().data();
    mpz_mul_2exp(value, mpq_numref(q), static_cast<mp_bitcnt_t>(fraction_bits));
    mpz_fdiv_q(value, value, mpq_denref(q));
    mpz_add(value, value, half);
    for (long p = 0; p < count; ++p) {
      planes_[static_cast<std::size_t>(p)].words[k] =
          mpz_getlimbn(value, static_cast<mp_size_t>(count - 1 - p));
    }
    // mpq_get_d truncates; the factor below covers that and the additions.
    row_sum_[k / columns] += std::abs(mpq_get_d(q));
  }
  mpz_clear(value);
  mpz_clear(half);
  for (double& sum : row_sum_) {
    sum = sum * (1 + static_cast<double>(columns + 4) * 0x1p-51) + static_cast<double>(columns) * 0x1p-1000;
  }

  for (std::size_t p = 0; p < planes_.size(); ++p) {
    Plane& plane = planes_[p];
    const auto word = [&](std::size_t k) { return plane.words[k]; };
    std::size_t used = 0;
    plane.sum.assign(rows, 0);
    for (std::size_t k = 0; k < rows * columns; ++k) {
      used += word(k) != 0;
      plane.sum[k / columns] += word(k);
    }
    plane.dense = p == 0 || 2 * used >= rows * columns;
    if (plane.dense) continue;
    plane.first.push_back(0);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        const Limb w = word(row * columns + column);
        if (w == 0) continue;
        plane.column.push_back(static_cast<std::uint32_t>(column));
        plane.word.push_back(w);
      }
      plane.first.push_back(plane.column.size());
    }
    plane.words = {};
  }
}

bool WordMatrix::dot(Limb* r, std::size_t row, const FixedOperand& a) const {
  // With a = a' - B (B = 2^(64 limbs - 1), a' unsigned) and plane 0's words = entries + 2^63:
  //   sum a w = sum a' w - B sum w, and the offset 1/2 of every entry costs 2^63 sum a once, in plane 0.
  const std::size_t limbs = a.format.limbs;
  const std::size_t planes = planes_.size();
  const std::size_t size = limbs + 2 + planes;
  std::array<Limb, 2 * max_fixed_limbs + 2> total;
  std::fill(total.begin(), total.begin() + static_cast<std::ptrdiff_t>(size), 0);
  for (std::size_t p = 0; p < planes; ++p) {
    const Plane& plane = planes_[p];
    if (!plane.dense && plane.first[row] == plane.first[row + 1]) continue;
    // In units of 2^(64 (planes - 1 - p)).
    Limb* const sum = total.data() + (planes - 1 - p);
    const std::size_t words = size - (planes - 1 - p);
    if (plane.dense) {
      accumulate(limbs, sum, words, a.words.data(), plane.words.data() + row * columns_, columns_,
                 [limbs](std::size_t k) { return limbs * k; });
    } else {
      const std::size_t first = plane.first[row];
      accumulate(limbs, sum, words, a.words.data(), plane.word.data() + first, plane.first[row + 1] - first,
                 [limbs, column = plane.column.data() + first](std::size_t k) { return limbs * column[k]; });
    }
    const std::array<Limb, 2> word_sum{static_cast<Limb>(plane.sum[row]),
                                       static_cast<Limb>(plane.sum[row] >> 64)};
    subtract_shifted(sum, words, word_sum.data(), 2, limbs - 1, false);
    if (p == 0) subtract_shifted(sum, words, a.sum.data(), limbs + 1, 0, true);
  }
  return fixed_shift_right(r, a.format.limbs, total.data(), size, 64 * static_cast<long>(planes) - scale_);
}

}  // namespace attest
