// Quotients of long integers near their value, without the common divisor that an exact rational takes.
#pragma once

#include "numerics/numbers/rational.hpp"

namespace attest {

// above/below, below != 0, within 2^-51 of its size as long as a double can hold it (else 0 or infinite).
double approx_quotient(const Integer& above, const Integer& below);

// The same as a dyadic of at most 54 bits, whatever its size.
Rational dyadic_quotient(const Integer& above, const Integer& below);

}  // namespace attest
