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
  std::vector<bool> near;              // same sign as u_j, |u_j| <= 2 low
  double zeta_low = 0, zeta_high = 0;  // of <grad psi(a/y), u>
};

// sup sum_j h_j e_j over sum_j d(a_j, a_j + e_j) <= energy, for |h_j| <= size_j and any a in the span.
double reach_of(const std::vector<double>& size, const RaySpan& ray, double energy, double p);
// sum_j size_j^2/k_j with k_j the second derivative at the span's high end: reach^2/(2 energy) to leading
// order. A guess.
double reach_quadratic(const std::vector<double>& size, const RaySpan& ray, double p);

// B with -(u/(P-1)) (g(a+e) - g(a) - g'(a) e) <= B (u/a) d(a, a+e) for all e, u/a > 0, g = grad psi.
double remainder_constant(double p);

// P < 2, any signs: sup of (|u| 2^(2-P)/(P-1)) |e|^(P-1) - share d(a, a+e) over d <= energy, |a| <= high.
double rough_remainder(double u, double high, double energy, double share, double p);

}  // namespace attest
