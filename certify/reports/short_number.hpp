// Enclosures as numbers that people read: right to within one unit of their last digit.
#pragma once

#include <string>

#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {

// The centre with as many digits, at most `digits`, as are right to within one unit of the last; without any,
// a bound of the magnitude ("<=1e-30"); "-" for a ball that is not finite.
std::string short_number(const Ball& ball, int digits = 6);
std::string short_number(const Interval& ends, int digits = 6);

// "[lo, hi]", both ends rounded outward to so many digits.
std::string both_ends(const Interval& ends, int digits = 20);

// The width of the enclosure as a power of ten: "1e-31".
std::string band_width(const Ball& ball);

// A double near it, saturating: for pictures.
double approximately(const Rational& value);
double approximately(const Interval& ends);

}  // namespace attest
