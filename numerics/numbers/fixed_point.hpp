// Fixed-point numbers of a few machine words, the number type of optimiser runs.
//
// A number is `limbs` 64-bit words, little-endian, two's complement, and stands for (integer) *
// 2^-fraction_bits. Data are 53-bit, so nearly all work of a training step is wide x one-word multiply-add;
// done on such words it is error-free until one final rounding, and several times faster than general balls.
// Every function states its error in ulps, 1 ulp = 2^-fraction_bits. Magnitudes must stay below 2^(64 limbs -
// fraction_bits - 1): functions that can leave that range say so by returning false, and then their result is
// unspecified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "numerics/numbers/rational.hpp"
#include "numerics/numbers/working_ball.hpp"

namespace attest {

using Limb = std::uint64_t;

struct FixedFormat {
  std::size_t limbs = 0;
  long fraction_bits = 0;

  // Bits left of the binary point, the sign included.
  long integer_bits() const { return 64 * static_cast<long>(limbs) - fraction_bits; }
  friend bool operator==(const FixedFormat&, const FixedFormat&) = default;
};

// So many integer bits, and at least so many fraction bits: whole words.
inline FixedFormat format_of(long fraction_bits, long integer_bits) {
  const long limbs = (fraction_bits + integer_bits + 63) / 64;
  return {static_cast<std::size_t>(limbs), 64 * limbs - integer_bits};
}

inline constexpr std::size_t max_fixed_limbs = 64;  // operands are staged in stack buffers of this size

// `count` numbers of one format, contiguous; all zero at first.
class FixedVector {
 public:
  FixedVector() = default;
  FixedVector(FixedFormat format, std::size_t count) : format_(format), limbs_(format.limbs * count, 0) {}

  const FixedFormat& format() const { return format_; }
  std::size_t size() const { return format_.limbs == 0 ? 0 : limbs_.size() / format_.limbs; }
  Limb* operator[](std::size_t k) { return limbs_.data() + k * format_.limbs; }
  const Limb* operator[](std::size_t k) const { return limbs_.data() + k * format_.limbs; }
  std::vector<Limb>& limbs() { return limbs_; }
  const std::vector<Limb>& limbs() const { return limbs_; }

 private:
  FixedFormat format_;
  std::vector<Limb> limbs_;
};

// Sign of a two's complement number of `limbs` words.
inline bool fixed_is_negative(const Limb* a, std::size_t limbs) {
  return (a[limbs - 1] >> 63) != 0;
}
bool fixed_is_zero(const Limb* a, std::size_t limbs);
// -1, 0, 1: sign of a - b. Exact.
int fixed_compare(const Limb* a, const Limb* b, std::size_t limbs);

// r = a + b, a - b, -a. Exact when the true result is in range; r may be a or b.
void fixed_add(Limb* r, const Limb* a, const Limb* b, std::size_t limbs);
void fixed_subtract(Limb* r, const Limb* a, const Limb* b, std::size_t limbs);
void fixed_negate(Limb* r, const Limb* a, std::size_t limbs);

// r (limbs words) = floor(a 2^-shift) for a of `size` words; shift may be negative. False when it does not
// fit. r may not overlap a.
bool fixed_shift_right(Limb* r, std::size_t limbs, const Limb* a, std::size_t size, long shift);

// r = floor(a b 2^shift in ulps): error in [0, 1) ulp. shift may be negative. False when out of range.
// r may be a or b.
bool fixed_multiply(Limb* r, const Limb* a, const Limb* b, const FixedFormat& format, long shift = 0);

// The exact sum of products of numbers of one format.
class ProductSum {
 public:
  explicit ProductSum(FixedFormat format);
  // Adds a b, exactly (at most 2^62 terms).
  void add(const Limb* a, const Limb* b);
  // Adds all a_k b_k, on all threads (parallel.hpp).
  void add(const FixedVector& a, const FixedVector& b);
  // The sum so far, exactly: a ball of radius 0.
  void get(arb_ptr value) const;

 private:
  FixedFormat format_;
  std::vector<Limb> sum_;  // 2 limbs + 1 words, scale 2^(-2 fraction_bits)
};

// r = floor(value 2^fraction_bits): error in [0, 1) ulp, 0 when `exact` is set to true. False when out of
// range.
bool fixed_from_rational(Limb* r, const Rational& value, const FixedFormat& format, bool* exact = nullptr);

// r = the floor of the ball's midpoint. Returns a bound, in ulps, of |r - x| over all x in the ball, or a
// negative number when out of range or not finite.
double fixed_from_arb(Limb* r, arb_srcptr value, const FixedFormat& format);

// The number, exactly: radius 0.
void fixed_to_arb(arb_ptr value, const Limb* a, const FixedFormat& format);

// The nearest-or-next double: |result - a| <= 2^-52 |a|, exactly 0 for 0. Exponents beyond double's range
// saturate.
double fixed_to_double(const Limb* a, const FixedFormat& format);

// Room for growth: are all entries below 2^(64 limbs - fraction_bits - 3) in magnitude, so that the sum of
// two such vectors and one in range is seen to leave it?
bool fixed_has_headroom(const FixedVector& vector);

// The sum of |a_k| over `count` entries from `first` on, rounded up.
double fixed_absolute_sum(const FixedVector& vector, std::size_t first, std::size_t count);

// Widens the ball by `ulps` ulps times sum |a_k|: what errors of that many ulps amount to in a sum of
// products with the a_k.
void fixed_add_weighted_error(arb_ptr value, const FixedVector& a, double ulps);

// Widens the ball by `ulps` ulps of 2^-fraction_bits.
void fixed_add_error(arb_ptr value, double ulps, long fraction_bits);

}  // namespace attest
