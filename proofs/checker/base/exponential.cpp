// The exponential function on [0, 1): see base/exponential.hpp.
#include "proofs/checker/base/exponential.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace attest_check {
namespace {

constexpr std::size_t guard_bits = 32;  // of log 2 and of the tables
constexpr std::size_t scale_bits = 4;   // of the powers of two by which a table's entries are divided

// 0 <= x < 2^(64 limbs) in so many limbs.
void put(mp_limb_t* limb, const Integer& x, std::size_t limbs) {
  const std::size_t size = mpz_size(x.get_mpz_t());
  std::copy_n(mpz_limbs_read(x.get_mpz_t()), size, limb);
  std::fill(limb + size, limb + limbs, 0);
}

void append(UnitExponential::Limbs& numbers, const Integer& x, std::size_t limbs) {
  numbers.resize(numbers.size() + limbs);
  put(numbers.data() + (numbers.size() - limbs), x, limbs);
}

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

UnitExponential::UnitExponential(std::size_t precision)
    : precision_(precision),
      limbs_((precision + scale_bits - 1) / GMP_NUMB_BITS + 1),
      log_two_(logarithm_of_two(precision)) {
  fill_tables();
  fill_series();
}

// Lemma I3 (tables). An entry is at most two fine units below e^(j 2^-8 (level + 1)) over its power of two.
// The base is at most 3 n + 8 units of 2^-32 fine ones too small (Lemma I2); each of at most 255 products
// adds at most e (3 n + 9) + 1 of those units, fewer than 2^30 in all as n < 2^20, which is less than one
// fine unit; the last shift takes less than another one.
void UnitExponential::fill_tables() {
  const std::size_t fine = limbs_ * GMP_NUMB_BITS + guard_bits;
  Integer term;
  for (std::size_t level = 0; level < levels; ++level) {
    Integer base, power = power_of_two(fine);
    taylor_series(base, power_of_two(fine - (level + 1) * level_bits), fine, term);
    for (std::size_t j = 0; j < 1UL << level_bits; ++j) {
      append(table_[level], shift_floor(power, guard_bits + (level == 0 ? 2 : 1)), limbs_);
      power = shift_floor(power * base, fine);
    }
  }
}

// 1/k! while x^k/k! may be a fine unit, in the least number of limbs s_k whose unit times 2^-24k is at most a
// fine one.
//
// Lemma I4 (exponential). For 0 <= r < 1, r = j_1 2^-8 + j_2 2^-16 + j_3 2^-24 + x, 0 <= x < 2^-24, and u a
// fine unit: everything is rounded down. a_k = 1/k! + x a_(k+1) < 1/2 takes 1/k!, x and the product in s_k
// limbs, each less than one of their units too small, so x^k times that is below 3 u, and x^2 a_2 is less
// than 3 (n - 1) u too small, n the last k. The terms after it sum to less than 2 u. e^x - 1 = x + x (x a_2)
// is rounded twice more: less than (3 n + 1) u too small. The entries are e^(j_3 2^-24)/2 < 0.51, e^(j_2
// 2^-16)/2 < 0.51 and e^(j_1 2^-8)/4 < 0.68, each less than 2 u too small, as are 3, 2 and 2 roundings: with
// the first the sum is less than 1.6 n + 5 units too small, with the second 0.9 n + 6, with the third 0.7 n +
// 6. So e^r, 16 times that, is less than 12 n + 96 fine units too small, and the last shift takes less than
// one unit of 2^-precision.
void UnitExponential::fill_series() {
  const std::size_t fine = limbs_ * GMP_NUMB_BITS;
  Integer factorial = 1;
  std::size_t k = 2;
  for (;; ++k) {
    factorial *= static_cast<unsigned long>(k);
    const std::size_t size = levels * level_bits * k;  // x^k < 2^-size
    if (size + bit_length(factorial) > fine) break;    // x^k/k! < 2^-fine
    const std::size_t limbs = (fine - size - 1) / GMP_NUMB_BITS + 1;
    append(inverse_.emplace_back(), divide_floor(power_of_two(limbs * GMP_NUMB_BITS), factorial), limbs);
  }
  error_ = shift_floor(12 * Integer(k) + 96, fine - precision_) + 2;
}

void UnitExponential::sum_series(Room& room) const {
  const mp_size_t limbs = static_cast<mp_size_t>(limbs_);
  mp_limb_t *const sum = room.sum.data(), *const product = room.product.data();
  const mp_limb_t* const x = room.rest.data();
  mp_size_t size = static_cast<mp_size_t>(inverse_.back().size());
  mpn_copyi(sum, inverse_.back().data(), size);
  for (std::size_t k = inverse_.size() - 1; k-- > 0;) {
    const mp_size_t next = static_cast<mp_size_t>(inverse_[k].size());
    mpn_mul(product, x + (limbs - next), next, sum, size);
    mpn_add_n(sum, product + size, inverse_[k].data(), next);
    size = next;
  }
  mpn_mul(product, x, limbs, sum, size);
  mpn_copyi(sum, product + size, limbs);
  mpn_mul_n(product, sum, x, limbs);
  mpn_add_n(sum, product + limbs, x, limbs);
}

void UnitExponential::operator()(Integer& result, const Integer& r, Room& room) const {
  const mp_size_t limbs = static_cast<mp_size_t>(limbs_);
  const std::size_t fine = limbs_ * GMP_NUMB_BITS;
  for (Limbs* numbers : {&room.rest, &room.sum}) numbers->resize(limbs_);
  room.product.resize(2 * limbs_);
  mp_limb_t *const sum = room.sum.data(), *const product = room.product.data();
  // r = 2^-24 (the index) + rest.
  mpz_mul_2exp(result.get_mpz_t(), r.get_mpz_t(), fine - precision_);
  put(room.rest.data(), result, limbs_);
  mp_limb_t& top = room.rest.back();
  const std::size_t index = top >> (GMP_NUMB_BITS - levels * level_bits);
  top &= (mp_limb_t{1} << (GMP_NUMB_BITS - levels * level_bits)) - 1;
  sum_series(room);
  for (std::size_t level = levels; level-- > 0;) {
    const std::size_t digit = index >> (level_bits * (levels - 1 - level)) & ((1UL << level_bits) - 1);
    const mp_limb_t* const entry = table_[level].data() + digit * limbs_;
    mpn_mul_n(product, sum, entry, limbs);
    if (level == levels - 1) {
      mpn_add_n(sum, product + limbs, entry, limbs);  // e^x, of which the sum is one less
    } else {
      mpn_copyi(sum, product + limbs, limbs);
    }
  }
  mpz_t value;
  mpz_fdiv_q_2exp(result.get_mpz_t(), mpz_roinit_n(value, sum, limbs), fine - scale_bits - precision_);
}

}  // namespace attest_check
