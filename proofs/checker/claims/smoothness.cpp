// A Lipschitz constant of the gradient: see claims/smoothness.hpp.
#include "proofs/checker/claims/smoothness.hpp"

#include <algorithm>

#include "proofs/checker/problem/smoothness.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {
namespace {

constexpr unsigned working_bits = 160;
constexpr long cut_off = 4096;  // beyond it e^-u is replaced by e^-4096 < 2^-4096, and 1 - e^-u by 1

// Upper bounds of the largest |l'| and |l''| over scores in [low, high].
struct DerivativeBounds {
  Rational first;
  Rational second;
};

DerivativeBounds derivative_bounds(Loss loss, const Rational& low, const Rational& high) {
  // |l'| decreases for every loss, so that it is largest at the least score.
  const Rational least = std::min(low, Rational(cut_off));
  const Rational first = loss == Loss::logistic && least < -cut_off
                             ? Rational(1)
                             : loss_slope(loss, Interval(least, working_bits)).upper();
  if (loss == Loss::correlation) return {first, 0};
  if (loss == Loss::exponential) return {first, first};
  // Logistic: l''(u) = q/(1 + q)^2 with q = e^-|u| <= 1, in which it increases.
  const Rational nearest = std::min(std::max({Rational(0), low, Rational(-high)}), Rational(cut_off));
  const Interval q = exponential(-Interval(nearest, working_bits)), sum = Interval(1) + q;
  return {first, (q / (sum * sum)).upper()};
}

}  // namespace

Integer diameter_squared(const Features& features, std::size_t group) {
  const std::size_t first = features.row(group, 0), tokens = features.tokens_of(group);
  std::vector<Integer> norm(tokens);  // ||x_t||^2
  for (std::size_t t = 0; t < tokens; ++t)
    norm[t] = features.tokens().dot(first + t, features.tokens(), first + t);
  Integer largest, distance;
  for (std::size_t s = 0; s < tokens; ++s) {
    for (std::size_t t = s + 1; t < tokens; ++t) {
      distance = norm[s] + norm[t] - 2 * features.tokens().dot(first + s, features.tokens(), first + t);
      if (distance > largest) largest = distance;
    }
  }
  return largest * features.queries().dot(group, features.queries(), group);
}

Rational smoothness_bound(const Problem& problem) {
  const Features& features = *problem.features;
  // root_bound >= 1/(6 sqrt 3) = 1/sqrt(108)
  const Integer root = sqrt(Integer(power_of_two(2 * working_bits) / 108)) + 1;
  const Rational root_bound = scale_by_power_of_two(root, -static_cast<long>(working_bits));
  Rational sum;
  for (std::size_t group = 0; group < features.groups(); ++group) {
    if (features.tokens_of(group) == 1) continue;
    Rational low = features.exact_score(group, 0), high = low;
    for (std::size_t t = 1; t < features.tokens_of(group); ++t) {
      const Rational score = features.exact_score(group, t);
      low = std::min(low, score);
      high = std::max(high, score);
    }
    const Rational spread = high - low;
    const auto [m1, m0] = derivative_bounds(problem.loss, low, high);
    const Rational diameter = fraction(diameter_squared(features, group), features.product_denominator());
    sum += diameter * spread * (m1 * root_bound + m0 * spread / 16);
  }
  return sum / Rational(features.groups());
}

std::unique_ptr<Fact> Smoothness::check(const Claim& claim) const {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  claim.require_at_most(smoothness_bound(claim.problem), beta,
                        "upper bound of the smoothness sum against beta");
  return std::make_unique<Fact>();
}

}  // namespace attest_check
