#include "numerics/forever/later_loss.hpp"

namespace attest {

// f_i >= g_alpha - sum_t s_t max(gap_t, 0) with s_t <= (k_t/k_alpha) e^-m_t and sum_t s_t = 1 - s_alpha, and
// the loss decreases in f_i.
BallNumber later_loss_gap(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts,
                          std::uint64_t t) {
  BallNumber sum(0.0);
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    const SelectionGroup<BallNumber>& group = facts.groups[i];
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
