// Exact sums of products of words with long integers: see word_sums.hpp.
#include "proofs/checker/runs/word_sums.hpp"

#include <algorithm>

namespace attest_check {
namespace {

constexpr int word_bits = 62;          // of the magnitude of an entry over the table's power of two
constexpr std::size_t block = 1 << 6;  // products that are added in one wide word
static_assert(word_bits + Digits::bits + 6 < 127, "the sum of a block of products fits a wide word");
static_assert(GMP_NUMB_BITS == 64 && Digits::bits < 64, "a digit comes from at most two limbs");

constexpr std::uint64_t digit_mask = (std::uint64_t{1} << Digits::bits) - 1;

// The digits of x, `stride` words apart.
void cut(const Integer& x, std::size_t levels, Word* digit, std::size_t stride) {
  const mp_limb_t* limb = mpz_limbs_read(x.get_mpz_t());
  const std::size_t limbs = mpz_size(x.get_mpz_t());
  const bool negative = x < 0;
  for (std::size_t l = 0; l < levels; ++l, digit += stride) {
    const std::size_t place = l * Digits::bits, at = place / GMP_NUMB_BITS, offset = place % GMP_NUMB_BITS;
    std::uint64_t magnitude = at < limbs ? limb[at] >> offset : 0;
    if (offset > 0 && at + 1 < limbs) magnitude |= limb[at + 1] << (GMP_NUMB_BITS - offset);
    const Word value = static_cast<Word>(magnitude & digit_mask);
    *digit = negative ? -value : value;
  }
}

// Sums in units of 2^(58 l) as digits from 0 to 2^58 - 1; returns what is left above them.
WideWord carry_up(const std::vector<WideWord>& sums, bool negate, std::vector<std::uint64_t>& digits) {
  WideWord carry = 0;
  for (std::size_t l = 0; l < sums.size(); ++l) {
    carry += negate ? -sums[l] : sums[l];
    digits[l] = static_cast<std::uint64_t>(carry) & digit_mask;
    carry >>= Digits::bits;
  }
  return carry;
}

// result = sum_l sums[l] 2^(58 l), for a total below 2^(58 size) in magnitude: above the digits are then only
// signs.
void put_together(Integer& result, const std::vector<WideWord>& sums, std::vector<std::uint64_t>& digits) {
  digits.resize(sums.size());
  const bool negative = carry_up(sums, false, digits) < 0;
  if (negative) carry_up(sums, true, digits);
  const mp_size_t size = static_cast<mp_size_t>(sums.size() * Digits::bits / GMP_NUMB_BITS + 1);
  mp_limb_t* limb = mpz_limbs_write(result.get_mpz_t(), size);
  std::size_t have = 0, at = 0;  // bits of `low` that are not written, limbs that are
  std::uint64_t low = 0;
  for (const std::uint64_t digit : digits) {
    low |= digit << have;
    have += Digits::bits;
    if (have < GMP_NUMB_BITS) continue;
    limb[at++] = low;
    have -= GMP_NUMB_BITS;
    low = have > 0 ? digit >> (Digits::bits - have) : 0;
  }
  limb[at++] = low;
  mpz_limbs_finish(result.get_mpz_t(), negative ? -static_cast<mp_size_t>(at) : static_cast<mp_size_t>(at));
}

}  // namespace

void Digits::assign(const std::vector<Integer>& integers) {
  integers_ = &integers;
  std::size_t most = 0;
  for (const Integer& x : integers) most = std::max(most, bit_length(x));
  levels_ = (most + bits - 1) / bits;
  digits_.resize(levels_ * integers.size());
  if (levels_ == 0) return;  // all of them 0
  for (std::size_t k = 0; k < integers.size(); ++k)
    cut(integers[k], levels_, digits_.data() + k, integers.size());
}

WordTable::WordTable(std::size_t rows, std::size_t columns, const Entry& entry)
    : columns_(columns), words_(rows * columns), first_{0} {
  std::size_t most = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < columns; ++k) most = std::max(most, bit_length(entry(row, k)));
  }
  shift_ = most > word_bits ? most - word_bits : 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < columns; ++k) {
      Integer x = entry(row, k);
      if (x == 0) continue;
      if (mpz_scan1(x.get_mpz_t(), 0) < shift_) {
        others_.push_back({k, std::move(x)});
        continue;
      }
      mpz_tdiv_q_2exp(x.get_mpz_t(), x.get_mpz_t(), shift_);
      words_[row * columns + k] = x.get_si();
    }
    first_.push_back(others_.size());
  }
}

void WordTable::sum_of_words(Integer& result, const Word* x, Digits& a) const {
  std::vector<WideWord>& sums = a.sums_;
  // A total is below 2^(58 levels + 62) times the number of terms: two more levels hold it.
  sums.assign(a.levels() + 2, 0);
  for (std::size_t l = 0; l < a.levels(); ++l) {
    const Word* digit = a.digit(l);
    for (std::size_t from = 0; from < a.size(); from += block) {
      const std::size_t end = std::min(a.size(), from + block);
      WideWord part = 0;
      for (std::size_t k = from; k < end; ++k) part += static_cast<WideWord>(x[k]) * digit[k];
      sums[l] += static_cast<WideWord>(static_cast<std::uint64_t>(part) & digit_mask);
      sums[l + 1] += part >> Digits::bits;
    }
  }
  put_together(result, sums, a.positive_);
  if (shift_ > 0) mpz_mul_2exp(result.get_mpz_t(), result.get_mpz_t(), shift_);
}

void WordTable::sum(Integer& result, std::size_t row, Digits& a) const {
  sum_of_words(result, words_.data() + row * columns_, a);
  for (std::size_t at = first_[row]; at < first_[row + 1]; ++at)
    mpz_addmul(result.get_mpz_t(), others_[at].value.get_mpz_t(), a.integer(others_[at].column).get_mpz_t());
}

void WordTable::column_sums(std::vector<Integer>& results, Digits& a) const {
  const std::size_t rows = a.size();
  a.column_.resize(rows);
  for (std::size_t k = 0; k < columns_; ++k) {
    for (std::size_t row = 0; row < rows; ++row) a.column_[row] = words_[row * columns_ + k];
    sum_of_words(results[k], a.column_.data(), a);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t at = first_[row]; at < first_[row + 1]; ++at)
      mpz_addmul(results[others_[at].column].get_mpz_t(), others_[at].value.get_mpz_t(),
                 a.integer(row).get_mpz_t());
  }
}

}  // namespace attest_check
