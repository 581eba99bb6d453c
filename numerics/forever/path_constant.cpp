#include "numerics/forever/path_constant.hpp"

#include "numerics/forever/head.hpp"
#include "numerics/problem/loss_law.hpp"

namespace attest {
namespace {

// b_c at the point, for the constraints of group i in order; nothing where a ReLU unit may have another sign
// than at the selected token.
std::optional<std::vector<BallNumber>> factors_at(const SelectionFacts<BallNumber>& facts,
                                                  const StartPoint<BallNumber>& start, std::size_t i) {
  const SelectionGroup<BallNumber>& group = facts.groups[i];
  const std::size_t width = group.origin.size();
  BallNumber total(1.0);
  std::vector<BallNumber> odds, means(width, BallNumber(0.0)), gaps;
  for (std::size_t c = group.first; c < group.last; ++c) {
    odds.push_back(facts.constraints[c].counted(exp(-start.margins[c])));
    total += odds.back();
  }
  const BallNumber kept = BallNumber(1.0) / total;
  BallNumber scale = facts.weight * kept, deficit(0.0);
  const bool classifier = facts.loss == Loss::classifier;
  if (!classifier &&
      !with_head(facts.loss, facts.weight, [&](const auto& head) { return head.holds(group, kept); }))
    return std::nullopt;
  if (classifier) {
    for (std::size_t u = 0; u < width; ++u) {
      for (std::size_t c = group.first; c < group.last; ++c)
        means[u] += odds[c - group.first] * kept * facts.constraints[c].shift[u];
      means[u] += group.origin[u];
    }
  }
  for (std::size_t c = group.first; c < group.last; ++c) {
    const ConstraintFacts<BallNumber>& k = facts.constraints[c];
    gaps.push_back(classifier ? mean_of_classes(means, k.shift) : k.gap);
    deficit += odds[c - group.first] * kept * gaps.back();
  }
  if (!classifier) scale = scale * loss_slope(facts.loss, group.score - deficit);
  std::vector<BallNumber> factors;
  for (std::size_t c = group.first; c < group.last; ++c)
    factors.push_back(facts.constraints[c].counted(scale * (gaps[c - group.first] - deficit)));
  return factors;
}

}  // namespace

Ball path_constant(const SelectionFacts<BallNumber>& facts, const StartPoint<BallNumber>& start,
                   const OptimizerSpec& spec, const RunPoint& point) {
  const BallNumber one(1.0), two(2.0);
  Ball nothing;
  arb_zero_pm_inf(nothing.raw());
  const StepLength length = step_length(spec);
  if (length == StepLength::other) return nothing;
  BallNumber inside(0.0), outside(0.0), weights(0.0), log_weight(0.0);  // Om, sum_N |omega|, C's sum, K
  bool all_inside = true;
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    const SelectionGroup<BallNumber>& group = facts.groups[i];
    const auto factors = factors_at(facts, start, i);
    if (!factors) return nothing;
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<BallNumber>& k = facts.constraints[c];
      const BallNumber& factor = (*factors)[c - group.first];
      const BallNumber omega = factor * exp(-start.margins[c]);
      if (!positive(factor)) {
        if (k.active) return nothing;
        all_inside = false;
        outside += abs(omega);
        continue;
      }
      inside += omega;
      weights += factor * exp(-k.excess * start.height);
      if (k.active) log_weight += k.share * log(factor / k.share);
    }
  }
  const BallNumber gibbs = fmax(log(weights) - log_weight, BallNumber(0.0)), ratio = outside / inside;
  const BallNumber left = facts.margin - ratio * facts.norm_bound;
  if (!positive(left)) return nothing;
  Ball eta;
  step_size(eta.raw(), spec, point.step, BallNumber::bits);
  BallNumber step(eta);  // tau ||V||
  if (length == StepLength::gradient) step = step * BallNumber(point.gradient_norm);
  if (length == StepLength::polyak) step = step * start.loss_gap / BallNumber(point.gradient_norm);
  const BallNumber general = (two * gibbs + two * ratio * facts.norm_bound * start.residual +
                              step * facts.norm_bound * (one + ratio)) /
                             left;
  if (!all_inside || !without_loss_gap(length)) return general.ball();
  const BallNumber across = length == StepLength::constant
                                ? (one - facts.least_cosine * facts.least_cosine) / facts.least_cosine
                                : facts.spread_ratio;
  return fmin(general, two * gibbs / facts.margin + step * across).ball();
}

}  // namespace attest
