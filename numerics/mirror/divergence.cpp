#include "numerics/mirror/divergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attest {
namespace {

constexpr double first_point = 1e-4, point_ratio = 1.02, first_step = 1e-6, step_ratio = 1.002;
constexpr std::size_t points = 1100, steps = 14000;

// (P-1) int_0^1 s |b - s|^(P-2) ds, 0 < b <= 1, from d(b, b - 1) = b^P/P + (1-b)^P/Q + b (1-b)^(P-1).
double share_below(double b, double p) {
  return std::pow(b, p) / p + std::pow(1 - b, p) * (p - 1) / p + b * std::pow(1 - b, p - 1);
}

}  // namespace

// P > 2: inf over all a of d(a, a - 1), where the first derivative changes its sign (MIRROR.md section 4).
Reach::Reach(double p) : p_(p), q_(p / (p - 1)), floor_(0), turn_(0) {
  if (p_ > 2) {
    double low = 0, high = 1;
    for (int k = 0; k < 200; ++k) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (share_below(a, p_) < share_below(b, p_) ? high : low) =
          share_below(a, p_) < share_below(b, p_) ? b : a;
    }
    turn_ = high;
    floor_ = share_below(high, p_) * (1 - 1e-6);
  }
  std::vector<double> at(steps), rest(steps);
  double t = first_step;
  for (std::size_t k = 0; k < steps; ++k, t *= step_ratio) {
    at[k] = t;
    rest[k] = least(t);
  }
  // x t - least(t) between two steps is at most x times the later less least at the earlier one; beyond the
  // last it is negative if it is so there, as least(t)/t rises.
  double x = first_point;
  for (std::size_t i = 0; i < points; ++i, x *= point_ratio) {
    double most = x * at.back() <= rest.back() ? x * first_step : std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k + 1 < steps; ++k) most = std::max(most, x * at[k + 1] - rest[k]);
    values_.push_back(most * slack_up);
  }
}

double Reach::least(double t) const {
  if (p_ <= 2) {
    const double bound = 0.5 * (p_ - 1) * std::pow(1 + 2 * t / 3, p_ - 2) * t * t;
    if (t < 0.01) return bound * slack_down;
    const double exact = 1 / p_ + std::pow(1 + t, p_) / q_ - std::pow(1 + t, p_ - 1);
    return std::max(bound, exact * slack_down - 1e-12);
  }
  const double wide = floor_ * std::pow(t, p_);
  if (t >= 1) {
    // From a >= 1 the least is at a = 1 unless the minimum over all a lies beyond.
    const double here = 1 / p_ + std::pow(t - 1, p_) / q_ + std::pow(t - 1, p_ - 1);
    return (1 / t > turn_ ? here : wide) * slack_down;
  }
  const double m = p_ >= 3 ? std::pow(1 - 2 * t / 3, p_ - 2) : 1 - 2.0 / 3 * (1 - std::pow(1 - t, p_ - 2));
  const double bound = 0.5 * (p_ - 1) * m * t * t;
  if (t < 0.01) return bound * slack_down;
  const double exact = 1 / p_ + std::pow(1 - t, p_) / q_ - std::pow(1 - t, p_ - 1);
  return std::max(bound * slack_down, exact * slack_down - 1e-12);
}

double Reach::table(double x) const {
  const double place = std::log(x / first_point) / std::log(point_ratio);
  const auto k = static_cast<std::size_t>(place);
  const double share = std::min(1.0, place - static_cast<double>(k) + 1e-9);
  // Chords of a convex function lie above it; the point is placed by its logarithm, so a little to the right.
  const double left = first_point * std::pow(point_ratio, static_cast<double>(k));
  const double linear = std::min(1.0, std::max(share, (x / left - 1) / (point_ratio - 1)) + 1e-9);
  if (!std::isfinite(values_[k + 1])) return values_[k + 1];
  return values_[k] + linear * (values_[k + 1] - values_[k]);
}

double Reach::conjugate(double h, double share, double low, double high) const {
  const double edge = p_ > 2 ? low : high;
  if (!(edge > 0)) return p_ > 2 ? std::pow(h, q_) * std::pow(share * p_ * floor_, 1 - q_) / q_ : INFINITY;
  const double scale = std::pow(edge, p_ - 1), x = h / (share * scale) * slack_up;
  // Convex, and 0 at 0.
  if (x < first_point) return share * scale * edge * values_.front() * (x / first_point) * slack_up;
  constexpr double last = 2e5;
  if (x > last)
    return p_ > 2 ? std::pow(h, q_) * std::pow(share * p_ * floor_, 1 - q_) / q_ * slack_up : INFINITY;
  return share * scale * edge * table(x);
}

double reach_quadratic(const std::vector<double>& size, const RaySpan& ray, double p) {
  double sum = 0;
  for (std::size_t j = 0; j < size.size(); ++j) {
    if (size[j] > 0) sum += size[j] * size[j] / ((p - 1) * std::pow(ray.high[j], p - 2));
  }
  return sum;
}

double Reach::operator()(const std::vector<double>& size, const RaySpan& ray, double energy) const {
  double share = std::sqrt(reach_quadratic(size, ray, p_) / (2 * energy)) + 1e-12;
  double best = std::numeric_limits<double>::infinity();
  // Any share will do; at the best one of a quadratic the two parts are equal.
  for (int k = 0; k < 4; ++k) {
    double rest = 0;
    for (std::size_t j = 0; j < size.size(); ++j) {
      if (size[j] > 0) rest += conjugate(size[j], share, ray.low[j], ray.high[j]);
    }
    best = std::min(best, share * energy + rest);
    const double ratio = rest / (share * energy);
    if (!(ratio > 0) || (ratio > 0.7 && ratio < 1.4)) break;
    share = std::isfinite(ratio) ? share * std::sqrt(ratio) : share * 4;
  }
  return best * slack_up;
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
