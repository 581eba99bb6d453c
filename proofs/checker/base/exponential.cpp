// The exponential function on [0, 1): see base/exponential.hpp.
#include "proofs/checker/base/exponential.hpp"

#include <map>
#include <memory>
#include <mutex>

namespace attest_check {
namespace {

constexpr std::size_t guard_bits = 32;  // of log 2 and of the tables

// sum = the Taylor series of e^x for 0 <= x < 1 until a term is below one unit, every term rounded down;
// returns the number n of terms after the first.
//
// Lemma I2 (series). The sum is at most 3 n + 8 units below e^x. The computed term floor(floor(term x)/n) is
// below the exact one by err_n <= (err_{n-1} x + 1)/n + 1, so by at most 3 units, n terms by 3 n. The series
// is left when a computed term is 0: the exact one is then at most 3 units, every later one at most half of
// the one before, so all of them are below 8 units.
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

// 2 sum 3^-(2n+1)/(2n+1), every term rounded down with guard_bits more bits.
//
// Lemma I1 (log 2). The result v satisfies v <= log 2 <= v + log_two_error. A power is below 2 3^-(2n+1) by
// less than 1 + 1/8 guard units, so a term by less than two of them. Fewer than 2^31 terms are taken of any
// number that fits this machine, and what follows the last is below one guard unit: all of it is below 2^32 +
// 1 guard units, two units, and the last shift takes less than another one.
Integer logarithm_of_two(std::size_t bits) {
  Integer power = power_of_two(bits + guard_bits + 1) / 3, sum;
  for (unsigned long n = 1; power != 0; n += 2, power /= 9) sum += power / n;
  return shift_floor(sum, guard_bits);
}

}  // namespace

const UnitExponential& UnitExponential::at(std::size_t precision) {
  static std::mutex guard;
  static std::map<std::size_t, std::unique_ptr<const UnitExponential>> known;
  const std::lock_guard lock(guard);
  std::unique_ptr<const UnitExponential>& entry = known[precision];
  if (!entry) entry.reset(new UnitExponential(precision));
  return *entry;
}

// Lemma I3 (tables). An entry is at most two units below e^(j 2^-8 (level + 1)). The base is at most 3 n + 8
// units of 2^-(precision + 32) too small (Lemma I2); each of at most 255 products adds at most e (3 n + 9) +
// 1 of those units, fewer than 2^30 in all as n < 2^20, which is less than one unit of 2^-precision; the last
// shift takes less than another one.
//
// Lemma I4 (exponential). For 0 <= r < 1, r = j_1 2^-8 + j_2 2^-16 + j_3 2^-24 + x, 0 <= x < 2^-24: the
// series of x is E <= 3 n + 8 units too small, n at most the number of terms that 2^-24 takes. Multiplying by
// the three entries (at most e, 1.004, 1.00002), rounding down, turns that into at most (E + 7) e + 20 <= 9 n
// + 64 units.
UnitExponential::UnitExponential(std::size_t precision)
    : precision_(precision), log_two_(logarithm_of_two(precision)) {
  constexpr unsigned long error_of_term = 9, error_of_tables = 64;
  const std::size_t fine = precision + guard_bits;
  Room room;
  for (std::size_t level = 0; level < levels; ++level) {
    Integer base, power = power_of_two(fine);
    taylor_series(base, power_of_two(fine - (level + 1) * level_bits), fine, room.term);
    for (std::size_t j = 0; j < 1UL << level_bits; ++j) {
      table_[level].push_back(shift_floor(power, guard_bits));
      power = shift_floor(power * base, fine);
    }
  }
  const unsigned long terms =
      taylor_series(room.rest, power_of_two(precision - levels * level_bits), precision, room.term);
  error_ = error_of_term * terms + error_of_tables;  // no smaller argument takes more terms
}

void UnitExponential::operator()(Integer& result, const Integer& r, Room& room) const {
  Integer& scratch = room.scratch;
  // r = 2^-24 (the index) + rest.
  mpz_fdiv_q_2exp(scratch.get_mpz_t(), r.get_mpz_t(), precision_ - levels * level_bits);
  mpz_fdiv_r_2exp(room.rest.get_mpz_t(), r.get_mpz_t(), precision_ - levels * level_bits);
  const unsigned long index = scratch.get_ui();
  taylor_series(result, room.rest, precision_, room.term);
  for (std::size_t level = levels; level-- > 0;) {
    const std::size_t digit = index >> (level_bits * (levels - 1 - level)) & ((1UL << level_bits) - 1);
    if (digit == 0) continue;
    mpz_mul(scratch.get_mpz_t(), result.get_mpz_t(), table_[level][digit].get_mpz_t());
    mpz_fdiv_q_2exp(result.get_mpz_t(), scratch.get_mpz_t(), precision_);
  }
}

}  // namespace attest_check
