// Rational intervals: the few exact operations the catalogue needs on enclosures, and their printing.
//
// Every operation returns an interval that contains the exact result for every choice of real numbers in its
// arguments. Transcendental functions live in loss.hpp.
#pragma once

#include <string>

#include "numerics/margin_problem.hpp"
#include "numerics/rational.hpp"

namespace attest {

inline Interval point(const Rational& value) { return {value, value}; }
inline bool is_point(const Interval& x) { return x.lo == x.hi; }

Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);

// Precondition: 0 not in b (checked; aborts).
Interval operator/(const Interval& a, const Interval& b);

// Smallest interval containing min{x,y} (max{x,y}) for x in a, y in b.
Interval lower_of(const Interval& a, const Interval& b);
Interval upper_of(const Interval& a, const Interval& b);

// floor(sqrt(x) 2^k)/2^k and its successor with k chosen so that the relative width is at most 2^-bits; both equal
// when x is a square of a rational. Precondition: x >= 0 (checked; aborts).
Interval square_root(const Rational& x, long bits = 192);
Interval square_root(const Interval& x, long bits = 192);

// Outer dyadic neighbours with `bits` significant bits: keeps numbers short, loses 2^-bits relative accuracy.
Interval shorten(const Interval& x, long bits = 192);

// Decimal with `digits` significant digits, rounded down (up); scientific outside 1e-5..1e15.
std::string decimal_down(const Rational& x, int digits);
std::string decimal_up(const Rational& x, int digits);

// The same without an exponent, however many zeros that takes (JSON enclosures).
std::string plain_decimal_down(const Rational& x, int digits);
std::string plain_decimal_up(const Rational& x, int digits);

// Short exact numbers as they are ("3/7", "-2"), all others as an outward-rounded decimal enclosure "[lo, hi]".
std::string show(const Rational& x, int digits = 12);
std::string show(const Interval& x, int digits = 12);

}  // namespace attest
