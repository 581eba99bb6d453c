#include "numerics/forever/later_attention.hpp"

namespace attest {

// The others of the group have at least the selected token's attention together: with s_c/s_alpha =
// (k_c/k_alpha) e^-m_c, a sum S of these is at most S/(1 + S) of all.
BallNumber later_attention(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts,
                           const std::vector<std::size_t>& constraints, std::uint64_t t) {
  BallNumber odds(0.0);
  if (constraints.empty()) return odds;
  for (const std::size_t c : constraints)
    odds += facts.constraints[c].counted(exp(-proof.margin_at(facts, c, t)));
  const std::size_t group = facts.constraints[constraints.front()].group;
  return fmin(fmin(odds / (BallNumber(1.0) + odds), BallNumber(1.0)), proof.unselected_at(facts, group, t));
}

}  // namespace attest
