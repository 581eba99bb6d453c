#include "numerics/numbers/word_matrix.hpp"

#include <gmp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace attest {
namespace {

using Wide = WideWord;

constexpr std::size_t lanes = 4;         // rows
constexpr std::size_t block = 1 << 6;    // products of halves that are added in one word
constexpr std::size_t spare_digits = 2;  // of a sum above those of the numbers: for a word and a block
constexpr Limb half_mask = (Limb{1} << FixedOperand::half_bits) - 1;
constexpr Limb digit_mask = (Limb{1} << FixedOperand::digit_bits) - 1;
static_assert(32 + FixedOperand::half_bits + 6 <= 63, "a block of products of halves and a carry fit a word");
static_assert(2 * FixedOperand::digit_bits >= 64 + 32, "so many blocks fit the spare digits");

typedef Limb Lanes __attribute__((vector_size(lanes * sizeof(Limb))));

// sum += a b, of the low halves of both: one instruction, which GCC has to be told.
inline void add_products(Lanes& sum, const Lanes& a, const Lanes& b) {
#if defined(__AVX2__) && !defined(__clang__)
  typedef int Halves __attribute__((vector_size(lanes * sizeof(Limb))));
  sum += reinterpret_cast<Lanes>(
      __builtin_ia32_pmuludq256(reinterpret_cast<Halves>(a), reinterpret_cast<Halves>(b)));
#else
  sum += ((a << 32) >> 32) * ((b << 32) >> 32);
#endif
}

// Four rows' products with `count` numbers from number k on, added to half digits of weight 2^(25 h). Halves
// of words weigh 1 and 2^32 = 2^(25 + 7).
void add_block(const Limb* words, const FixedOperand& a, std::size_t k, std::size_t count, Lanes* digits) {
  Lanes low_carry{}, high_carry{}, high{};
  const auto add = [&](const Lanes& low_sum, const Lanes& high_sum) {
    low_carry += low_sum + (high << (32 - FixedOperand::half_bits));
    *digits++ += low_carry & half_mask;
    low_carry >>= FixedOperand::half_bits;
    high_carry += high_sum;
    high = high_carry & half_mask;
    high_carry >>= FixedOperand::half_bits;
  };
  for (std::size_t l = 0; l < a.digits; ++l) {
    const Limb* half = a.halves.data() + 2 * (l * a.count + k);
    Lanes low_low{}, high_low{}, low_high{}, high_high{};
    for (std::size_t at = 0; at < count; ++at) {
      Lanes x;
      std::memcpy(&x, words + at * lanes, sizeof x);
      const Lanes y = x >> 32, b = half[2 * at] - Lanes{}, c = half[2 * at + 1] - Lanes{};
      add_products(low_low, x, b);
      add_products(high_low, y, b);
      add_products(low_high, x, c);
      add_products(high_high, y, c);
    }
    add(low_low, high_low);
    add(low_high, high_high);
  }
  for (std::size_t h = 0; h < 2 * spare_digits; ++h) add(Lanes{}, Lanes{});
}

// sums (size words each, modulo 2^(64 size), for four rows) += sum_k a_k w_k, for the words of these rows.
void accumulate(Limb* const* sums, std::size_t size, const FixedOperand& a, const Limb* words) {
  std::array<Lanes, 2 * (64 * max_fixed_limbs / FixedOperand::digit_bits + 1 + spare_digits)> digits;
  const std::size_t count = a.digits + spare_digits;
  std::fill(digits.begin(), digits.begin() + static_cast<std::ptrdiff_t>(2 * count), Lanes{});
  for (std::size_t k = 0; k < a.count; k += block)
    add_block(words + k * lanes, a, k, std::min(block, a.count - k), digits.data());
  Lanes carry{};
  for (std::size_t l = 0; l < count; ++l) {  // whole digits in place of halves
    carry += digits[2 * l] + (digits[2 * l + 1] << FixedOperand::half_bits);
    digits[l] = carry & digit_mask;
    carry >>= FixedOperand::digit_bits;
  }
  for (std::size_t r = 0; r < lanes; ++r) {
    Limb *to = sums[r], low = 0, over = 0;
    const auto write = [&] {
      const Wide t = static_cast<Wide>(*to) + low + over;
      *to++ = static_cast<Limb>(t);
      over = static_cast<Limb>(t >> 64);
    };
    long have = 0;  // bits of `low`
    for (std::size_t l = 0; l < count; ++l) {
      const Limb digit = digits[l][r];
      low |= digit << have;
      have += FixedOperand::digit_bits;
      if (have < 64) continue;
      write();
      have -= 64;
      low = digit >> (FixedOperand::digit_bits - have);
    }
    for (; to < sums[r] + size && (low != 0 || over != 0); low = 0) write();
  }
}

// sum (size words, modulo 2^(64 size)) += sum_k a_k (limbs words, unsigned, at a + limbs column[k]) w_k.
void accumulate(std::size_t limbs, Limb* sum, std::size_t size, const Limb* a, const Limb* w,
                const std::uint32_t* column, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    Limb carry = mpn_addmul_1(sum, a + limbs * column[k], static_cast<mp_size_t>(limbs), w[k]);
    for (std::size_t i = limbs; carry != 0 && i < size; ++i) carry = (sum[i] += carry) < carry ? 1 : 0;
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
  digits = (64 * limbs + digit_bits - 1) / digit_bits;
  halves.resize(digits * size * 2);
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
    for (std::size_t l = 0; l < digits; ++l) {
      constexpr Limb mask = (Limb{1} << half_bits) - 1;
      const std::size_t at = l * digit_bits / 64, offset = l * digit_bits % 64;
      Limb digit = to[at] >> offset;
      if (offset > 0 && at + 1 < limbs) digit |= to[at + 1] << (64 - offset);
      Limb* const half = halves.data() + 2 * (l * size + k);
      half[0] = digit & mask;
      half[1] = digit >> half_bits & mask;
    }
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
  for (Plane& plane : planes_) plane.words.resize((rows + lanes - 1) / lanes * lanes * columns);
  const auto place = [&](std::size_t row, std::size_t column) {
    return (row / lanes * columns + column) * lanes + row % lanes;
  };
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
      planes_[static_cast<std::size_t>(p)].words[place(k / columns, k % columns)] =
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
    const auto word = [&](std::size_t row, std::size_t column) { return plane.words[place(row, column)]; };
    std::size_t used = 0;
    plane.sum.assign(rows, 0);
    for (std::size_t k = 0; k < rows * columns; ++k) {
      const Limb w = word(k / columns, k % columns);
      used += w != 0;
      plane.sum[k / columns] += w;
    }
    plane.dense = p == 0 || 2 * used >= rows * columns;
    if (plane.dense) continue;
    plane.first.push_back(0);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        const Limb w = word(row, column);
        if (w == 0) continue;
        plane.column.push_back(static_cast<std::uint32_t>(column));
        plane.word.push_back(w);
      }
      plane.first.push_back(plane.column.size());
    }
    plane.words = {};
  }
}

// With a = a' - B (B = 2^(64 limbs - 1), a' unsigned) and plane 0's words = entries + 2^63:
//   sum a w = sum a' w - B sum w, and the offset 1/2 of every entry costs 2^63 sum a once, in plane 0.
bool WordMatrix::dots(Limb* r, std::size_t stride, std::size_t first, std::size_t count,
                      const FixedOperand& a) const {
  const std::size_t limbs = a.format.limbs, planes = planes_.size(), size = limbs + 2 + planes;
  const Limb sign = a.sum[limbs] >> 63 != 0 ? ~Limb{0} : 0;
  std::array<Limb, max_fixed_limbs + 3> offset;  // 2^63 sum a
  offset[0] = 0;
  std::copy(a.sum.begin(), a.sum.end(), offset.begin() + 1);
  offset[limbs + 2] = sign;
  mpn_rshift(offset.data(), offset.data(), static_cast<mp_size_t>(limbs + 3), 1);
  offset[limbs + 2] = sign;
  std::array<Limb, lanes*(2 * max_fixed_limbs + 2)> total;
  for (std::size_t from = first / lanes * lanes; from < first + count; from += lanes) {
    std::fill(total.begin(), total.begin() + static_cast<std::ptrdiff_t>(lanes * size), 0);
    for (std::size_t p = 0; p < planes; ++p) {
      if (!planes_[p].dense) continue;
      const std::size_t unit = planes - 1 - p;  // in units of 2^(64 unit)
      std::array<Limb*, lanes> sums;
      for (std::size_t k = 0; k < lanes; ++k) sums[k] = total.data() + k * size + unit;
      accumulate(sums.data(), size - unit, a, planes_[p].words.data() + from * columns_);
    }
    for (std::size_t row = std::max(first, from); row < std::min(first + count, from + lanes); ++row)
      if (!finish(r + (row - first) * stride, row, a, offset.data(), total.data() + (row - from) * size))
        return false;
  }
  return true;
}

bool WordMatrix::finish(Limb* r, std::size_t row, const FixedOperand& a, const Limb* offset,
                        Limb* products) const {
  const std::size_t limbs = a.format.limbs, planes = planes_.size(), size = limbs + 2 + planes;
  for (std::size_t p = 0; p < planes; ++p) {
    const Plane& plane = planes_[p];
    if (!plane.dense && plane.first[row] == plane.first[row + 1]) continue;
    Limb* const sum = products + (planes - 1 - p);
    const std::size_t words = size - (planes - 1 - p);
    if (!plane.dense) {
      const std::size_t first = plane.first[row];
      accumulate(limbs, sum, words, a.words.data(), plane.word.data() + first, plane.column.data() + first,
                 plane.first[row + 1] - first);
    }
    if (p == 0) mpn_sub_n(sum, sum, offset, static_cast<mp_size_t>(words));
    const Limb low = static_cast<Limb>(plane.sum[row]), high = static_cast<Limb>(plane.sum[row] >> 64);
    const std::array<Limb, 3> part{low << 63, high << 63 | low >> 1, high >> 1};
    Limb* const at = sum + limbs - 1;  // of B sum w
    const Limb borrow = mpn_sub_n(at, at, part.data(), 3);
    mpn_sub_1(at + 3, at + 3, static_cast<mp_size_t>(words - limbs - 2), borrow);
  }
  return fixed_shift_right(r, limbs, products, size, 64 * static_cast<long>(planes) - scale_);
}

}  // namespace attest
