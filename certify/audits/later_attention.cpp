#include "certify/audits/later_attention.hpp"

#include <algorithm>

#include "numerics/forever/later_attention.hpp"

namespace attest {
namespace {

// Upper bounds by the proofs that speak of step t.
class Bounds {
 public:
  Bounds(const std::vector<const ForeverProof*>& proofs, const SelectionFacts<BallNumber>& facts,
         const RunGeometry& geometry, std::uint64_t t)
      : facts_(facts), geometry_(geometry), t_(t) {
    for (const ForeverProof* proof : proofs) {
      if (proof->t0 <= t) proofs_.push_back(proof);
    }
  }

  Rational attention(const std::vector<std::size_t>& constraints) const {
    Rational least = 1;
    for (const ForeverProof* proof : proofs_) {
      const auto bound = interval_of(later_attention(*proof, facts_, constraints, t_).ball());
      if (bound) least = std::min(least, bound->hi);
    }
    return std::max(least, Rational(0));
  }
  // Of constraint c of the facts.
  Constraint place(std::size_t c) const {
    const std::size_t first = geometry_.groups[facts_.constraints[c].group].first_row;
    return {facts_.groups[facts_.constraints[c].group].original, facts_.constraints[c].row - first};
  }

 private:
  const SelectionFacts<BallNumber>& facts_;
  const RunGeometry& geometry_;
  std::uint64_t t_;
  std::vector<const ForeverProof*> proofs_;
};

}  // namespace

Rational LaterAttention::most_lacking() const {
  Rational most = 0;
  for (const Sequence& one : sequences) most = std::max(most, one.lacking);
  return most;
}

Rational LaterAttention::greatest_masked() const {
  Rational greatest = 0;
  for (const Sequence& one : sequences) greatest = std::max(greatest, one.at_most);
  return greatest;
}

LaterAttention later_attention(const std::vector<const ForeverProof*>& proofs,
                               const SelectionFacts<BallNumber>& facts, const RunGeometry& geometry,
                               const Selection& selection, std::uint64_t t) {
  const Bounds bounds(proofs, facts, geometry, t);
  LaterAttention found{t, {}};
  for (const SelectionGroup<BallNumber>& group : facts.groups) {
    LaterAttention::Sequence sequence{group.original, selection[group.original], 0, 0, -1};
    std::vector<std::size_t> others;
    for (std::size_t c = group.first; c < group.last; ++c) {
      others.push_back(c);
      const Rational most = bounds.attention({c});
      if (most <= sequence.at_most) continue;
      sequence.masked = bounds.place(c).token;
      sequence.at_most = most;
    }
    sequence.lacking = bounds.attention(others);
    found.sequences.push_back(std::move(sequence));
  }
  return found;
}

LaterSets later_sets(const std::vector<const ForeverProof*>& proofs, const SelectionFacts<BallNumber>& facts,
                     const RunGeometry& geometry, const Selection& selection, const SelectedSets& sets,
                     std::uint64_t t) {
  const Bounds bounds(proofs, facts, geometry, t);
  LaterSets found{t, 0, 0, {}};
  for (const SelectionGroup<BallNumber>& group : facts.groups) {
    const std::vector<std::size_t>& set = sets[group.original];
    const bool holds = std::binary_search(set.begin(), set.end(), selection[group.original]);
    if (!holds) found.masked_at_most = 1;  // the selected token is outside
    std::vector<std::size_t> outside;
    for (std::size_t c = group.first; c < group.last; ++c) {
      const Constraint at = bounds.place(c);
      if (std::binary_search(set.begin(), set.end(), at.token)) {
        found.lost.push_back(at);
        continue;
      }
      outside.push_back(c);
      found.masked_at_most = std::max(found.masked_at_most, bounds.attention({c}));
    }
    const Rational lacking = holds ? bounds.attention(outside) : Rational(1);
    found.lacking = std::max(found.lacking, lacking);
  }
  return found;
}

}  // namespace attest
