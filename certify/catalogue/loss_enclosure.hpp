// Enclosures of the three losses' slopes, curvatures and differences as rational intervals.
//
// All three are convex and strictly decreasing: logistic log(1 + e^-u), exponential e^-u, correlation -u.
// Arguments beyond 2^20 in size are not evaluated (the enclosure's ends would have millions of bits): those
// calls return nothing and the row that asked is undecided. Only e^x below -2^20 is enclosed, by [0,
// e^(-2^20)].
#pragma once

#include <optional>

#include "numerics/margin/solution.hpp"
#include "numerics/numbers/rational.hpp"
#include "numerics/problem/loss.hpp"

namespace attest {

// Enclosures with about `bits` correct bits of: e^x; e^x - 1; log(1 + x) for x > -1.
std::optional<Interval> exp_of(const Interval& x, long bits);
std::optional<Interval> expm1_of(const Interval& x, long bits);
std::optional<Interval> log1p_of(const Interval& x, long bits);

// |l'(u)|; exact (a point) for the correlation loss.
std::optional<Interval> slope_size(Loss loss, const Rational& u, long bits);

// The maxima of |l'| and |l''| over [lo, hi] (B.A: M1 and M0).
std::optional<Interval> largest_slope(Loss loss, const Rational& lo, const Rational& hi, long bits);
std::optional<Interval> largest_curvature(Loss loss, const Rational& lo, const Rational& hi, long bits);

// l(g - shortfall) - l(g) for shortfall >= 0, without cancellation.
std::optional<Interval> excess_loss(Loss loss, const Rational& g, const Interval& shortfall, long bits);

}  // namespace attest
