// What the theorems about all later steps need to know of a head of several outputs (DYNAMICS.md section 11).
#pragma once

#include <span>

#include "numerics/forever/selection_facts.hpp"

namespace attest {

// Enclosures of `group`'s score, origin, lowest, highest and swing, and of its constraints' gaps and shifts;
// group and constraints are otherwise filled in. `selected` is its token in the TokenData.
void enclose_outputs(SelectionGroup<BallNumber>& group, std::span<ConstraintFacts<BallNumber>> constraints,
                     const RunGeometry& geometry, std::size_t selected);

// What the group of a classifier adds to beta, times the number of groups: T6 for a classifier.
BallNumber classifier_smoothness(const RunGeometry& geometry, const RunGroup& group);

}  // namespace attest
