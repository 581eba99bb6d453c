#include "numerics/forever/later_loss.hpp"

#include "numerics/forever/classifier_head.hpp"

namespace attest {
namespace {

// Of one group of a classifier. The loss is convex in s: l(s) - l(alpha) <= sum_t s_t max(l(t) - l(alpha),
// 0), l(t) that of all attention on t.
BallNumber classifier_loss_gap(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts,
                               std::size_t i, std::uint64_t t) {
  const SelectionGroup<BallNumber>& group = facts.groups[i];
  BallNumber sum(0.0), largest(0.0);
  for (std::size_t c = group.first; c < group.last; ++c) {
    const ConstraintFacts<BallNumber>& k = facts.constraints[c];
    const BallNumber rise = fmax(classifier_excess(group.origin, k.shift), BallNumber(0.0));
    sum += rise * k.counted(exp(-proof.margin_at(facts, c, t)));
    largest = fmax(largest, rise);
  }
  sum = fmin(sum, largest * proof.unselected_at(facts, i, t));
  return proof.floors.empty() ? sum : fmin(sum, group.score - proof.floors[i]);
}

}  // namespace

// f_i >= g_alpha - sum_t s_t max(gap_t, 0) with s_t <= (k_t/k_alpha) e^-m_t and sum_t s_t = 1 - s_alpha, and
// the loss decreases in f_i.
BallNumber later_loss_gap(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts,
                          std::uint64_t t) {
  BallNumber sum(0.0);
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    const SelectionGroup<BallNumber>& group = facts.groups[i];
    if (facts.loss == Loss::classifier) {
      sum += facts.weight * classifier_loss_gap(proof, facts, i, t);
      continue;
    }
    BallNumber deficit(0.0);
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<BallNumber>& k = facts.constraints[c];
      if (!facts.better[c]) deficit += k.gap * k.counted(exp(-proof.margin_at(facts, c, t)));
    }
    deficit = fmin(deficit, group.gap_above * proof.unselected_at(facts, i, t));
    if (!proof.floors.empty()) deficit = fmin(deficit, group.score - proof.floors[i]);
    Ball gap;
    loss_gap(gap.raw(), facts.loss, group.score.ball().raw(), deficit.ball().raw(), BallNumber::bits);
    sum += facts.weight * BallNumber(gap);
  }
  return sum;
}

}  // namespace attest
