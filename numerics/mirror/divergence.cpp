#include "numerics/mirror/divergence.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/sizes.hpp"

namespace attest {
namespace {

constexpr double first_point = 1e-4, point_ratio = 1.02, first_step = 1e-6, step_ratio = 1.003;
constexpr std::size_t points = 1100, steps = 9200;

// d(b, b - 1) = b^P/P + (1-b)^P/Q + b (1-b)^(P-1), 0 <= b <= 1.
template <typename Number>
Number share_below(const Number& b, const Exponents& e) {
  const Number rest = Number(1.0) - b;
  return pow(b, e.p) / ratio<Number>(e.p) + pow(rest, e.p) / ratio<Number>(e.q) + b * pow(rest, e.p_minus_1);
}

}  // namespace

template <typename Number>
PoweredRay<Number>::PoweredRay(const RaySpan& ray, const Exponents& exponents)
    : edge(exponents.side > 0 ? ray.low : ray.high) {
  for (const double x : edge) power.push_back(pow(Number(x), exponents.p_minus_1));
}

// P > 2: the floor cell by cell, each function at its least end; the turn where the derivative is positive,
// b^(P-1) beta(2,P-2) > b (1-b)^(P-2)/(P-2) + (1-b)^(P-1)/(P-1), which then holds beyond (MIRROR.md section
// 4).
template <typename Number>
void Reach<Number>::find_floor() {
  constexpr int cells = 1000;
  const Number p = ratio<Number>(exponents_.p), q = ratio<Number>(exponents_.q);
  floor_ = infinity;
  double best = infinity, at = 1;
  std::vector<Number> rising, falling, middle;
  for (int k = 0; k <= cells; ++k) {
    const double b = static_cast<double>(k) / cells;
    const Number rest = Number(1.0) - Number(b);
    rising.push_back(pow(Number(b), exponents_.p) / p);
    falling.push_back(pow(rest, exponents_.p) / q);
    middle.push_back(pow(rest, exponents_.p_minus_1));
    const double here = share_below(b, exponents_);
    if (here < best) {
      best = here;
      at = b;
    }
  }
  for (std::size_t k = 0; k < cells; ++k) {
    const Number b(static_cast<double>(k) / cells * (1 - 0x1p-50));
    floor_ = std::min(floor_, low(rising[k] + falling[k + 1] + b * middle[k + 1]));
  }
  const Number p1 = ratio<Number>(exponents_.p_minus_1), p2 = ratio<Number>(exponents_.p_minus_2);
  for (double b = at + 1.5 / cells; b < 1; b += 4.0 / cells) {
    const Number rest = Number(1.0) - Number(b);
    const Number slope = pow(Number(b), exponents_.p_minus_1) / (p1 * p2) -
                         Number(b) * pow(rest, exponents_.p_minus_2) / p2 -
                         pow(rest, exponents_.p_minus_1) / p1;
    if (!(low(slope) > 0)) continue;
    turn_ = b;
    break;
  }
}

template <typename Number>
Reach<Number>::Reach(const Exponents& exponents) : exponents_(exponents) {
  if (exponents_.side > 0) find_floor();
  std::vector<double> at(steps), rest(steps);
  double t = first_step;
  for (std::size_t k = 0; k < steps; ++k, t *= step_ratio) {
    at[k] = t;
    rest[k] = least(t);
  }
  // x t - least(t) between two steps is at most x times the later less least at the earlier one; beyond the
  // last it is negative if it is so there, as least(t)/t rises; up to the first it is at most x times that.
  double x = first_point;
  for (std::size_t i = 0; i < points; ++i, x *= point_ratio) {
    double most = high(Number(x) * Number(first_step));
    if (!(high(Number(x) * Number(at.back())) <= rest.back())) most = infinity;
    for (std::size_t k = 0; k + 1 < steps; ++k)
      most = std::max(most, high(Number(x) * Number(at[k + 1]) - Number(rest[k])));
    points_.push_back(x);
    values_.push_back(most);
  }
}

// At most the infimum.
template <typename Number>
double Reach<Number>::least(double t) const {
  const Number p = ratio<Number>(exponents_.p), q = ratio<Number>(exponents_.q), one(1.0), size(t);
  const Number half = ratio<Number>(exponents_.p_minus_1) / Number(2.0);
  if (exponents_.side <= 0) {
    const Number base = one + Number(2.0) * size / Number(3.0);
    const double bound = low(half * pow(base, exponents_.p_minus_2) * size * size);
    if (t < 0.01) return bound;
    const Number end = one + size;
    return std::max(bound, low(one / p + pow(end, exponents_.p) / q - pow(end, exponents_.p_minus_1)));
  }
  const double wide = low(Number(floor_) * pow(size, exponents_.p));
  if (t >= 1) {
    if (!(low(one / size) >= turn_)) return wide;
    // From a >= 1 on the least is at a = 1.
    const Number end = size - one;
    return low(one / p + pow(end, exponents_.p) / q + pow(end, exponents_.p_minus_1));
  }
  const Number end = one - size;
  const Number mean = low(p) >= 3 ? pow(one - Number(2.0) * size / Number(3.0), exponents_.p_minus_2)
                                  : one - (one - pow(end, exponents_.p_minus_2)) * Number(2.0) / Number(3.0);
  const double bound = low(half * mean * size * size);
  if (t < 0.01) return bound;
  return std::max(bound, low(one / p + pow(end, exponents_.p) / q - pow(end, exponents_.p_minus_1)));
}

// Chords of a convex function lie above it.
template <typename Number>
double Reach<Number>::table(double x) const {
  auto k = static_cast<std::size_t>(std::max(0.0, std::log(x / first_point) / std::log(point_ratio)));
  k = std::min(k, points - 2);
  while (k > 0 && points_[k] > x) --k;
  while (k + 2 < points && points_[k + 1] < x) ++k;
  if (!(points_[k] <= x && x <= points_[k + 1])) return infinity;
  if (!std::isfinite(values_[k + 1])) return infinity;
  const Number share = (Number(x) - Number(points_[k])) / (Number(points_[k + 1]) - Number(points_[k]));
  return high(Number(values_[k]) + share * (Number(values_[k + 1]) - Number(values_[k])));
}

// P > 2, whatever a is: d >= floor |e|^P.
template <typename Number>
double Reach<Number>::far(double h, double share) const {
  if (exponents_.side <= 0) return infinity;
  const Number scale = Number(share) * ratio<Number>(exponents_.p) * Number(floor_);
  return high(pow(Number(h), exponents_.q) * pow(scale, exponents_.one_minus_q) /
              ratio<Number>(exponents_.q));
}

template <typename Number>
double Reach<Number>::conjugate(double h, double share, double edge, const Number& power) const {
  if (!(share > 0)) return infinity;
  if (!(edge > 0) || !(low(power) > 0)) return far(h, share);
  const Number scale = Number(share) * power;
  const double x = high(Number(h) / scale);
  // Convex, and 0 at 0.
  if (x < first_point)
    return high(scale * Number(edge) * Number(values_.front()) * (Number(x) / Number(first_point)));
  if (x > points_.back()) return far(h, share);
  return high(scale * Number(edge) * Number(table(x)));
}

template <typename Number>
double approx_reach_quadratic(const std::vector<double>& size, const PoweredRay<Number>& ray, double p) {
  double sum = 0;
  for (std::size_t j = 0; j < size.size(); ++j) {
    if (size[j] > 0)
      sum += size[j] * size[j] * (ray.edge[j] + 1e-9) / ((p - 1) * (high(ray.power[j]) + 1e-18));
  }
  return sum;
}

template <typename Number>
double Reach<Number>::operator()(const std::vector<double>& size, const PoweredRay<Number>& ray,
                                 double energy) const {
  const double guess = approx_reach_quadratic(size, ray, exponents_.p.value());
  double share = std::sqrt(guess / (2 * energy)) + 1e-12;
  double best = infinity;
  // Any share will do; at the best one of a quadratic the two parts are equal.
  for (int k = 0; k < 4; ++k) {
    Number rest(0.0);
    for (std::size_t j = 0; j < size.size(); ++j) {
      if (size[j] > 0) rest += Number(conjugate(size[j], share, ray.edge[j], ray.power[j]));
    }
    best = std::min(best, high(Number(share) * Number(energy) + rest));
    const double relative = high(rest) / (share * energy);
    if (!(relative > 0) || (relative > 0.7 && relative < 1.4)) break;
    share = std::isfinite(relative) ? share * std::sqrt(relative) : share * 4;
  }
  return best;
}

template <typename Number>
double remainder_constant(const Exponents& e) {
  if (e.side == 0) return 0;
  const Number p1 = ratio<Number>(e.p_minus_1);
  if (e.side > 0) {
    // The supremum of (1 - (P-1) s^(2-P))/((P-1)(1 + s/Q)) over s, piece by piece and then 1 over the rest.
    double s = std::pow(e.p_minus_1.value(), 1 / e.p_minus_2.value()) * (1 - 1e-9);
    const auto rise = [&](double x) { return Number(1.0) - p1 * pow(Number(x), e.two_minus_p); };
    double most = std::max(0.0, high(rise(s)));  // the first factor rises
    const auto fall = [&](double x) {
      return Number(1.0) / (p1 * (Number(1.0) + Number(x) / ratio<Number>(e.q)));
    };
    for (int k = 0; k < 1000; ++k, s *= 1.02) most = std::max(most, high(rise(s * 1.02) * fall(s)));
    return std::max(most, high(fall(s)));
  }
  // The least b in [P(2-P), 1] with b >= P(2-P)(1 + (1-b)^(1/(2-P))), from above.
  const double p = e.p.value();
  double least = p * (2 - p), most = 1;
  for (int k = 0; k < 60; ++k) {
    const double b = (least + most) / 2;
    (b >= p * (2 - p) * (1 + std::pow(1 - b, 1 / (2 - p))) ? most : least) = b;
  }
  const double b = std::min(1.0, most * (1 + 1e-9));
  const Exponent root{e.two_minus_p.denominator, e.two_minus_p.numerator};
  const Number needed =
      ratio<Number>(e.p) * ratio<Number>(e.two_minus_p) * (Number(1.0) + pow(Number(1.0) - Number(b), root));
  return high(Number(low(Number(b) - needed) >= 0 ? b : 1.0) / p1);
}

template <typename Number>
double rough_remainder(const Exponents& e, double u, double edge, double energy, double share) {
  const double p = e.p.value();
  const Number p1 = ratio<Number>(e.p_minus_1), two(2.0);
  // |e| <= t for all of the energy in this entry.
  double t = std::sqrt(2 * energy * std::pow(edge, 2 - p) / (p - 1)) + 1e-300;
  const auto wide = [&] { return Number(edge) + two * Number(t) / Number(3.0); };
  const auto reaches = [&] {
    return low(Number(t) * Number(t) - two * Number(energy) * pow(wide(), e.two_minus_p) / p1) >= 0;
  };
  for (int k = 0; k < 400 && !reaches(); ++k) t *= 1.1;
  if (!reaches()) return infinity;
  // factor |e|^(P-1) - curve e^2/2, largest at e = (factor (P-1)/curve)^(1/(3-P)).
  const Number curve = Number(share) * p1 * pow(wide(), e.p_minus_2);
  const Number factor = Number(u) * pow(two, e.two_minus_p) / p1;
  const long a = e.p.numerator, b = e.p.denominator;
  const Number at = pow(factor * p1 / curve, Exponent{b, 3 * b - a});
  return high(factor * pow(at, e.p_minus_1) * (Number(1.0) - p1 / two));
}

template class Reach<double>;
template class Reach<DoubleInterval>;
template struct PoweredRay<double>;
template struct PoweredRay<DoubleInterval>;
template double approx_reach_quadratic(const std::vector<double>&, const PoweredRay<double>&, double);
template double approx_reach_quadratic(const std::vector<double>&, const PoweredRay<DoubleInterval>&, double);
template double remainder_constant<double>(const Exponents&);
template double remainder_constant<DoubleInterval>(const Exponents&);
template double rough_remainder<double>(const Exponents&, double, double, double, double);
template double rough_remainder<DoubleInterval>(const Exponents&, double, double, double, double);

}  // namespace attest
