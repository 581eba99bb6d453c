// Rational intervals: the few exact operations on enclosures that are no longer hot.
//
// Every operation returns an interval that contains the exact result for every choice of real numbers in its
// arguments. Balls (ball.hpp) are for long computations; an interval is what a proof is stated with.
#pragma once

#include <optional>

#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

struct Interval {
  Rational lo;
  Rational hi;
};

inline Interval point(const Rational& value) {
  return {value, value};
}
inline bool is_point(const Interval& x) {
  return x.lo == x.hi;
}

Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);

// Precondition: 0 not in b (checked; aborts).
Interval operator/(const Interval& a, const Interval& b);

// Smallest interval containing min{x,y} (max{x,y}) for x in a, y in b.
Interval lower_of(const Interval& a, const Interval& b);
Interval upper_of(const Interval& a, const Interval& b);

// floor(sqrt(x) 2^k)/2^k and its successor with k chosen so that the relative width is at most 2^-bits; both
// equal when x is a square of a rational. Precondition: x >= 0 (checked; aborts).
Interval square_root(const Rational& x, long bits = 192);
Interval square_root(const Interval& x, long bits = 192);

// Outer dyadic neighbours with `bits` significant bits: keeps numbers short, loses 2^-bits relative accuracy.
Interval shorten(const Interval& x, long bits = 192);

// The ends of a finite ball, outward; magnitudes below 2^-60000 become 0 and 2^-60000 (no exponent of a
// certificate is larger). Nothing when the ball is not finite.
std::optional<Interval> interval_of(const Ball& ball);

}  // namespace attest
