// Outward-rounded decimals of exact numbers and of enclosures, for people and for JSON.
#pragma once

#include <string>

#include "numerics/numbers/interval.hpp"

namespace attest {

// Decimal with `digits` significant digits, rounded down (up); scientific outside 1e-5..1e15.
std::string decimal_down(const Rational& x, int digits);
std::string decimal_up(const Rational& x, int digits);

// The same without an exponent (JSON enclosures) unless that takes more than 100 zeros.
std::string plain_decimal_down(const Rational& x, int digits);
std::string plain_decimal_up(const Rational& x, int digits);

// Short exact numbers as they are ("3/7", "-2"), all others as an outward-rounded decimal enclosure "[lo,
// hi]".
std::string show(const Rational& x, int digits = 12);
std::string show(const Interval& x, int digits = 12);

}  // namespace attest
