// Outward-rounded real arithmetic on integers: every operation's result contains the exact result for all
// members of its operands. Sums and products of ends are exact and then rounded outward; the functions that
// need more of a word have a lemma each, I5 to I7, in the source.
#pragma once

#include "proofs/checker/base/exact.hpp"

namespace attest_check {

// Thrown when an operation needs a sharper operand: a divisor or a logarithm's argument that may be 0.
struct Imprecise {};

// The real numbers from lo 2^exponent to hi 2^exponent. Results are rounded outward to about `bits` bits,
// the larger of the operands'; 0 bits: an exact constant, kept exactly.
class Interval {
 public:
  Interval() = default;
  Interval(long value) : lo_(value), hi_(value) {}  // NOLINT: a number is an interval
  // Encloses the rational.
  Interval(const Rational& value, unsigned bits) : Interval(ratio(value.get_num(), value.get_den(), bits)) {}
  // Encloses p / q, q > 0.
  static Interval ratio(const Integer& p, const Integer& q, unsigned bits);
  // Encloses [lo, hi] 2^exponent.
  static Interval between(Integer lo, Integer hi, long exponent, unsigned bits);
  static Interval hull(const Interval& a, const Interval& b);

  // The ends, those of numbers below 2^-2^17 rounded outward.
  Rational lower() const;
  Rational upper() const;
  // The same numbers, rounded outward to fewer bits.
  Interval rounded(unsigned bits) const { return between(lo_, hi_, exponent_, bits); }
  Interval lower_end() const { return between(lo_, lo_, exponent_, bits_); }
  Interval upper_end() const { return between(hi_, hi_, exponent_, bits_); }
  // Floor of the lower end, ceiling of the upper end, in units of 2^-fraction_bits.
  Integer floor_at(long fraction_bits) const;
  Integer ceil_at(long fraction_bits) const;

  // |member| < 2^top for every member.
  long top() const;

  bool positive() const { return lo_ > 0; }
  bool nonnegative() const { return lo_ >= 0; }
  bool negative() const { return hi_ < 0; }

  friend Interval operator+(const Interval& a, const Interval& b) { return sum(a, b, false); }
  friend Interval operator-(const Interval& a, const Interval& b) { return sum(a, b, true); }
  friend Interval operator*(const Interval& a, const Interval& b);
  friend Interval operator/(const Interval& a, const Interval& b);
  Interval operator-() const;
  Interval& operator+=(const Interval& other) { return *this = *this + other; }

  friend Interval absolute(const Interval& x);
  friend Interval maximum(const Interval& a, const Interval& b);
  friend Interval minimum(const Interval& a, const Interval& b) { return -maximum(-a, -b); }
  // Members below 0 are left out.
  friend Interval square_root(const Interval& x);
  friend Interval exponential(const Interval& x);
  friend Interval logarithm(const Interval& x);
  // e^x - 1 and log(1 + x), relatively accurate at small x.
  friend Interval exponential_minus_one(const Interval& x);
  friend Interval logarithm_of_one_plus(const Interval& x);

 private:
  static Interval sum(const Interval& a, const Interval& b, bool minus);
  static void align(Interval& x, Interval& y);
  bool is_zero() const { return lo_ == 0 && hi_ == 0; }
  void shorten();
  void align_to(long exponent);

  Integer lo_, hi_;
  long exponent_ = 0;
  unsigned bits_ = 0;
};

// True only if every member of a is below (at most) every member of b.
bool certainly_less(const Interval& a, const Interval& b);
bool certainly_at_most(const Interval& a, const Interval& b);

}  // namespace attest_check
