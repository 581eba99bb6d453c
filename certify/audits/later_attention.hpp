// Masked and selected tokens decided by proof: bounds of their attention at all steps from one on, by
// theorems about all later steps.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/forever/proof.hpp"
#include "numerics/runs/geometry.hpp"

namespace attest {

struct LaterAttention {
  std::uint64_t from = 0;
  struct Sequence {
    std::size_t group = 0;     // of the data; one with at least two different tokens
    std::size_t selected = 0;  // the token that the proof selects
    Rational lacking;        // 1 - its attention, that of its copies included, at most, at all steps >= from
    std::size_t masked = 0;  // and another one with the largest bound
    Rational at_most;        // of its attention
  };
  std::vector<Sequence> sequences;

  Rational most_lacking() const;
  Rational greatest_masked() const;  // of at_most
};

// The best bounds that the proofs, all of `selection` and of steps up to t, give from t on.
LaterAttention later_attention(const std::vector<const ForeverProof*>& proofs,
                               const SelectionFacts<BallNumber>& facts, const RunGeometry& geometry,
                               const Selection& selection, std::uint64_t t);

// The same of selected sets.
struct LaterSets {
  std::uint64_t from = 0;
  Rational lacking;              // 1 - the attention of a set, at most, in every sequence
  Rational masked_at_most;       // of that of a token outside its set
  std::vector<Constraint> lost;  // tokens of sets whose attention tends to 0: another one is selected
};
LaterSets later_sets(const std::vector<const ForeverProof*>& proofs, const SelectionFacts<BallNumber>& facts,
                     const RunGeometry& geometry, const Selection& selection, const SelectedSets& sets,
                     std::uint64_t t);

}  // namespace attest
