// The norm of a gradient in T1's form: see velocity_norm.hpp.
#include "proofs/checker/velocity_norm.hpp"

#include "proofs/checker/run_specification.hpp"

namespace attest_check {

RunGroups::RunGroups(const Features& of) : features(of) {
  for (std::size_t i = 0; i < features.groups(); ++i) {
    if (features.tokens_of(i) > 1) active.push_back(i);
  }
  for (const std::size_t i : active) {
    std::vector<Integer>& row = gram.emplace_back();
    for (const std::size_t j : active) row.push_back(features.queries().dot(i, features.queries(), j));
    const std::size_t tokens = features.tokens_of(i);
    std::vector<std::vector<Interval>>& distances = reach.emplace_back(tokens, std::vector<Interval>(tokens));
    for (std::size_t s = 0; s < tokens; ++s) {
      for (std::size_t t = 0; t < s; ++t) {
        distances[s][t] = distances[t][s] =
            square_root(Interval(token_distance_squared(features, i, s, t), 64)).upper_end();
      }
    }
  }
}

// Lemma R12 (gradient). The weights are rounded to integers over one power of two; the norm of the rounded
// combination is exact but for one square root, and by the triangle inequality the rounding changes it by at
// most sum |change| ||a_ref - a_t||.
Interval velocity_norm(const RunGroups& groups, const std::vector<std::size_t>& reference,
                       const std::vector<std::vector<Interval>>& omega, unsigned bits) {
  const Features& features = groups.features;
  const std::size_t count = groups.active.size(), left = features.left_dimension();
  Interval largest(0);
  for (const auto& group : omega) {
    for (const Interval& x : group) largest = maximum(largest, absolute(x).rounded(64));
  }
  if (largest.upper() == 0) return Interval(0);
  const long scale = static_cast<long>(bits) - largest.top();
  Interval slack;
  std::vector<std::vector<Integer>> combination(count, std::vector<Integer>(left));
  for (std::size_t a = 0; a < count; ++a) {
    const std::size_t i = groups.active[a];
    Integer total;
    for (std::size_t t = 0; t < omega[a].size(); ++t) {
      if (t == reference[a]) continue;
      const Integer lo = omega[a][t].floor_at(scale), hi = omega[a][t].ceil_at(scale);
      slack += groups.reach[a][reference[a]][t] * Interval::between(0, hi - lo, -scale, 64);
      features.tokens().add_multiple(-lo, features.row(i, t), combination[a].data());
      total += lo;
    }
    features.tokens().add_multiple(total, features.row(i, reference[a]), combination[a].data());
  }
  Integer squared, image;
  for (std::size_t k = 0; k < left; ++k) {
    for (std::size_t a = 0; a < count; ++a) {
      image = 0;
      for (std::size_t b = 0; b < count; ++b) add_product(image, groups.gram[a][b], combination[b][k]);
      add_product(squared, image, combination[a][k]);
    }
  }
  const Interval norm = square_root(Interval::ratio(squared, features.product_denominator(), bits)) *
                        Interval::between(1, 1, -scale, bits);
  return maximum(Interval::hull(norm - slack, norm + slack), Interval(0));
}

}  // namespace attest_check
