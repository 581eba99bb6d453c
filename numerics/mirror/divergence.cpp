#include "numerics/mirror/divergence.hpp"

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

// P <= 2: d >= (1/2)(P-1)(high + (2/3)|e|)^(P-2) e^2, and that bound over |e| rises: once it reaches h/share
// at e = t, the supremum of h e - share d is taken below t.
double conjugate_below_two(double h, double share, double high, double p) {
  double t = 2 * h / (share * (p - 1)) * std::pow(high, 2 - p) + 1e-300;
  for (int k = 0; k < 400; ++k) {
    if (0.5 * (p - 1) * std::pow(high + 2 * t / 3, p - 2) * t >= h / share * slack_up) break;
    t *= 1.2;
    if (k == 399) return INFINITY;
  }
  return h * h / (2 * share * (p - 1)) * std::pow(high + 2 * t / 3, 2 - p);
}

// P >= 2: the least of three bounds. d >= c |e|^P; d >= e^2 |a|^(P-2)/(4P); and near a, |e| <= t |a|:
// d >= (1/2)(P-1) m e^2 |a|^(P-2), while farther away d/|e| is at least the smaller of its value there and
// |a|^(P-1)/(2P).
double conjugate_above_two(double h, double share, double low, double p) {
  const double q = p / (p - 1), c = (p - 1) / 2 * std::pow(0.195, std::max(1.0, p - 2));
  double best = std::pow(h, q) * std::pow(share * p * c, 1 - q) / q;
  if (!(low > 0)) return best;
  const double scale = share * std::pow(low, p - 2);
  best = std::min(best, p * h * h / scale);
  const double slope = h / (scale * low) * slack_up;
  if (slope > 1 / (2 * p)) return best;
  for (double t = 2.04 * slope / (p - 1) + 1e-12; t < 1; t *= 1.1) {
    const double m = p >= 3 ? std::pow(1 - 2 * t / 3, p - 2) : 1 - 2.0 / 3 * (1 - std::pow(1 - t, p - 2));
    if (slope <= 0.5 * (p - 1) * m * t) return std::min(best, h * h / (2 * (p - 1) * m * scale));
  }
  return best;
}

}  // namespace

double reach_quadratic(const std::vector<double>& size, const RaySpan& ray, double p) {
  double sum = 0;
  for (std::size_t j = 0; j < size.size(); ++j) {
    if (size[j] > 0) sum += size[j] * size[j] / ((p - 1) * std::pow(ray.high[j], p - 2));
  }
  return sum;
}

double reach_of(const std::vector<double>& size, const RaySpan& ray, double energy, double p) {
  const double share = std::sqrt(reach_quadratic(size, ray, p) / (2 * energy)) + 1e-12;
  double sum = share * energy;
  for (std::size_t j = 0; j < size.size(); ++j) {
    if (!(size[j] > 0)) continue;
    sum += p <= 2 ? conjugate_below_two(size[j], share, ray.high[j], p)
                  : conjugate_above_two(size[j], share, ray.low[j], p);
  }
  return sum * slack_up;
}

double remainder_constant(double p) {
  if (p == 2) return 0;
  if (p > 2) {
    // The supremum of (1 - (P-1) s^(2-P))/((P-1)(1 + s/Q)) over s, piece by piece and then 1 over the rest.
    double most = 0, s = std::pow(p - 1, 1 / (p - 2));
    const auto falling = [&](double x) { return 1 / ((p - 1) * (1 + x * (p - 1) / p)); };
    for (int k = 0; k < 1000; ++k, s *= 1.02)
      most = std::max(most, (1 - (p - 1) * std::pow(s * 1.02, 2 - p)) * falling(s));
    return std::max(most, falling(s)) * slack_up;
  }
  // The least b in [P(2-P), 1] with b/P >= (2-P)(1 + (1-b)^(1/(2-P))), from above.
  double low = p * (2 - p), high = 1;
  for (int k = 0; k < 60; ++k) {
    const double b = (low + high) / 2;
    (b >= p * (2 - p) * (1 + std::pow(1 - b, 1 / (2 - p))) * slack_up ? high : low) = b;
  }
  return high / (p - 1) * slack_up;
}

double rough_remainder(double u, double high, double energy, double share, double p) {
  // |e| <= t for all of the energy in this entry.
  double t = std::sqrt(2 * energy * std::pow(high, 2 - p) / (p - 1)) + 1e-300;
  const auto reaches = [&] {
    return t * t >= 2 * energy * std::pow(high + 2 * t / 3, 2 - p) / (p - 1) * slack_up;
  };
  for (int k = 0; k < 400 && !reaches(); ++k) t *= 1.1;
  if (!reaches()) return INFINITY;
  const double curve = share * (p - 1) * std::pow(high + 2 * t / 3, p - 2), power = p - 1;
  const double factor = u * std::pow(2.0, 2 - p) / (p - 1);
  const double e = std::pow(factor * power / curve, 1 / (2 - power));
  return factor * std::pow(e, power) * (1 - power / 2) * slack_up;
}

}  // namespace attest
