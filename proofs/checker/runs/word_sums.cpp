// Exact sums of products of words with long integers: see word_sums.hpp.
#include "proofs/checker/runs/word_sums.hpp"

#include <algorithm>

#include "proofs/checker/runs/lanes.hpp"

namespace attest_check {
namespace {

constexpr int word_bits = 62;          // of the magnitude of an entry over the table's power of two
constexpr std::size_t block = 1 << 6;  // products of halves that are added in one word
static_assert(31 + Digits::half_bits + 6 <= 63, "the sum of a block of products of halves fits a word");
constexpr std::size_t most_blocks = 1 << 14;  // that are added in one word; later rows are added one by one
static_assert(GMP_NUMB_BITS == 64 && Digits::bits < 64, "a digit comes from at most two limbs");

constexpr Word half_mask = (Word{1} << Digits::half_bits) - 1;

typedef std::uint64_t Bits __attribute__((vector_size(lanes * sizeof(Word))));

// x = low + high 2^32 with both halves signed, as (high, low).
Word signed_halves(Word x) {
  const std::uint64_t bits = static_cast<std::uint64_t>(x);
  return static_cast<Word>(bits + ((bits & (std::uint64_t{1} << 31)) << 1));
}

// The halves of the digits of x, a pair every `stride` numbers.
void cut(const Integer& x, std::size_t levels, Word* half, std::size_t stride) {
  const mp_limb_t* limb = mpz_limbs_read(x.get_mpz_t());
  const std::size_t limbs = mpz_size(x.get_mpz_t());
  const Word sign = x < 0 ? -1 : 1;
  for (std::size_t l = 0; l < levels; ++l, half += stride) {
    const std::size_t place = l * Digits::bits, at = place / GMP_NUMB_BITS, offset = place % GMP_NUMB_BITS;
    std::uint64_t magnitude = at < limbs ? limb[at] >> offset : 0;
    if (offset > 0 && at + 1 < limbs) magnitude |= limb[at + 1] << (GMP_NUMB_BITS - offset);
    half[0] = sign * static_cast<Word>(magnitude & half_mask);
    half[1] = sign * static_cast<Word>(magnitude >> Digits::half_bits & half_mask);
  }
}

// result = sum_l digit(l) 2^(52 l), less 2^(52 count) where it is negative; a digit every `lanes` numbers.
void put_together(Integer& result, const Word* digits, std::size_t count, bool negative) {
  const mp_size_t size = static_cast<mp_size_t>(count * Digits::bits / GMP_NUMB_BITS + 1);
  mp_limb_t* limb = mpz_limbs_write(result.get_mpz_t(), size);
  std::size_t have = 0, at = 0;  // bits of `low` that are not written, limbs that are
  std::uint64_t low = 0;
  for (std::size_t l = 0; l < count; ++l) {
    const std::uint64_t digit = static_cast<std::uint64_t>(digits[l * lanes]);
    low |= digit << have;
    have += Digits::bits;
    if (have < GMP_NUMB_BITS) continue;
    limb[at++] = low;
    have -= GMP_NUMB_BITS;
    low = digit >> (Digits::bits - have);
  }
  limb[at] = negative ? low | ~std::uint64_t{0} << have : low;
  if (negative) mpn_neg(limb, limb, size);
  mpz_limbs_finish(result.get_mpz_t(), negative ? -size : size);
}

// sums += x 2^shift: numbers of radix 2^26, four side by side.
inline void add_split(Word* sums, const Lanes& x, int shift) {
  const int kept = Digits::half_bits - shift;
  store(sums, load(sums) + ((x & ((Word{1} << kept) - 1)) << shift));
  store(sums + lanes, load(sums + lanes) + (x >> kept));
}

// Four columns' sums of a block of products with one digit, added to `sums`. A block adds less than 2^45 in
// magnitude to each of the four that it adds to, and two digits add to each: in all less than 2^60.
void add_block(const Word* words, const Word* half, std::size_t count, Word* sums) {
  Lanes low_low{}, high_low{}, low_high{}, high_high{};
  for (std::size_t t = 0; t < count; ++t, words += lanes, half += 2) {
    const Lanes x = load(words), y = reinterpret_cast<Lanes>(reinterpret_cast<Bits>(x) >> 32);
    const Lanes a = half[0] - Lanes{}, b = half[1] - Lanes{};
    add_products(low_low, x, a);
    add_products(high_low, y, a);
    add_products(low_high, x, b);
    add_products(high_high, y, b);
  }
  constexpr int high_shift = 32 - Digits::half_bits;  // the high half of a word beyond the next number
  add_split(sums, low_low, 0);
  add_split(sums + lanes, low_high, 0);
  add_split(sums + lanes, high_low, high_shift);
  add_split(sums + 2 * lanes, high_high, high_shift);
}

}  // namespace

void Digits::assign(const std::vector<Integer>& integers) {
  integers_ = &integers;
  std::size_t most = 0;
  for (const Integer& x : integers) most = std::max(most, bit_length(x));
  levels_ = (most + bits - 1) / bits;
  halves_.resize(2 * levels_ * integers.size());
  if (levels_ == 0) return;  // all of them 0
  for (std::size_t t = 0; t < integers.size(); ++t)
    cut(integers[t], levels_, halves_.data() + 2 * t, 2 * integers.size());
}

WordTable::WordTable(std::size_t rows, std::size_t columns, const Entry& entry)
    : columns_(columns),
      rows_(std::min(rows, block * most_blocks)),
      words_(rows_ * ((columns + lanes - 1) / lanes * lanes)) {
  std::size_t most = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < columns; ++k) most = std::max(most, bit_length(entry(row, k)));
  }
  shift_ = most > word_bits ? most - word_bits : 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < columns; ++k) {
      Integer x = entry(row, k);
      if (x == 0) continue;
      if (row >= rows_ || mpz_scan1(x.get_mpz_t(), 0) < shift_) {
        others_.push_back({row, k, std::move(x)});
        continue;
      }
      mpz_tdiv_q_2exp(x.get_mpz_t(), x.get_mpz_t(), shift_);
      words_[(k / lanes * rows_ + row) * lanes + k % lanes] = signed_halves(x.get_si());
    }
  }
}

void WordTable::sums(std::vector<Integer>& results, Digits& a) const {
  const std::size_t levels = a.levels();
  // A total is below 2^(52 levels + 62) times the number of terms: two more levels hold it.
  const std::size_t count = levels + 2;
  for (std::size_t from = 0; from < columns_; from += lanes) {
    a.sums_.assign(2 * lanes * count, 0);
    Word* const sums = a.sums_.data();
    for (std::size_t l = 0; l < levels; ++l) {
      for (std::size_t t = 0; t < rows_; t += block)
        add_block(words_.data() + from * rows_ + t * lanes, a.halves(l) + 2 * t, std::min(block, rows_ - t),
                  sums + 2 * lanes * l);
    }
    Lanes carry{};
    for (std::size_t l = 0; l < count; ++l) {
      const Lanes low = load(sums + 2 * lanes * l) + carry,
                  high = load(sums + 2 * lanes * l + lanes) + (low >> Digits::half_bits);
      store(sums + lanes * l, (low & half_mask) | (high & half_mask) << Digits::half_bits);
      carry = high >> Digits::half_bits;
    }
    for (std::size_t k = from; k < std::min(from + lanes, columns_); ++k) {
      put_together(results[k], sums + (k - from), count, carry[k - from] < 0);
      if (shift_ > 0) mpz_mul_2exp(results[k].get_mpz_t(), results[k].get_mpz_t(), shift_);
    }
  }
  for (const Other& other : others_)
    mpz_addmul(results[other.column].get_mpz_t(), other.value.get_mpz_t(), a.integer(other.row).get_mpz_t());
}

}  // namespace attest_check
