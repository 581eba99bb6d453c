// Exact numbers. Both types are value types over GMP; expression templates are off, so `auto` is safe.
#pragma once

#include <boost/multiprecision/gmp.hpp>

namespace attest {

using Integer = boost::multiprecision::number<boost::multiprecision::gmp_int, boost::multiprecision::et_off>;
using Rational =
    boost::multiprecision::number<boost::multiprecision::gmp_rational, boost::multiprecision::et_off>;

}  // namespace attest
