// How far entries may be from the ray's: see claims/mirror/entries.hpp.
#include "proofs/checker/claims/mirror/entries.hpp"

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/base/powers.hpp"
#include "proofs/checker/claims/mirror/setting.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

using namespace t17;

}  // namespace

MirrorEntries::MirrorEntries(const Rational& exponent, const Vector& ray, const Interval& energy)
    : exponent_(exponent), energy_(energy) {
  if (exponent <= 2) {
    soften(ray);
    return;
  }
  const Rational order = exponent >= 3 ? Rational(exponent - 2) : Rational(1);
  const Interval floor = number((exponent - 1) / 2) * power(number(Rational(39) / 200), order, bits);
  widest_ = power(energy / floor, 1 / exponent, bits).upper_end();
  for (const Interval& entry : ray) hold(entry);
}

// P <= 2.
void MirrorEntries::soften(const Vector& ray) {
  const Interval p1 = number(exponent_ - 1), twice = Interval(2) * energy_ / p1;
  const Interval wide =
      power(twice * power(number(Rational(4) / 3), 2 - exponent_, bits), 1 / exponent_, bits);
  for (const Interval& entry : ray) {
    const Interval most = absolute(entry).upper_end();
    const auto reached = [&](const Interval& edge) {
      return square_root(twice * power(edge, 2 - exponent_, bits)).upper_end();
    };
    const Interval far = maximum(reached(Interval(2) * most), wide.upper_end());
    const Interval near = reached(most + number(Rational(2) / 3) * far);
    softness_.push_back((power(most + number(Rational(2) / 3) * near, 2 - exponent_, bits) / p1).upper_end());
  }
}

// P > 2: an entry whose divergence at half its size is more than there is stays within that half.
void MirrorEntries::hold(const Interval& entry) {
  const Interval size = absolute(entry).lower_end(), p1 = number(exponent_ - 1);
  // At least the mean of (1 - s r)^(P-2) with the density 2s.
  const auto mean = [&](const Interval& r) {
    const Interval two_thirds = number(Rational(2) / 3);
    if (exponent_ >= 3) return power(Interval(1) - two_thirds * r, exponent_ - 2, bits);
    return number(Rational(1) / 3) + two_thirds * power(Interval(1) - r, exponent_ - 2, bits);
  };
  const Interval half = number(Rational(1) / 2);
  const Interval most = p1 * mean(half) * power(size, exponent_, bits) / Interval(8);
  if (!size.positive() || !certainly_less(energy_, most)) {
    loose_.push_back(softness_.size());
    softness_.emplace_back();
    farthest_.push_back(widest_);
    return;
  }
  const Interval scale = p1 * power(size, exponent_ - 2, bits);
  const auto reached = [&](const Interval& r) {
    return square_root(Interval(2) * energy_ / (scale * mean(r))).upper_end();
  };
  const Interval first = minimum(reached(half) / size, half).upper_end();
  farthest_.push_back(reached(first));
  softness_.push_back((Interval(1) / (scale * mean(first))).upper_end());
}

Interval MirrorEntries::reach(const Vector& h, const Vector& squares) const {
  const Interval firm =
      square_root(maximum(Interval(2) * energy_ * inner_product(squares, softness_), Interval(0)));
  if (loose_.empty()) return firm.upper_end();
  const Rational dual = exponent_ / (exponent_ - 1);
  Interval sum;
  for (const std::size_t j : loose_) sum += power(absolute(h[j]), dual, bits);
  return (firm + widest_ * power(sum, 1 / dual, bits)).upper_end();
}

}  // namespace attest_check
