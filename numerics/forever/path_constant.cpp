#include "numerics/forever/path_constant.hpp"

namespace attest {

Ball path_constant(const SelectionFacts<BallNumber>& facts, const StartPoint<BallNumber>& start,
                   const OptimizerSpec& spec, const RunPoint& point) {
  const BallNumber one(1.0), two(2.0);
  Ball nothing;
  arb_zero_pm_inf(nothing.raw());
  const StepLength length = step_length(spec);
  if (length == StepLength::other) return nothing;
  BallNumber inside(0.0), outside(0.0), weights(0.0), log_weight(0.0);  // Om, sum_N |omega|, C's sum, K
  bool all_inside = true;
  for (const SelectionGroup<BallNumber>& group : facts.groups) {
    BallNumber total(1.0), gaps(0.0);
    for (std::size_t c = group.first; c < group.last; ++c) {
      const BallNumber odds = facts.constraints[c].counted(exp(-start.margins[c]));
      total += odds;
      gaps += odds * facts.constraints[c].gap;
    }
    const BallNumber deficit = gaps / total;  // g_alpha - f
    const BallNumber scale = facts.weight * loss_slope(facts.loss, group.score - deficit) / total;
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<BallNumber>& k = facts.constraints[c];
      const BallNumber factor = k.counted(scale * (k.gap - deficit));  // b_c
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
