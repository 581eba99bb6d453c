// What the theorems about all later steps need to know of a head of several outputs (DYNAMICS.md section 11).
#pragma once

#include <span>

#include "numerics/forever/selection_facts.hpp"

namespace attest {

// Enclosures of `group`'s score, origin, lowest, highest and swing, and of its constraints' gaps and shifts;
// group and constraints are otherwise filled in. `selected` is its token in the TokenData.
void enclose_outputs(SelectionGroup<BallNumber>& group, std::span<ConstraintFacts<BallNumber>> constraints,
                     const RunGeometry& geometry, std::size_t selected);

// T21: all attention on the selected token is better than attention s by sum_t s_t least_t at least and sum_t
// s_t most_t at most: of a classifier in the loss, of ReLU units in the output.
struct RiseBounds {
  BallNumber least, most;
};
RiseBounds rise_bounds(const OutputTable& table, std::size_t group, std::size_t selected_row,
                       std::size_t other_row);

// What the group of a classifier adds to beta, times the number of groups: T6 for a classifier.
BallNumber classifier_smoothness(const RunGeometry& geometry, const RunGroup& group);

}  // namespace attest
