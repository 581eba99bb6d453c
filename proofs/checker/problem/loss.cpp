// The registry of losses: see problem/loss.hpp.
#include "proofs/checker/problem/loss.hpp"

#include <algorithm>

namespace attest_check {
namespace {

constexpr unsigned bound_bits = 160;  // of the derivatives' bounds
constexpr long cut_off = 4096;        // beyond it e^-u is replaced by e^-4096 < 2^-4096, and 1 - e^-u by 1

struct LossLaw {
  Interval (*slope)(const Interval& f);
  Interval (*curvature_ratio)(const Interval& f);
  Interval (*excess)(const Interval& score, const Interval& deficit);
  // An upper bound of |l''| over [low, high], from that of |l'|.
  Rational (*largest_curvature)(const Rational& low, const Rational& high, const Rational& slope);
};

constexpr LossLaw logistic = {
    [](const Interval& f) { return Interval(1) / (Interval(1) + exponential(f)); },
    [](const Interval& f) { return Interval(1) / (Interval(1) + exponential(-f)); },  // e^f/(1 + e^f)
    // log((1 + e^(-s + x))/(1 + e^-s)) = log(1 + (e^x - 1)/(1 + e^s))
    [](const Interval& score, const Interval& deficit) {
      return logarithm_of_one_plus(exponential_minus_one(deficit) / (Interval(1) + exponential(score)));
    },
    // l''(u) = q/(1 + q)^2 with q = e^-|u| <= 1, in which it increases.
    [](const Rational& low, const Rational& high, const Rational&) {
      const Rational nearest = std::min(std::max({Rational(0), low, Rational(-high)}), Rational(cut_off));
      const Interval q = exponential(-Interval(nearest, bound_bits)), sum = Interval(1) + q;
      return (q / (sum * sum)).upper();
    }};

constexpr LossLaw exponential_loss = {
    [](const Interval& f) { return exponential(-f); }, [](const Interval&) { return Interval(1); },
    [](const Interval& score, const Interval& deficit) {
      return exponential(-score) * exponential_minus_one(deficit);
    },
    [](const Rational&, const Rational&, const Rational& slope) { return slope; }};

constexpr LossLaw correlation = {
    [](const Interval&) { return Interval(1); }, [](const Interval&) { return Interval(0); },
    [](const Interval&, const Interval& deficit) { return deficit; },
    [](const Rational&, const Rational&, const Rational&) { return Rational(0); }};

// -log f. Its smoothness is not bounded through its derivatives (problem/smoothness.cpp).
constexpr LossLaw cross_entropy = {
    [](const Interval& f) { return Interval(1) / f; }, [](const Interval& f) { return Interval(1) / f; },
    [](const Interval& score, const Interval& deficit) { return -logarithm_of_one_plus(-deficit / score); },
    nullptr};

const LossLaw& law(Loss loss) {
  static constexpr const LossLaw* laws[] = {&logistic, &exponential_loss, &correlation, &cross_entropy};
  return *laws[static_cast<std::size_t>(loss) - 1];
}

}  // namespace

Interval loss_slope(Loss loss, const Interval& f) {
  return law(loss).slope(f);
}

Interval loss_curvature_ratio(Loss loss, const Interval& f) {
  return law(loss).curvature_ratio(f);
}

Interval most_curvature_ratio(Loss loss, const Interval& f) {
  return loss == Loss::cross_entropy ? loss_curvature_ratio(loss, f) : Interval(1);
}

Interval loss_excess(Loss loss, const Interval& score, const Interval& deficit) {
  return law(loss).excess(score, deficit);
}

bool loss_is_linear(Loss loss) {
  return loss == Loss::correlation;
}

DerivativeBounds derivative_bounds(Loss loss, const Rational& low, const Rational& high) {
  // |l'| decreases for every loss, so that it is largest at the least score.
  const Rational least = std::min(low, Rational(cut_off));
  const Rational first = loss == Loss::logistic && least < -cut_off
                             ? Rational(1)
                             : loss_slope(loss, Interval(least, bound_bits)).upper();
  return {first, law(loss).largest_curvature(low, high, first)};
}

}  // namespace attest_check
