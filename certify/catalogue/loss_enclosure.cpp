// Loss enclosures: each monotone function is evaluated by Arb at the ends of its argument's interval.
#include "certify/catalogue/loss_enclosure.hpp"

#include <algorithm>

#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {
namespace {

const Rational& largest_argument() {
  static const Rational bound(Integer(1) << 20);
  return bound;
}

// Encloses the increasing function f at the exact number x.
template <typename F>
std::optional<Interval> evaluate(const Rational& x, F f, long bits) {
  if (x > largest_argument() || x < -largest_argument()) return std::nullopt;
  const Ball image = f(Ball(x, bits + 64), bits + 32);
  if (!image.is_finite()) return std::nullopt;
  return Interval{image.lower(), image.upper()};
}

template <typename F>
std::optional<Interval> evaluate(const Interval& x, F f, long bits) {
  std::optional<Interval> lo = evaluate(x.lo, f, bits);
  if (!lo || is_point(x)) return lo;
  const std::optional<Interval> hi = evaluate(x.hi, f, bits);
  if (!hi) return std::nullopt;
  return Interval{lo->lo, hi->hi};
}

}  // namespace

std::optional<Interval> exp_of(const Interval& x, long bits) {
  if (x.lo == 0 && x.hi == 0) return point(1);
  const auto exponential = [](const Ball& u, long p) { return exp(u, p); };
  if (x.lo >= -largest_argument()) return evaluate(x, exponential, bits);
  // Below the range the lower end is 0.
  const std::optional<Interval> hi =
      evaluate(std::max(x.hi, Rational(-largest_argument())), exponential, bits);
  if (!hi) return std::nullopt;
  return Interval{0, hi->hi};
}

std::optional<Interval> expm1_of(const Interval& x, long bits) {
  if (x.lo == 0 && x.hi == 0) return point(0);
  return evaluate(
      x, [](const Ball& u, long p) { return expm1(u, p); }, bits);
}

std::optional<Interval> log1p_of(const Interval& x, long bits) {
  if (x.lo == 0 && x.hi == 0) return point(0);
  return evaluate(
      x, [](const Ball& u, long p) { return log1p(u, p); }, bits);
}

std::optional<Interval> slope_size(Loss loss, const Rational& u, long bits) {
  if (loss == Loss::correlation) return point(1);
  if (loss == Loss::exponential) return exp_of(point(-u), bits);
  if (u == 0) return point(Rational(1, 2));
  const std::optional<Interval> power = exp_of(point(u), bits);
  if (!power) return std::nullopt;
  return shorten(point(1) / (point(1) + *power), bits);
}

std::optional<Interval> largest_slope(Loss loss, const Rational& lo, const Rational& /*hi*/, long bits) {
  return slope_size(loss, lo, bits);  // |l'| decreases because l is convex and decreasing
}

std::optional<Interval> largest_curvature(Loss loss, const Rational& lo, const Rational& hi, long bits) {
  if (loss == Loss::correlation) return point(0);
  if (loss == Loss::exponential) return exp_of(point(-lo), bits);
  // s(1 - s) with s = 1/(1 + e^u) is even in u and decreases in |u|.
  const Rational nearest = lo > 0 ? lo : hi < 0 ? hi : Rational(0);
  const std::optional<Interval> s = slope_size(loss, nearest, bits);
  if (!s) return std::nullopt;
  return *s * (point(1) - *s);
}

std::optional<Interval> excess_loss(Loss loss, const Rational& g, const Interval& shortfall, long bits) {
  if (loss == Loss::correlation) return shortfall;
  const std::optional<Interval> growth = expm1_of(shortfall, bits);
  if (!growth) return std::nullopt;
  if (loss == Loss::exponential) {
    const std::optional<Interval> scale = exp_of(point(-g), bits);
    if (!scale) return std::nullopt;
    return *scale * *growth;
  }
  const std::optional<Interval> scale = slope_size(loss, g, bits);  // e^-g / (1 + e^-g)
  if (!scale) return std::nullopt;
  return log1p_of(*scale * *growth, bits);
}

}  // namespace attest
