// The exponential function on [0, 1): see interval_exponential.hpp.
#include "proofs/checker/interval_exponential.hpp"

#include <map>
#include <memory>

namespace attest_check {
namespace {

// sum = the Taylor series of e^x for 0 <= x < 1 until a term is below one unit, every term rounded down; returns the
// number n of terms after the first. The sum is at most 3 n + 8 units below e^x.
unsigned long taylor_series(Integer& sum, const Integer& x, std::size_t precision, Integer& term) {
  term = 0;
  mpz_setbit(term.get_mpz_t(), precision);
  sum = term;
  unsigned long n = 1;
  for (;; ++n) {
    mpz_mul(term.get_mpz_t(), term.get_mpz_t(), x.get_mpz_t());
    mpz_fdiv_q_2exp(term.get_mpz_t(), term.get_mpz_t(), precision);
    if (n > 1) mpz_fdiv_q_ui(term.get_mpz_t(), term.get_mpz_t(), n);
    if (term == 0) return n;
    sum += term;
  }
}

// 2 sum 3^-(2n+1)/(2n+1), every term rounded down with 32 guard bits.
Integer logarithm_of_two(std::size_t bits) {
  const std::size_t guard = 32;
  Integer power = power_of_two(bits + guard + 1) / 3, sum;
  for (unsigned long n = 1; power != 0; n += 2, power /= 9) sum += power / n;
  return shift_floor(sum, guard);
}

}  // namespace

UnitExponential& UnitExponential::at(std::size_t precision) {
  static thread_local std::map<std::size_t, std::unique_ptr<UnitExponential>> known;
  std::unique_ptr<UnitExponential>& entry = known[precision];
  if (!entry) entry.reset(new UnitExponential(precision));
  return *entry;
}

UnitExponential::UnitExponential(std::size_t precision) : precision_(precision), log_two_(logarithm_of_two(precision)) {
  const std::size_t guard = 32, fine = precision + guard;
  for (std::size_t level = 0; level < levels; ++level) {
    Integer base, power = power_of_two(fine);
    taylor_series(base, power_of_two(fine - (level + 1) * level_bits), fine, term_);
    for (std::size_t j = 0; j < 1UL << level_bits; ++j) {
      table_[level].push_back(shift_floor(power, guard));
      power = shift_floor(power * base, fine);
    }
  }
  const unsigned long terms = taylor_series(rest_, power_of_two(precision - levels * level_bits), precision, term_);
  error_ = 9 * terms + 64;  // no smaller argument takes more terms
}

void UnitExponential::operator()(Integer& result, const Integer& r) {
  // r = 2^-24 (the index) + rest.
  mpz_fdiv_q_2exp(scratch_.get_mpz_t(), r.get_mpz_t(), precision_ - levels * level_bits);
  mpz_fdiv_r_2exp(rest_.get_mpz_t(), r.get_mpz_t(), precision_ - levels * level_bits);
  const unsigned long index = scratch_.get_ui();
  taylor_series(result, rest_, precision_, term_);
  for (std::size_t level = levels; level-- > 0;) {
    const std::size_t digit = index >> (level_bits * (levels - 1 - level)) & ((1UL << level_bits) - 1);
    if (digit == 0) continue;
    mpz_mul(scratch_.get_mpz_t(), result.get_mpz_t(), table_[level][digit].get_mpz_t());
    mpz_fdiv_q_2exp(result.get_mpz_t(), scratch_.get_mpz_t(), precision_);
  }
}

}  // namespace attest_check
