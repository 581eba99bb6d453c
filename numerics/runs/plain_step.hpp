// A step's length in ordinary floating point: what a rule reads and the factor it changes.
#pragma once

#include <boost/multiprecision/mpfr.hpp>

namespace attest {

// MPFR numbers of the thread's default precision.
using Mpfr = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<0>,
                                           boost::multiprecision::et_off>;

// V = unit V', speed = ||V'||. `tau` is eta at first, tau unit when the rule is done.
template <typename Real>
struct PlainStep {
  Real tau, unit, speed, loss_gap;
};

struct DoubleStep : PlainStep<double> {};
struct MpfrStep : PlainStep<Mpfr> {};

}  // namespace attest
