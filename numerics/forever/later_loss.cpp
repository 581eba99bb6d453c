#include "numerics/forever/later_loss.hpp"

#include "numerics/forever/classifier_head.hpp"

namespace attest {
namespace {

// What a group's output, or a classifier's loss, is at most off by where all attention is on a token; 0 where
// it gains. A classifier's loss is convex in s: l(s) - l(alpha) <= sum_t s_t max(l(t) - l(alpha), 0), l(t)
// that of all attention on t.
BallNumber cost(const SelectionFacts<BallNumber>& facts, const SelectionGroup<BallNumber>& group,
                std::size_t c) {
  const ConstraintFacts<BallNumber>& k = facts.constraints[c];
  if (facts.loss == Loss::classifier) return fmax(classifier_excess(group.origin, k.shift), BallNumber(0.0));
  return facts.better[c] ? BallNumber(0.0) : k.gap;
}

// sum_t s_t cost_t with s_t <= (k_t/k_alpha) e^-m_t.
BallNumber cost_by_margins(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts, std::size_t i,
                           std::uint64_t t) {
  const SelectionGroup<BallNumber>& group = facts.groups[i];
  BallNumber sum(0.0);
  for (std::size_t c = group.first; c < group.last; ++c)
    sum += cost(facts, group, c) * facts.constraints[c].counted(exp(-proof.margin_at(facts, c, t)));
  return sum;
}

// The same with sum_t s_t = 1 - s_alpha, and what the output never falls below.
BallNumber cost_of(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts, std::size_t i,
                   std::uint64_t t) {
  const SelectionGroup<BallNumber>& group = facts.groups[i];
  BallNumber largest(0.0);
  for (std::size_t c = group.first; c < group.last; ++c) largest = fmax(largest, cost(facts, group, c));
  const BallNumber sum =
      fmin(cost_by_margins(proof, facts, i, t), largest * proof.unselected_at(facts, i, t));
  return proof.floors.empty() ? sum : fmin(sum, group.score - proof.floors[i]);
}

// L less its limit where groups cost so much at most; the loss decreases in f_i >= g_alpha - cost.
template <typename Cost>
BallNumber loss_of(const SelectionFacts<BallNumber>& facts, const Cost& cost) {
  BallNumber sum(0.0);
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    const BallNumber deficit = cost(i);
    if (facts.loss == Loss::classifier) {
      sum += facts.weight * deficit;
      continue;
    }
    Ball gap;
    loss_gap(gap.raw(), facts.loss, facts.groups[i].score.ball().raw(), deficit.ball().raw(),
             BallNumber::bits);
    sum += facts.weight * BallNumber(gap);
  }
  return sum;
}

}  // namespace

BallNumber later_loss_gap(const ForeverProof& proof, const SelectionFacts<BallNumber>& facts,
                          std::uint64_t t) {
  return loss_of(facts, [&](std::size_t i) { return cost_of(proof, facts, i, t); });
}

// Costs shrink with the slowest margin's e^-growth, and a convex loss by the same factor at least.
std::optional<GeometricLoss> geometric_loss(const ForeverProof& proof,
                                            const SelectionFacts<BallNumber>& facts, std::uint64_t t) {
  std::optional<BallNumber> slowest;
  for (const SelectionGroup<BallNumber>& group : facts.groups) {
    for (std::size_t c = group.first; c < group.last; ++c) {
      if (facts.loss != Loss::classifier && facts.better[c]) continue;
      const BallNumber growth = proof.margin_growth_at(facts, c, t);
      slowest = slowest ? fmin(*slowest, growth) : growth;
    }
  }
  if (!slowest || !positive(*slowest)) return std::nullopt;
  return GeometricLoss{loss_of(facts, [&](std::size_t i) { return cost_by_margins(proof, facts, i, t); }),
                       exp(-*slowest)};
}

}  // namespace attest
