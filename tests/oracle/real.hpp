// Real numbers of 150 decimal digits, for what is not rational. What is off by some hundred digits less than
// that passes for true.
#pragma once

#include <boost/multiprecision/mpfr.hpp>

#include "tests/oracle/dataset.hpp"

namespace reference {

using Real = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<150, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

inline Real real(const Number& x) {
  return Real(x.get_num().get_str()) / Real(x.get_den().get_str());
}

}  // namespace reference
