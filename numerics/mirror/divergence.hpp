// The Bregman divergence of |w|^P/P, d(a, a+e) = (P-1) e^2 int_0^1 s |a + s e|^(P-2) ds, from below: how far
// a linear functional can move while the sum of divergences is bounded (MIRROR.md section 4). Doubles,
// rounded to the safe side by the caller's slack.
#pragma once

#include <vector>

namespace attest {

inline constexpr double slack_up = 1 + 1e-9, slack_down = 1 - 1e-9;  // far above what roundings come to

// Where a ray a(y)/y = u + p/y lies for heights of one span, entry by entry.
struct RaySpan {
  std::vector<double> low, high;       // of |a_j/y|; low = 0 where its sign changes
  std::vector<bool> near;              // same sign as u_j, and |u_j|/low is bounded
  double zeta_low = 0, zeta_high = 0;  // of <grad psi(a/y), u>
};

// How far a linear functional moves, for one P: a table of
//
//   Gamma(x) >= sup_t (x t - least(t)),   least(t) = inf of d(a, a +- t) over |a| >= 1 (P > 2), |a| <= 1 (P
//   <= 2),
//
// a convex function, at points so near that the chords between them lose nothing.
class Reach {
 public:
  explicit Reach(double p);

  // sup sum_j h_j e_j over sum_j d(a_j, a_j + e_j) <= energy, for |h_j| <= size_j and any a in the span.
  double operator()(const std::vector<double>& size, const RaySpan& ray, double energy) const;

 private:
  // sup of h|e| - share d(a, a+e) for |a| in the span.
  double conjugate(double h, double share, double low, double high) const;
  double table(double x) const;
  double least(double t) const;

  double p_, q_, floor_, turn_;  // P > 2: the least of d(a, a - 1) over all a, and that a
  std::vector<double> values_;
};
// sum_j size_j^2/k_j with k_j the second derivative at the span's high end: reach^2/(2 energy) to leading
// order. A guess.
double reach_quadratic(const std::vector<double>& size, const RaySpan& ray, double p);

// B with -(u/(P-1)) (g(a+e) - g(a) - g'(a) e) <= B (u/a) d(a, a+e) for all e, u/a > 0, g = grad psi.
double remainder_constant(double p);

// P < 2, any signs: sup of (|u| 2^(2-P)/(P-1)) |e|^(P-1) - share d(a, a+e) over d <= energy, |a| <= high.
double rough_remainder(double u, double high, double energy, double share, double p);

}  // namespace attest
