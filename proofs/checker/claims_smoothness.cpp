// Claim kind smoothness: an explicit Lipschitz constant of the training loss's gradient (GRAMMAR.md section
// 4, SOUNDNESS.md).
#include <algorithm>

#include "proofs/checker/context.hpp"
#include "proofs/checker/exponential.hpp"
#include "proofs/checker/smoothness.hpp"

namespace attest_check {
namespace {

constexpr unsigned working_bits = 128;
constexpr long negligible = 4096;  // e^-4096 is replaced by 2^-4096 > e^-4096, and 1 - e^-4096 by 1

// Upper bounds of the largest |l'| and |l''| over scores in [low, high].
struct DerivativeBounds {
  Rational first;
  Rational second;
};

// An upper bound of e^-u, u >= 0.
Rational decay(const Rational& u) {
  if (u > negligible) return scale_by_power_of_two(1, -negligible);
  return exponential(-u, working_bits).upper();
}

DerivativeBounds derivative_bounds(Loss loss, const Rational& low, const Rational& high) {
  if (loss == Loss::correlation) return {1, 0};
  if (loss == Loss::exponential) {
    const Rational value = low >= 0 ? decay(low) : exponential(-low, working_bits).upper();
    return {value, value};
  }
  // Logistic: |l'(u)| = 1/(1 + e^u) decreases; |l''(u)| = e^u/(1 + e^u)^2 is even and decreases in |u|. Both
  // are at most e^-|u| for u >= 0, and q/(1 + q), q/(1 + q)^2 increase in q = e^-|u| <= 1.
  const auto ratio = [](const Rational& q) { return Rational(q / (1 + q)); };
  const Rational first = low >= 0            ? ratio(decay(low))
                         : low < -negligible ? Rational(1)
                                             : Rational(1 / (1 + exponential(low, working_bits).lower()));
  const Rational nearest = low > 0 ? low : high < 0 ? Rational(-high) : Rational(0);
  const Rational q = std::min(decay(nearest), Rational(1));
  const Rational second = nearest == 0 ? Rational(1, 4) : Rational(q / ((1 + q) * (1 + q)));
  return {round_up(first, working_bits), round_up(second, working_bits)};
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

Check read_smoothness(const Claim& claim, Line& line, CertificateText&) {
  line.expect("beta");
  Rational beta = line.rational();
  line.finish();
  return [&claim, beta = std::move(beta)] {
    claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
    claim.require_at_most(smoothness_bound(claim.problem), beta, "upper bound of the smoothness sum against beta");
    return std::make_unique<Fact>();
  };
}

}  // namespace attest_check
