#include "numerics/numbers/word_matrix.hpp"

#include <gmp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace attest {
namespace {

constexpr std::size_t lanes = 4;       // rows
constexpr std::size_t block = 1 << 6;  // products of halves that are added in one word
constexpr int digit_bits = FixedOperand::digit_bits;
constexpr int half_excess = 32 - digit_bits;  // a half of a word is that much more than a digit
constexpr std::int64_t digit_mask = (std::int64_t{1} << digit_bits) - 1;
constexpr Limb half_signs = 0x8000000080000000;
static_assert(31 + (digit_bits - 1) + 6 < 63, "a block of products fits a word");

typedef std::int64_t Lanes __attribute__((vector_size(lanes * sizeof(Limb))));
typedef Limb Words __attribute__((vector_size(lanes * sizeof(Limb))));
typedef std::int32_t Halves __attribute__((vector_size(lanes * sizeof(Limb))));

// sum += a b, of the low halves of both, signed: one instruction, which GCC has to be told.
inline void add_products(Lanes& sum, const Words& a, const Halves& b) {
#if defined(__AVX2__) && !defined(__clang__)
  sum += reinterpret_cast<Lanes>(__builtin_ia32_pmuldq256(reinterpret_cast<Halves>(a), b));
#else
  const Words c = reinterpret_cast<Words>(b);
  sum += (reinterpret_cast<Lanes>(a << 32) >> 32) * (reinterpret_cast<Lanes>(c << 32) >> 32);
#endif
}

// a = floor(a 2^-digit_bits): there is no such instruction for signed words.
inline void take_carry(Lanes& a) {
  constexpr Limb sign = Limb{1} << 63;
  a = reinterpret_cast<Lanes>(((reinterpret_cast<Words>(a) ^ sign) >> digit_bits) - (sign >> digit_bits));
}

// Adds a 2^shift to digits, as a digit and what carries to the next one.
inline void add_split(const Lanes& a, int shift, Lanes* digits) {
  digits[0] += (a & digit_mask) << shift;
  Lanes over = a;
  take_carry(over);
  digits[1] += over << shift;
}

// Four rows' products with digits `digit`, `digit` + stride, ... of `count` numbers, added to sums of weight
// 2^(26 l). Halves of words weigh 1 and 2^32 = 2^(26 + 6).
template <std::size_t size>
inline void add_block(const Limb* words, const std::int32_t* digit, std::size_t stride, std::size_t count,
                      Lanes* sums) {
  std::array<Lanes, size> low{}, high{};
  for (std::size_t at = 0; at < count; ++at) {
    Words x;
    std::memcpy(&x, words + at * lanes, sizeof x);
    const Words y = x >> 32;
    for (std::size_t l = 0; l < size; ++l) {
      const Halves b = digit[l * stride + at] - Halves{};
      add_products(low[l], x, b);
      add_products(high[l], y, b);
    }
  }
  for (std::size_t l = 0; l < size; ++l) {
    add_split(low[l], 0, sums + l);
    add_split(high[l], half_excess, sums + l + 1);
  }
}

// sums (a.size + 2) += sum_k a_k w_k, for the words of four rows: less than 2^44 a block.
void accumulate(Lanes* sums, const FixedOperand& a, const Limb* words) {
  for (std::size_t k = 0; k < a.count; k += block) {
    const std::size_t count = std::min(block, a.count - k);
    const std::int32_t* digit = a.digits.data() + k;
    std::size_t l = 0;
    for (; l + 2 <= a.size; l += 2, digit += 2 * a.count)
      add_block<2>(words + k * lanes, digit, a.count, count, sums + l);
    if (l < a.size) add_block<1>(words + k * lanes, digit, a.count, count, sums + l);
  }
}

// The same of one row, the lane-th, of words w_k in some columns.
void accumulate(Lanes* sums, std::size_t lane, const FixedOperand& a, const Limb* words,
                const std::uint32_t* column, std::size_t count) {
  for (std::size_t first = 0; first < count; first += block) {
    for (std::size_t l = 0; l < a.size; ++l) {
      const std::int32_t* const digit = a.digits.data() + l * a.count;
      std::int64_t low = 0, high = 0;
      for (std::size_t k = first; k < std::min(count, first + block); ++k) {
        const std::int64_t of = digit[column[k]];
        low += of * static_cast<std::int32_t>(words[k]);
        high += of * static_cast<std::int32_t>(words[k] >> 32);
      }
      sums[l][lane] += low & digit_mask;
      sums[l + 1][lane] += (low >> digit_bits) + ((high & digit_mask) << half_excess);
      sums[l + 2][lane] += (high >> digit_bits) << half_excess;
    }
  }
}

// Makes digits in [0, 2^26) of sums; `over` is what is beyond: 0, or -1 for negative numbers.
void carry(Lanes* sums, std::size_t size, Lanes& over) {
  over = Lanes{};
  for (std::size_t l = 0; l < size; ++l) {
    over += sums[l];
    sums[l] = over & digit_mask;
    take_carry(over);
  }
}

// A word each of four numbers, from bit `bit` of their digits on.
inline void take_word(Words& word, const Lanes* digits, std::size_t bit) {
  const Words* const from = reinterpret_cast<const Words*>(digits) + bit / digit_bits;
  const int low = static_cast<int>(bit % digit_bits);
  word = from[0] >> low | from[1] << (digit_bits - low) | from[2] << (2 * digit_bits - low);
  if (3 * digit_bits - low < 64) word |= from[3] << (3 * digit_bits - low);
}

// found: which bits from `bit` on are not the sign, for each of four numbers; 0 where all are.
inline void find_excess(Words& found, const Lanes* digits, std::size_t size, const Lanes& sign,
                        std::size_t bit) {
  const Words* const words = reinterpret_cast<const Words*>(digits);
  const Words extension = reinterpret_cast<Words>(sign & digit_mask);
  std::size_t l = bit / digit_bits;
  found = (words[l] ^ extension) >> static_cast<int>(bit % digit_bits);
  while (++l < size) found |= words[l] ^ extension;
}

// How many digits, and how many bits less, plane p lies below plane 0.
constexpr std::size_t digits_below(std::size_t plane) {
  return (64 * plane + digit_bits - 1) / digit_bits;
}
constexpr int bits_above(std::size_t plane) {
  return static_cast<int>(digit_bits * digits_below(plane) - 64 * plane);
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

// With 2^25 added to every digit none is negative, and they are the sum's bits.
void FixedOperand::prepare(const FixedFormat& of, const Limb* first, std::size_t entries,
                           std::size_t stride) {
  constexpr Limb mask = (Limb{1} << digit_bits) - 1;
  constexpr std::int32_t offset = 1 << (digit_bits - 1);
  format = of;
  count = entries;
  const std::size_t limbs = of.limbs;
  size = (64 * limbs + digit_bits - 1) / digit_bits;
  digits.resize(size * count);
  std::array<Limb, max_fixed_limbs + 1> offsets{}, sum;
  for (std::size_t l = 0; l < size; ++l) {
    const std::size_t bit = digit_bits * (l + 1) - 1;
    offsets[bit / 64] |= Limb{1} << bit % 64;
  }
  for (std::size_t k = 0; k < count; ++k, first += stride) {
    const Limb carry = mpn_add_n(sum.data(), first, offsets.data(), static_cast<mp_size_t>(limbs));
    sum[limbs] = offsets[limbs] + carry - (fixed_is_negative(first, limbs) ? 1 : 0);
    std::int32_t* const to = digits.data() + k;
    for (std::size_t l = 0; l < size; ++l) {
      const std::size_t at = digit_bits * l / 64, low = digit_bits * l % 64;
      Limb digit = sum[at] >> low;
      if (low > 64 - digit_bits && at < limbs) digit |= sum[at + 1] << (64 - low);
      if (l + 1 < size) digit &= mask;  // the highest one is what is left
      to[l * count] = static_cast<std::int32_t>(digit) - offset;
    }
  }
}

WordMatrix::WordMatrix(std::size_t rows, std::size_t columns, const std::vector<Rational>& entries,
                       std::size_t max_planes)
    : WordMatrix(
          rows, columns, [&](std::size_t row, std::size_t column) { return entries[row * columns + column]; },
          max_planes) {}

WordMatrix::WordMatrix(std::size_t rows, std::size_t columns, const Entry& entry, std::size_t max_planes)
    : rows_(rows), columns_(columns) {
  // |x| < 2^(scale - 2) for every entry, and the finest fraction decides the number of planes.
  long finest = 0;
  for (std::size_t k = 0; k < rows * columns; ++k) {
    const Rational x = entry(k / columns, k % columns);
    const auto* q = x.backend().data();
    if (mpz_sgn(mpq_numref(q)) == 0) continue;
    const long magnitude = static_cast<long>(mpz_sizeinbase(mpq_numref(q), 2)) -
                           static_cast<long>(mpz_sizeinbase(mpq_denref(q), 2)) + 1;  // |x| < 2^magnitude
    scale_ = std::max(scale_, magnitude + 2);
    const long fraction = fraction_length(x);
    finest = fraction < 0 ? std::numeric_limits<long>::max() / 4 : std::max(finest, fraction);
  }
  const long wanted = (finest + scale_ + 63) / 64;
  const long least = (scale_ + 63) / 64;  // keeps the binary point inside the planes
  const long count = std::max({1L, least, std::min(wanted, static_cast<long>(max_planes))});
  const long fraction_bits = 64 * count - scale_;
  truncation_ = wanted > count ? std::ldexp(1.0, static_cast<int>(-std::min(fraction_bits, 1000L))) : 0;

  // Every entry as floor(x 2^fraction_bits): with 2^31 added to every half none is negative.
  planes_.resize(static_cast<std::size_t>(count));
  for (Plane& plane : planes_) plane.words.resize((rows + lanes - 1) / lanes * lanes * columns);
  const auto place = [&](std::size_t row, std::size_t column) {
    return (row / lanes * columns + column) * lanes + row % lanes;
  };
  row_sum_.assign(rows, 0);
  mpz_t value, halves;
  mpz_init(value);
  mpz_init(halves);
  for (long q = 0; q < 2 * count; ++q) mpz_setbit(halves, static_cast<mp_bitcnt_t>(32 * q + 31));
  for (std::size_t k = 0; k < rows * columns; ++k) {
    const Rational x = entry(k / columns, k % columns);
    const auto* q = x.backend().data();
    mpz_mul_2exp(value, mpq_numref(q), static_cast<mp_bitcnt_t>(fraction_bits));
    mpz_fdiv_q(value, value, mpq_denref(q));
    mpz_add(value, value, halves);
    for (long p = 0; p < count; ++p) {
      planes_[static_cast<std::size_t>(p)].words[place(k / columns, k % columns)] =
          mpz_getlimbn(value, static_cast<mp_size_t>(count - 1 - p)) ^ half_signs;
    }
    // mpq_get_d truncates; the factor below covers that and the additions.
    row_sum_[k / columns] += std::abs(mpq_get_d(q));
  }
  mpz_clear(value);
  mpz_clear(halves);
  for (double& sum : row_sum_) {
    sum = sum * (1 + static_cast<double>(columns + 4) * 0x1p-51) + static_cast<double>(columns) * 0x1p-1000;
  }

  for (std::size_t p = 0; p < planes_.size(); ++p) {
    Plane& plane = planes_[p];
    const auto word = [&](std::size_t row, std::size_t column) { return plane.words[place(row, column)]; };
    std::size_t used = 0;
    for (std::size_t k = 0; k < rows * columns; ++k) used += word(k / columns, k % columns) != 0;
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

// Sums of plane p are made apart where they are to be shifted.
bool WordMatrix::dots(Limb* r, std::size_t stride, std::size_t first, std::size_t count,
                      const FixedOperand& a) const {
  constexpr std::size_t most_planes = 64, spare = 4;
  constexpr std::size_t beyond = 64 + 26;          // bits that words and their sums add to those of an entry
  if (planes_.size() > most_planes) return false;  // no format holds what numbers as large as these give
  const std::size_t limbs = a.format.limbs, planes = planes_.size(), below = digits_below(planes - 1);
  const std::size_t size = below + (64 * limbs + beyond) / digit_bits + spare;
  const std::size_t lowest = digit_bits * below + 64 - static_cast<std::size_t>(scale_);  // bit handed out
  std::array<Lanes, digits_below(most_planes) + (64 * max_fixed_limbs + beyond) / digit_bits + spare> sums,
      part;
  for (std::size_t from = first / lanes * lanes; from < first + count; from += lanes) {
    std::fill_n(sums.begin(), size, Lanes{});
    for (std::size_t p = 0; p < planes; ++p) {
      const Plane& plane = planes_[p];
      const std::size_t end = std::min(from + lanes, rows_);
      if (!plane.dense && plane.first[from] == plane.first[end]) continue;
      Lanes* const to = p == 0 ? sums.data() + below : part.data();
      if (p > 0) std::fill_n(part.begin(), a.size + 2, Lanes{});
      if (plane.dense) accumulate(to, a, plane.words.data() + from * columns_);
      for (std::size_t row = from; row < end && !plane.dense; ++row) {
        const std::size_t at = plane.first[row];
        accumulate(to, row - from, a, plane.word.data() + at, plane.column.data() + at,
                   plane.first[row + 1] - at);
      }
      for (std::size_t l = 0; l < a.size + 2 && p > 0; ++l)
        add_split(part[l], bits_above(p), sums.data() + below - digits_below(p) + l);
    }
    Lanes sign;
    carry(sums.data(), size, sign);
    Words wrong, word;
    find_excess(wrong, sums.data(), size, sign, lowest + 64 * limbs - 1);
    for (std::size_t i = 0; i < limbs; ++i) {
      take_word(word, sums.data(), lowest + 64 * i);
      for (std::size_t row = std::max(first, from); row < std::min(first + count, from + lanes); ++row)
        r[(row - first) * stride + i] = word[row - from];
    }
    for (std::size_t row = std::max(first, from); row < std::min(first + count, from + lanes); ++row)
      if (wrong[row - from] != 0) return false;
  }
  return true;
}

}  // namespace attest
