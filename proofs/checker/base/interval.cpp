// Outward-rounded real arithmetic: see interval.hpp.
#include "proofs/checker/base/interval.hpp"

#include <algorithm>

#include "proofs/checker/base/exponential.hpp"
#include "proofs/checker/base/failure.hpp"

namespace attest_check {
namespace {

constexpr long far_below = 4096;  // bits
constexpr long finest =
    -(1L << 17);  // the exponent of the finest rational bound: numbers of certificates end at 2^-2^16
constexpr long max_size = 1L << 40;  // of exponents: beyond, the numbers have no meaning here
constexpr long max_zeros =
    1L << 26;  // bits that an integer is extended by: certificates' numbers have at most 2^24

// x = x 2^shift, rounded up or down.
void shift_by(Integer& x, long shift, bool up) {
  mpz_ptr z = x.get_mpz_t();
  if (shift > max_zeros && x != 0) too_large("a number beyond the range of the checker");
  if (shift > 0) mpz_mul_2exp(z, z, static_cast<mp_bitcnt_t>(shift));
  if (shift < 0) (up ? mpz_cdiv_q_2exp : mpz_fdiv_q_2exp)(z, z, static_cast<mp_bitcnt_t>(-shift));
}

Integer shifted(Integer x, long shift, bool up) {
  shift_by(x, shift, up);
  return x;
}

}  // namespace

Interval Interval::between(Integer lo, Integer hi, long exponent, unsigned bits) {
  Interval x;
  x.lo_ = std::move(lo);
  x.hi_ = std::move(hi);
  x.exponent_ = exponent;
  x.bits_ = bits;
  x.shorten();
  return x;
}

Interval Interval::ratio(const Integer& p, const Integer& q, unsigned bits) {
  if (bits == 0) throw Failure(Exit::resource, "a quotient without a precision");
  const long shift =
      static_cast<long>(bits) + static_cast<long>(bit_length(q)) - static_cast<long>(bit_length(p)) + 2;
  const Integer top = shift > 0 ? Integer(p << static_cast<mp_bitcnt_t>(shift)) : p;
  const Integer bottom = shift > 0 ? q : Integer(q << static_cast<mp_bitcnt_t>(-shift));
  return between(divide_floor(top, bottom), divide_ceil(top, bottom), -shift, bits);
}

// Brings both to one exponent. Bits very far below the larger number's own are not kept.
void Interval::align(Interval& x, Interval& y) {
  if (x.is_zero()) x.exponent_ = y.exponent_;  // 0 has no size
  if (y.is_zero()) y.exponent_ = x.exponent_;
  long exponent = std::min(x.exponent_, y.exponent_);
  if (x.bits_ != 0 || y.bits_ != 0)
    exponent = std::max(
        exponent, std::max(x.top(), y.top()) - static_cast<long>(std::max(x.bits_, y.bits_)) - far_below);
  x.align_to(exponent);
  y.align_to(exponent);
}

Interval Interval::hull(const Interval& a, const Interval& b) {
  Interval x = a, y = b;
  align(x, y);
  return between(std::min(x.lo_, y.lo_), std::max(x.hi_, y.hi_), x.exponent_, std::max(a.bits_, b.bits_));
}

Rational Interval::lower() const {
  if (exponent_ > 0) return Rational(shifted(lo_, exponent_, false));
  return exponent_ < finest ? scale_by_power_of_two(floor_at(-finest), finest)
                            : scale_by_power_of_two(lo_, exponent_);
}

Rational Interval::upper() const {
  if (exponent_ > 0) return Rational(shifted(hi_, exponent_, true));
  return exponent_ < finest ? scale_by_power_of_two(ceil_at(-finest), finest)
                            : scale_by_power_of_two(hi_, exponent_);
}

long Interval::top() const {
  return exponent_ + static_cast<long>(std::max(bit_length(lo_), bit_length(hi_)));
}

void Interval::shorten() {
  if (is_zero()) exponent_ = 0;  // 0 has no size
  if (exponent_ > max_size || exponent_ < -max_size) too_large("a number beyond the range of the checker");
  if (bits_ == 0) return;
  const std::size_t size = std::max(bit_length(lo_), bit_length(hi_));
  if (size <= bits_ + 32) return;
  align_to(exponent_ + static_cast<long>(size - bits_));
}

// Shifts to another exponent, outward where bits are lost.
void Interval::align_to(long exponent) {
  if (exponent == exponent_) return;
  if (exponent > max_size || exponent < -max_size) too_large("a number beyond the range of the checker");
  shift_by(lo_, exponent_ - exponent, false);
  shift_by(hi_, exponent_ - exponent, true);
  exponent_ = exponent;
}

Integer Interval::floor_at(long fraction_bits) const {
  return shifted(lo_, exponent_ + fraction_bits, false);
}

Integer Interval::ceil_at(long fraction_bits) const {
  return shifted(hi_, exponent_ + fraction_bits, true);
}

Interval Interval::operator-() const {
  Interval x;
  x.lo_ = -hi_;
  x.hi_ = -lo_;
  x.exponent_ = exponent_;
  x.bits_ = bits_;
  return x;
}

// a + b or, where it is asked, a - b. Bits far below the larger number's own are not worth keeping; 0 has
// none.
Interval Interval::sum(const Interval& a, const Interval& b, bool minus) {
  const unsigned bits = std::max(a.bits_, b.bits_);
  if (b.is_zero()) return between(a.lo_, a.hi_, a.exponent_, bits);
  Interval x = a;
  x.bits_ = bits;
  if (a.is_zero()) x.exponent_ = b.exponent_;
  const Interval& coarse = x.exponent_ < b.exponent_ ? b : x;
  const long floor = bits == 0 ? -max_size : coarse.top() - static_cast<long>(bits) - 32;
  x.align_to(std::max(std::min(x.exponent_, b.exponent_), std::min(coarse.exponent_, floor)));
  const auto add = [&](Integer& end, const Integer& other, bool up) {
    const long shift = b.exponent_ - x.exponent_;
    Integer room;
    const Integer& part = shift == 0 ? other : (room = shifted(other, shift, up));
    minus ? end -= part : end += part;
  };
  add(x.lo_, minus ? b.hi_ : b.lo_, minus);
  add(x.hi_, minus ? b.lo_ : b.hi_, !minus);
  x.shorten();
  return x;
}

Interval operator*(const Interval& a, const Interval& b) {
  const unsigned bits = std::max(a.bits_, b.bits_);
  const long exponent = a.exponent_ + b.exponent_;
  if (a.lo_ >= 0 && b.lo_ >= 0) return Interval::between(a.lo_ * b.lo_, a.hi_ * b.hi_, exponent, bits);
  const Integer p = a.lo_ * b.lo_, q = a.lo_ * b.hi_, r = a.hi_ * b.lo_, s = a.hi_ * b.hi_;
  return Interval::between(std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s)),
                           exponent, bits);
}

Interval operator/(const Interval& a, const Interval& b) {
  if (b.hi_ < 0) return (-a) / (-b);
  if (b.lo_ <= 0) throw Imprecise{};
  const unsigned bits = std::max(std::max(a.bits_, b.bits_), 64U);
  const long size = static_cast<long>(std::max(bit_length(a.lo_), bit_length(a.hi_)));
  const long shift = std::max(0L, static_cast<long>(bits + bit_length(b.hi_)) + 2 - size);
  const Integer lo = a.lo_ << static_cast<mp_bitcnt_t>(shift), hi = a.hi_ << static_cast<mp_bitcnt_t>(shift);
  return Interval::between(divide_floor(lo, lo >= 0 ? b.hi_ : b.lo_),
                           divide_ceil(hi, hi >= 0 ? b.lo_ : b.hi_), a.exponent_ - b.exponent_ - shift, bits);
}

Interval absolute(const Interval& x) {
  if (x.lo_ >= 0) return x;
  if (x.hi_ <= 0) return -x;
  return Interval::between(0, std::max(Integer(-x.lo_), x.hi_), x.exponent_, x.bits_);
}

Interval maximum(const Interval& a, const Interval& b) {
  Interval x = a, y = b;
  Interval::align(x, y);
  return Interval::between(std::max(x.lo_, y.lo_), std::max(x.hi_, y.hi_), x.exponent_,
                           std::max(a.bits_, b.bits_));
}

Interval square_root(const Interval& x) {
  if (x.hi_ < 0) throw Imprecise{};
  if (x.hi_ == 0) return Interval(0);
  const unsigned bits = std::max(x.bits_, 64U);
  long shift = std::max(0L, 2 * static_cast<long>(bits) + 4 - static_cast<long>(bit_length(x.hi_)));
  if ((x.exponent_ - shift) % 2 != 0) ++shift;
  const Integer lo =
      x.lo_ > 0 ? Integer(sqrt(Integer(x.lo_ << static_cast<mp_bitcnt_t>(shift)))) : Integer(0);
  const Integer high = x.hi_ << static_cast<mp_bitcnt_t>(shift);
  Integer hi = sqrt(high);
  if (hi * hi != high) ++hi;
  return Interval::between(lo, hi, (x.exponent_ - shift) / 2, bits);
}

// Lemma I5 (exponential). For an end x write floor(x) = k v + r in units, v from Lemma I1, 0 <= r < v. Then x
// - k log 2 lies in r - [0, log_two_error k] + [0, 1) for k >= 0, in r + [0, log_two_error |k|] + [0, 1) for
// k < 0. Let `least` be the lower end of that range. e^max(least, 0) is enclosed by Lemma I4; where `least`
// is negative e^r >= 1 + r lowers the lower bound, and the upper bound is multiplied by 1 + 2 d >= e^d with d
// = log_two_error |k| + 1 units <= 1. An interval of width d < 1 is enclosed from its lower end, too:
// e^(lo + d) <= e^lo (1 + d + d^2).
Interval exponential(const Interval& x) {
  if (x.top() > 40) too_large("the exponential of a number beyond 2^40");
  const std::size_t precision = std::max(x.bits_, 64U) + 80;
  const auto at = [&](const Integer& end) {
    const Integer value = shifted(end, x.exponent_ + static_cast<long>(precision), false);
    const UnitExponential& unit_exponential = UnitExponential::at(precision);
    const Integer& unit = unit_exponential.log_two();
    const Integer whole = divide_floor(value, unit);
    const long k = whole.get_si();
    const Integer remainder = value - whole * unit;
    const Integer slack = (k < 0 ? -k : k) * Integer(UnitExponential::log_two_error);
    const Integer least = k < 0 ? remainder : Integer(remainder - slack);
    Integer lo;
    unit_exponential(lo, least > 0 ? least : Integer(0));
    Integer hi = lo + unit_exponential.error();
    if (least < 0) lo += least;
    hi += shift_ceil(hi * (slack + 1), precision - 1);
    return Interval::between(lo, hi, k - static_cast<long>(precision), x.bits_);
  };
  Interval first = at(x.lo_);
  if (x.lo_ == x.hi_) return first;
  const Interval width = Interval::between(0, x.hi_ - x.lo_, x.exponent_, x.bits_);
  const Interval one = Interval::between(1, 1, 0, std::max(x.bits_, 64U));
  if (width.top() <= 0) return first * (one + width * (one + width));
  return Interval::hull(first, at(x.hi_));
}

// Lemma I6 (logarithms). For |x| <= 1/2, log(1 + x) = 2 z h(z^2), h(s) = 1 + s/3 + s^2/5 + ..., with z = x/(2
// + x), |z| <= 1/3. Powers of s, rounded down from one to the next, are less than 1.2 units too small as s <
// 1/8, so each of the m terms after the first, rounded down, less than 1.4; what follows the last, whose
// power is 0, sums to less than one: the sum is less than 2 m + 1 units too small. h' < 1 adds less than the
// width of z^2. log x = k log 2 + log(1 + (m - 1)) for x = m 2^k, m in [3/4, 3/2), with log 2 from Lemma I1.
Interval logarithm_of_one_plus(const Interval& x) {
  if (x.top() > 0 || !certainly_at_most(absolute(x), Interval::ratio(1, 2, 64)))
    return logarithm(x + Interval(1));
  const unsigned bits = std::max(x.bits_, 64U);
  const Interval z = x / (x + Interval(2));
  const Interval square = z * z;
  const long precision = static_cast<long>(bits) + 32;
  const Integer low = std::max(square.floor_at(precision), Integer(0));
  Integer power = power_of_two(static_cast<std::size_t>(precision)), sum = power, term;
  unsigned long n = 1;  // 2 m + 1
  while (power != 0) {
    power *= low;
    shift_by(power, -precision, false);
    n += 2;
    mpz_fdiv_q_ui(term.get_mpz_t(), power.get_mpz_t(), n);
    sum += term;
  }
  const Integer above = sum + (square.ceil_at(precision) - low) + n;
  return Interval(2) * z * Interval::between(sum, above, -precision, bits);
}

Interval logarithm(const Interval& x) {
  if (x.lo_ <= 0) throw Imprecise{};
  const unsigned bits = std::max(x.bits_, 64U);
  const auto at = [&](const Integer& end) {
    // end 2^e = m 2^k with m in [3/4, 3/2): one of the two binades.
    long k = x.exponent_ + static_cast<long>(bit_length(end));  // m in [1/2, 1)
    const long length = static_cast<long>(bit_length(end));
    if (4 * end < 3 * power_of_two(static_cast<std::size_t>(length))) --k;
    const Interval m = Interval::between(end, end, x.exponent_ - k, bits);
    const Integer& unit = UnitExponential::at(bits + 64).log_two();
    const Interval two =
        Interval::between(unit, unit + UnitExponential::log_two_error, -static_cast<long>(bits) - 64, bits);
    return Interval(k) * two + logarithm_of_one_plus(m - Interval(1));
  };
  const Interval first = at(x.lo_);
  return x.lo_ == x.hi_ ? first : Interval::hull(first, at(x.hi_));
}

// Lemma I7 (e^x - 1). For |x| < 1/16, x (1 + x/2! + x^2/3! + ...): the terms are intervals, and those from
// the first that is left out on sum to less than 2^e when the one before them is below 2^e, each being at
// most 1/32 of its predecessor.
Interval exponential_minus_one(const Interval& x) {
  if (x.is_zero()) return x;
  if (x.top() > -4) return exponential(x) - Interval(1);
  const unsigned bits = std::max(x.bits_, 64U);
  Interval term = Interval::between(1, 1, 0, bits), sum = term;
  for (long n = 2; term.top() > -static_cast<long>(bits) - 8; ++n) {
    term = term * x / Interval(n);
    sum += term;
  }
  const Integer one = 1;
  sum += Interval::between(-one, one, term.top(), bits);
  return x * sum;
}

bool certainly_less(const Interval& a, const Interval& b) {
  return (b - a).positive();
}

bool certainly_at_most(const Interval& a, const Interval& b) {
  return (b - a).nonnegative();
}

}  // namespace attest_check
