// The Bregman divergence of |w|^P/P, d(a, a+e) = (P-1) e^2 int_0^1 s |a + s e|^(P-2) ds, from below: how far
// a linear functional can move while the sum of divergences is bounded (MIRROR.md section 4).
//
// Number is double, a guess, or DoubleInterval, a proof: bounds that are returned as doubles then hold.
#pragma once

#include <vector>

#include "numerics/mirror/exponents.hpp"

namespace attest {

// Where a ray a(y)/y = u + p/y lies for heights of one span, entry by entry: bounds.
struct RaySpan {
  std::vector<double> low, high;       // of |a_j/y|; low = 0 where its sign changes
  std::vector<bool> near;              // same sign as u_j, and |u_j|/low is bounded
  double zeta_low = 0, zeta_high = 0;  // of <grad psi(a/y), u>
};

// A span with the powers that every functional asks for.
template <typename Number>
struct PoweredRay {
  std::vector<double> edge;   // the end of |a_j/y| that bounds d: low for P > 2, high for P <= 2
  std::vector<Number> power;  // edge^(P-1)

  PoweredRay(const RaySpan& ray, const Exponents& exponents);
};

// How far a linear functional moves, for one P: a table of
//
//   Gamma(x) >= sup_t (x t - least(t)),   least(t) = inf of d(a, a +- t) over |a| >= 1 (P > 2), |a| <= 1 (P
//   <= 2),
//
// a convex function, at points so near that the chords between them lose little.
template <typename Number>
class Reach {
 public:
  explicit Reach(const Exponents& exponents);

  // At least sup sum_j h_j e_j over sum_j d(a_j, a_j + e_j) <= energy, for |h_j| <= size_j and any a in the
  // span.
  double operator()(const std::vector<double>& size, const PoweredRay<Number>& ray, double energy) const;
  // At least sup of h|e| - share d(a, a+e) over e and |a| beyond the edge.
  double conjugate(double h, double share, double edge, const Number& power) const;
  // For P > 2 at most the least of d(a, a - 1) over all a.
  double floor() const { return floor_; }

 private:
  void find_floor();
  double least(double t) const;
  double table(double x) const;
  double far(double h, double share) const;

  Exponents exponents_;
  double floor_ = 0, turn_ = 1;  // turn: from there on d(a, a - 1) rises with a
  std::vector<double> points_, values_;
};
extern template class Reach<double>;
extern template class Reach<DoubleInterval>;
extern template struct PoweredRay<double>;
extern template struct PoweredRay<DoubleInterval>;

// sum_j size_j^2/k_j with k_j the second derivative at the span's edge: a guess at reach^2/(2 energy).
template <typename Number>
double approx_reach_quadratic(const std::vector<double>& size, const PoweredRay<Number>& ray, double p);

// At least the least B with -(u/(P-1)) (g(a+e) - g(a) - g'(a) e) <= B (u/a) d(a, a+e) for all e, u/a > 0,
// g = grad psi.
template <typename Number>
double remainder_constant(const Exponents& exponents);

// P < 2, any signs: at least the sup of (|u| 2^(2-P)/(P-1)) |e|^(P-1) - share d(a, a+e) over d <= energy,
// |a| <= edge.
template <typename Number>
double rough_remainder(const Exponents& exponents, double u, double edge, double energy, double share);

}  // namespace attest
