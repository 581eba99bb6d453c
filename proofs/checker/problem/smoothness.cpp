// How fast the gradient of the training loss can change: see problem/smoothness.hpp.
#include "proofs/checker/problem/smoothness.hpp"

#include <algorithm>

namespace attest_check {

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
  constexpr long working_bits = 160;
  const Features& features = *problem.features;
  // root_bound >= 1/(6 sqrt 3) = 1/sqrt(108)
  const Integer root = sqrt(Integer(power_of_two(2 * working_bits) / 108)) + 1;
  const Rational root_bound = scale_by_power_of_two(root, -working_bits);
  Rational sum;
  const Outputs* outputs = features.outputs();  // of a classifier
  for (std::size_t group = 0; group < features.groups(); ++group) {
    if (features.different(group) == 1) continue;
    const Rational diameter = fraction(diameter_squared(features, group), features.product_denominator());
    if (problem.loss == Loss::cross_entropy || outputs != nullptr) {
      sum += diameter * (outputs != nullptr ? outputs->smoothness(group, root_bound) : fraction(1, 4));
      continue;
    }
    Rational low = features.exact_score(group, 0), high = low;
    for (std::size_t t = 1; t < features.tokens_of(group); ++t) {
      const Rational score = features.exact_score(group, t);
      low = std::min(low, score);
      high = std::max(high, score);
    }
    const Rational spread = high - low;
    const auto [m1, m0] = derivative_bounds(problem.loss, low, high);
    sum += diameter * spread * (m1 * root_bound + m0 * spread / 16);
  }
  return sum / Rational(features.groups());
}

}  // namespace attest_check
