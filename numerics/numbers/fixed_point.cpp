#include "numerics/numbers/fixed_point.hpp"

#include <gmp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "numerics/numbers/parallel.hpp"

namespace attest {
namespace {

static_assert(sizeof(mp_limb_t) == sizeof(Limb) && GMP_NUMB_BITS == 64);

mp_limb_t* raw(Limb* a) {
  return reinterpret_cast<mp_limb_t*>(a);
}
const mp_limb_t* raw(const Limb* a) {
  return reinterpret_cast<const mp_limb_t*>(a);
}

// full (2 limbs words) = a b as two's complement. mpn_mul_n treats the words as unsigned; a negative a stands
// for a - 2^(64 limbs), hence the two corrections.
void signed_product(Limb* full, const Limb* a, const Limb* b, std::size_t limbs) {
  const auto size = static_cast<mp_size_t>(limbs);
  if (a == b) {
    mpn_sqr(raw(full), raw(a), size);
  } else {
    mpn_mul_n(raw(full), raw(a), raw(b), size);
  }
  if (fixed_is_negative(a, limbs)) mpn_sub_n(raw(full + limbs), raw(full + limbs), raw(b), size);
  if (fixed_is_negative(b, limbs)) mpn_sub_n(raw(full + limbs), raw(full + limbs), raw(a), size);
}

}  // namespace

bool fixed_shift_right(Limb* r, std::size_t limbs, const Limb* a, std::size_t size, long shift) {
  const Limb extension = fixed_is_negative(a, size) ? ~Limb{0} : 0;
  // Floor division keeps word offsets simple also for negative shifts (left shifts).
  const long word = shift >= 0 ? shift / 64 : -((-shift + 63) / 64);
  const long bit = shift - 64 * word;
  const long count = static_cast<long>(size);
  const auto at = [&](long k) { return k < 0 ? Limb{0} : k < count ? a[k] : extension; };
  const auto shifted = [&](long k) {
    return bit == 0 ? at(k + word) : (at(k + word) >> bit) | (at(k + word + 1) << (64 - bit));
  };
  const long kept = static_cast<long>(limbs);
  if (word >= 0 && bit != 0 && kept + word < count) {
    for (long k = 0; k < kept; ++k) r[k] = (a[k + word] >> bit) | (a[k + word + 1] << (64 - bit));
  } else {
    for (long k = 0; k < kept; ++k) r[k] = shifted(k);
  }
  // Everything above the words kept must repeat the sign; far to the left all is 0 up to the number itself.
  if (extension != 0 && kept + word < -1) return false;
  for (long k = std::max(kept, -word - 1); k + word < count; ++k) {
    if (shifted(k) != extension) return false;
  }
  return fixed_is_negative(r, limbs) == (extension != 0);
}

bool fixed_is_zero(const Limb* a, std::size_t limbs) {
  return std::all_of(a, a + limbs, [](Limb limb) { return limb == 0; });
}

int fixed_compare(const Limb* a, const Limb* b, std::size_t limbs) {
  const auto high_a = static_cast<std::int64_t>(a[limbs - 1]);
  const auto high_b = static_cast<std::int64_t>(b[limbs - 1]);
  if (high_a != high_b) return high_a < high_b ? -1 : 1;
  return limbs == 1 ? 0 : mpn_cmp(raw(a), raw(b), static_cast<mp_size_t>(limbs - 1));
}

void fixed_add(Limb* r, const Limb* a, const Limb* b, std::size_t limbs) {
  mpn_add_n(raw(r), raw(a), raw(b), static_cast<mp_size_t>(limbs));
}

void fixed_subtract(Limb* r, const Limb* a, const Limb* b, std::size_t limbs) {
  mpn_sub_n(raw(r), raw(a), raw(b), static_cast<mp_size_t>(limbs));
}

void fixed_negate(Limb* r, const Limb* a, std::size_t limbs) {
  mpn_neg(raw(r), raw(a), static_cast<mp_size_t>(limbs));
}

bool fixed_multiply(Limb* r, const Limb* a, const Limb* b, const FixedFormat& format, long shift) {
  std::array<Limb, 2 * max_fixed_limbs> full;
  signed_product(full.data(), a, b, format.limbs);
  return fixed_shift_right(r, format.limbs, full.data(), 2 * format.limbs, format.fraction_bits - shift);
}

ProductSum::ProductSum(FixedFormat format) : format_(format), sum_(2 * format.limbs + 1, 0) {}

void ProductSum::add(const Limb* a, const Limb* b) {
  std::array<Limb, 2 * max_fixed_limbs> full;
  const std::size_t size = 2 * format_.limbs;
  signed_product(full.data(), a, b, format_.limbs);
  const mp_limb_t carry =
      mpn_add_n(raw(sum_.data()), raw(sum_.data()), raw(full.data()), static_cast<mp_size_t>(size));
  sum_[size] += carry - (fixed_is_negative(full.data(), size) ? 1 : 0);
}

void ProductSum::add(const FixedVector& a, const FixedVector& b) {
  constexpr std::size_t together = 1 << 11;  // products, a piece: some 50 microseconds
  std::vector<ProductSum> sums((a.size() + together - 1) / together, ProductSum(format_));
  parallel_for(sums.size(), [&](std::size_t piece) {
    const std::size_t end = std::min(a.size(), (piece + 1) * together);
    for (std::size_t k = piece * together; k < end; ++k) sums[piece].add(a[k], b[k]);
  });
  for (const ProductSum& part : sums)
    mpn_add_n(raw(sum_.data()), raw(sum_.data()), raw(part.sum_.data()), static_cast<mp_size_t>(sum_.size()));
}

namespace {

// value = (two's complement words a, not all zero) 2^exponent, exactly.
void words_to_arb(arb_ptr value, const Limb* a, std::size_t size, long exponent) {
  std::array<Limb, 2 * max_fixed_limbs + 1> magnitude;
  const bool negative = fixed_is_negative(a, size);
  if (negative) {
    mpn_neg(raw(magnitude.data()), raw(a), static_cast<mp_size_t>(size));
  } else {
    std::copy(a, a + size, magnitude.begin());
  }
  while (magnitude[size - 1] == 0) --size;  // arf_set_mpn wants a non-zero top word
  arf_set_mpn(arb_midref(value), raw(magnitude.data()), static_cast<mp_size_t>(size), negative ? 1 : 0);
  arf_mul_2exp_si(arb_midref(value), arb_midref(value), exponent);
  mag_zero(arb_radref(value));
}

}  // namespace

void ProductSum::get(arb_ptr value) const {
  if (fixed_is_zero(sum_.data(), sum_.size())) {
    arb_zero(value);
    return;
  }
  words_to_arb(value, sum_.data(), sum_.size(), -2 * format_.fraction_bits);
}

bool fixed_from_rational(Limb* r, const Rational& value, const FixedFormat& format, bool* exact) {
  mpz_t quotient, remainder;
  mpz_init(quotient);
  mpz_init(remainder);
  const auto* source = value.backend().data();
  mpz_mul_2exp(quotient, mpq_numref(source), static_cast<mp_bitcnt_t>(format.fraction_bits));
  mpz_fdiv_qr(quotient, remainder, quotient, mpq_denref(source));
  if (exact != nullptr) *exact = mpz_sgn(remainder) == 0;
  const bool fits = static_cast<long>(mpz_sizeinbase(quotient, 2)) < 64 * static_cast<long>(format.limbs);
  if (fits) {
    std::fill(r, r + format.limbs, 0);
    const std::size_t size = mpz_size(quotient);
    for (std::size_t k = 0; k < size; ++k) r[k] = mpz_getlimbn(quotient, static_cast<mp_size_t>(k));
    if (mpz_sgn(quotient) < 0) fixed_negate(r, r, format.limbs);
  }
  mpz_clear(quotient);
  mpz_clear(remainder);
  return fits;
}

double fixed_from_arb(Limb* r, arb_srcptr value, const FixedFormat& format) {
  if (!arb_is_finite(value)) return -1;
  // Radius in ulps, rounded up.
  mag_t radius;
  mag_init(radius);
  mag_mul_2exp_si(radius, arb_radref(value), format.fraction_bits);
  const double radius_ulps = mag_get_d(radius);  // exact: mag_t has 30-bit mantissas; inf when beyond double
  mag_clear(radius);
  const double error = radius_ulps * (1 + 0x1p-50) + 1;
  if (arf_is_zero(arb_midref(value))) {
    std::fill(r, r + format.limbs, 0);
    return error;
  }
  if (COEFF_IS_MPZ(ARF_EXP(arb_midref(value)))) {
    // An exponent beyond 62 bits: out of range when positive, below every ulp when negative.
    if (fmpz_sgn(ARF_EXPREF(arb_midref(value))) > 0) return -1;
  }
  const bool negative = arf_sgn(arb_midref(value)) < 0;
  const slong exponent =
      COEFF_IS_MPZ(ARF_EXP(arb_midref(value))) ? -(slong{1} << 60) : ARF_EXP(arb_midref(value));
  const slong total = exponent + format.fraction_bits;  // |mid| in ulps is below 2^total
  if (total >= 64 * static_cast<slong>(format.limbs)) return -1;
  if (total <= 0) {  // floor is 0 or -1
    std::fill(r, r + format.limbs, negative ? ~Limb{0} : 0);
    return error;
  }
  mp_srcptr mantissa = nullptr;
  mp_size_t size = 0;
  ARF_GET_MPN_READONLY(mantissa, size, arb_midref(value));
  // |mid| in ulps = mantissa * 2^-shift. Its floor is the magnitude's truncation; a negative number's floor
  // is minus the ceiling, that is one less when anything was cut off.
  const long shift = 64 * static_cast<long>(size) - total;
  const long skip = std::clamp(shift / 64, 0L, static_cast<long>(size) - 1);  // whole words below the ulp
  std::array<Limb, 2 * max_fixed_limbs> magnitude;
  const std::size_t kept = static_cast<std::size_t>(size - skip);
  if (kept + 1 > magnitude.size()) return -1;
  bool dropped = false;
  for (long k = 0; k < skip; ++k) dropped |= mantissa[k] != 0;
  std::copy(mantissa + skip, mantissa + size, magnitude.begin());
  magnitude[kept] = 0;
  const long rest = shift - 64 * skip;
  if (rest > 0) dropped |= (magnitude[0] << (64 - rest)) != 0;
  if (!fixed_shift_right(r, format.limbs, magnitude.data(), kept + 1, rest)) return -1;
  if (negative) {
    fixed_negate(r, r, format.limbs);
    if (dropped) mpn_sub_1(raw(r), raw(r), static_cast<mp_size_t>(format.limbs), 1);
  }
  return error;
}

void fixed_to_arb(arb_ptr value, const Limb* a, const FixedFormat& format) {
  if (fixed_is_zero(a, format.limbs)) {
    arb_zero(value);
    return;
  }
  words_to_arb(value, a, format.limbs, -format.fraction_bits);
}

double fixed_to_double(const Limb* a, const FixedFormat& format) {
  const bool negative = fixed_is_negative(a, format.limbs);
  std::array<Limb, max_fixed_limbs> magnitude;
  const Limb* words = a;
  if (negative) {
    fixed_negate(magnitude.data(), a, format.limbs);
    words = magnitude.data();
  }
  std::size_t top = format.limbs;
  while (top > 0 && words[top - 1] == 0) --top;
  if (top == 0) return 0;
  const int lead = std::countl_zero(words[top - 1]);
  Limb leading = words[top - 1] << lead;
  if (lead != 0 && top >= 2) leading |= words[top - 2] >> (64 - lead);
  // `leading` has its top bit set, so the 11 bits that do not fit cost less than 2^-52 of the value.
  const double mantissa = static_cast<double>(leading >> 11);
  const long exponent = 64 * static_cast<long>(top) - lead - 53 - format.fraction_bits;
  const double value =
      -1000 < exponent && exponent < 900
          ? mantissa * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52)  // exact
          : std::ldexp(mantissa, static_cast<int>(std::clamp(exponent, -4000L, 4000L)));
  return negative ? -value : value;
}

bool fixed_has_headroom(const FixedVector& vector) {
  const std::size_t limbs = vector.format().limbs;
  for (std::size_t k = 0; k < vector.size(); ++k) {
    if (vector[k][limbs - 1] + (Limb{1} << 61) >= (Limb{1} << 62)) return false;
  }
  return true;
}

double fixed_absolute_sum(const FixedVector& vector, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t k = first; k < first + count; ++k)
    sum += std::abs(fixed_to_double(vector[k], vector.format()));
  return sum * (1 + static_cast<double>(count + 4) * 0x1p-51);
}

void fixed_add_weighted_error(arb_ptr value, const FixedVector& a, double ulps) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::abs(fixed_to_double(a[k], a.format()));
  fixed_add_error(value, sum * ulps * (1 + 0x1p-40), a.format().fraction_bits);
}

void fixed_add_error(arb_ptr value, double ulps, long fraction_bits) {
  Magnitude error;
  mag_set_d(error, ulps);
  mag_mul_2exp_si(error, error, -fraction_bits);
  arb_add_error_mag(value, error);
}

}  // namespace attest
