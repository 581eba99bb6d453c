// A gradient that vanishes: see claims/descent/stationary.hpp.
#include "proofs/checker/claims/descent/stationary.hpp"

#include <algorithm>
#include <map>

#include "proofs/checker/runs/point.hpp"

namespace attest_check {
namespace {

bool scores_differ(const Features& features, std::size_t group) {
  for (std::size_t t = 1; t < features.tokens_of(group); ++t) {
    if (features.score(group, t) != features.score(group, 0)) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Fact> Stationary::check(const Claim& claim) const {
  const Problem& problem = claim.problem;
  const Features& features = *problem.features;
  claim.require(problem.loss != Loss::none, "the problem names no loss");
  claim.require(problem.features->outputs() == nullptr, "not known of heads of several outputs");
  const std::size_t left = features.left_dimension(), right = features.right_dimension();
  const StartImage image = start_image(features, start);
  std::map<Rational, std::vector<Rational>> sums;  // by mean score: the gradient's part but for l'
  for (std::size_t i = 0; i < features.groups(); ++i) {
    const std::size_t tokens = features.tokens_of(i);
    if (!scores_differ(features, i) || features.queries().dot(i, features.queries(), i) == 0) continue;
    if (features.instance().offsets.size() > 0)
      too_large("a gradient of data with offsets is not decided exactly");
    const Integer logit = features.tokens().dot(features.row(i, 0), image.rows[i]);
    Integer total, count;  // with multiplicities
    for (std::size_t t = 0; t < tokens; ++t) {
      if (features.tokens().dot(features.row(i, t), image.rows[i]) != logit)
        claim.fail("the logits of group " + std::to_string(i) + " are not all equal");
      const Integer multiplicity(features.multiplicity(i, t));
      total += multiplicity * features.score(i, t);
      count += multiplicity;
    }
    // sum_t k_t (f - g_it) x_it / T, T = sum k_t, with f = total / (T denominator).
    std::vector<Integer> part(left);
    for (std::size_t t = 0; t < tokens; ++t) {
      const Integer weight = Integer(features.multiplicity(i, t)) * (total - count * features.score(i, t));
      features.tokens().add_multiple(weight, features.row(i, t), part.data());
    }
    const Rational mean = fraction(total, count * features.score_denominator());
    std::vector<Rational>& sum = sums[loss_is_linear(problem.loss) ? Rational(0) : mean];
    sum.resize(left * right);
    const Integer scale = count * count;
    for (std::size_t a = 0; a < left; ++a) {
      for (std::size_t b = 0; b < right; ++b)
        sum[a * right + b] += fraction(part[a] * features.queries().entry(i, b), scale);
    }
  }
  for (const auto& [mean, sum] : sums) {
    if (std::any_of(sum.begin(), sum.end(), [](const Rational& x) { return x != 0; }))
      claim.fail("the gradient's part of the groups of mean score " + show(mean) + " does not vanish");
  }
  return std::make_unique<Fact>();
}

}  // namespace attest_check
