// The regularisation path for every radius: see claims/regularisation_path.hpp.
#include "proofs/checker/claims/regularisation_path.hpp"

#include <algorithm>

#include "proofs/checker/runs/head.hpp"
#include "proofs/checker/runs/reference_direction.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {
namespace {

constexpr unsigned working_bits = 384;  // attest-check-verified has 320, and is nowhere sharper
constexpr long decay_cut = 1L << 32;    // e^-(gamma R) is taken for e^-2^32 when it is smaller

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

// kappa/gamma of T21 with theta as small as the radius allows; rejects the claim where theta is not below 1.
Interval path_rate(const Claim& claim, const ReferenceDirection& direction, const Rational& radius) {
  const unsigned bits = direction.bits;
  const Features& features = *claim.problem.features;
  const std::vector<ScoredGroup> groups = scored_groups(claim, bits);
  const Interval weight = Interval::ratio(1, Integer(features.groups()), bits);
  const Interval reach = direction.margin * Interval(radius, bits), cut(decay_cut);
  const Interval decay = exponential(-(certainly_at_most(cut, reach) ? cut : reach));
  const auto weighted_slope = [&](const Interval& score) {
    return weight * loss_slope(claim.problem.loss, score);
  };
  Interval scale;  // A
  for (const ScoredGroup& scored : groups) {
    const Interval low =
        maximum(Interval(scored.best, bits) - scored.total * decay, Interval(scored.least, bits));
    // Of cross-entropy log(1 + E) <= E, E the odds of the other tokens, at most total * decay.
    scale += (claim.problem.loss == Loss::cross_entropy ? weight : weighted_slope(low)) * scored.total;
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
  Interval kappa;
  for (std::size_t k = 0; k < direction.active.size(); ++k) {
    const auto& [group, token] = direction.active[k];
    const std::size_t selected = claim.problem.selection[group];
    const Rational gap = features.exact_score(group, selected) - features.exact_score(group, token);
    const Interval least =
        by_multiplicity(features, group, token, selected, kept[group] * Interval(gap, bits), bits);
    kappa += direction.weight[k] * logarithm(scale / least);
  }
  return direction.norm * kappa;
}

}  // namespace

std::unique_ptr<Fact> RegularisationPath::check(const Claim& claim) const {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  claim.require(claim.problem.features->outputs() == nullptr, "not known of heads of several outputs");
  if (radius <= 0) claim.fail("from-radius", radius, ">", 0);
  try {
    const ReferenceDirection direction = reference_direction(claim, claim.cite(from), working_bits, true);
    const Interval rate = path_rate(claim, direction, radius);
    claim.require_at_most(rate.upper(), constant, "rate constant of the theorem against rate-constant");
  } catch (const Imprecise&) {
    claim.fail("a number is not bounded away from 0");
  }
  return std::make_unique<Fact>();
}

}  // namespace attest_check
