// The theorem about the regularisation path in any norm: see claims/path_rate.hpp.
#include "proofs/checker/claims/path_rate.hpp"

#include <algorithm>

#include "proofs/checker/runs/head.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {
namespace {

constexpr long decay_cut = 1L << 32;  // e^-(gamma R) is taken for e^-2^32 when it is smaller

// Scores of a group with more than one different token.
struct ScoredGroup {
  std::size_t group = 0;
  Rational best, least;  // of the selected token, of the worst one
  Rational closest;      // least gap
  Interval total;        // sum of the gaps times k_c/k_alpha
};

// Rejects the claim unless every selected token scores better than all others of its group.
std::vector<ScoredGroup> scored_groups(const Claim& claim, unsigned bits) {
  const Features& features = *claim.problem.features;
  std::vector<ScoredGroup> groups;
  for (std::size_t i = 0; i < features.groups(); ++i) {
    if (features.different(i) == 1) continue;
    ScoredGroup scored;
    const std::size_t selected = claim.problem.selection[i];
    scored.group = i;
    scored.best = scored.least = features.exact_score(i, selected);
    bool first = true;
    for (std::size_t t = 0; t < features.tokens_of(i); ++t) {
      if (t == selected || !features.present(i, t)) continue;
      const Rational score = features.exact_score(i, t), gap = scored.best - score;
      if (gap <= 0) claim.fail("score gap at " + show(Constraint{i, t}), gap, ">", 0);
      scored.least = std::min(scored.least, score);
      scored.closest = first ? gap : std::min(scored.closest, gap);
      scored.total += by_multiplicity(features, i, t, selected, Interval(gap, bits), bits);
      first = false;
    }
    groups.push_back(std::move(scored));
  }
  return groups;
}

}  // namespace

void require_path(const Claim& claim, const Rational& radius) {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  claim.require(claim.problem.features->outputs() == nullptr, "not known of heads of several outputs");
  if (radius <= 0) claim.fail("from-radius", radius, ">", 0);
}

// theta is as small as the radius allows.
Interval path_rate(const Claim& claim, const Interval& margin, const Rational& radius,
                   const std::vector<Constraint>& active, const std::vector<Interval>& weight) {
  const unsigned bits = path_bits;
  const Features& features = *claim.problem.features;
  const std::vector<ScoredGroup> groups = scored_groups(claim, bits);
  const Interval share = Interval::ratio(1, Integer(features.groups()), bits);
  const Interval reach = margin * Interval(radius, bits), cut(decay_cut);
  const Interval decay = exponential(-(certainly_at_most(cut, reach) ? cut : reach));
  const auto weighted_slope = [&](const Interval& score) {
    return share * loss_slope(claim.problem.loss, score);
  };
  Interval scale;  // A
  for (const ScoredGroup& scored : groups) {
    const Interval low =
        maximum(Interval(scored.best, bits) - scored.total * decay, Interval(scored.least, bits));
    // Of cross-entropy log(1 + E) <= E, E the odds of the other tokens, at most total * decay.
    scale += (claim.problem.loss == Loss::cross_entropy ? share : weighted_slope(low)) * scored.total;
  }
  std::vector<Interval> kept(features.groups());  // B_c = kept gap_c k_c/k_alpha
  for (const ScoredGroup& scored : groups) {
    const Interval slope = weighted_slope(Interval(scored.best, bits));
    const Interval theta = scale * decay / (slope * Interval(scored.closest, bits));
    claim.require(certainly_less(theta, Interval(1)), "the selected token of group " +
                                                          std::to_string(scored.group) +
                                                          " may lose all attention at from-radius");
    kept[scored.group] = slope * (Interval(1) - theta);
  }
  Interval sum;
  for (std::size_t k = 0; k < active.size(); ++k) {
    const auto& [group, token] = active[k];
    const std::size_t selected = claim.problem.selection[group];
    const Rational gap = features.exact_score(group, selected) - features.exact_score(group, token);
    const Interval least =
        by_multiplicity(features, group, token, selected, kept[group] * Interval(gap, bits), bits);
    sum += weight[k] * logarithm(scale / least);
  }
  return sum;
}

}  // namespace attest_check
