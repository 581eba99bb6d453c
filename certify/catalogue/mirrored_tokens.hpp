// Tokens that share the attention for ever because they are mirror images of each other (CATALOGUE.md,
// B.gen).
#pragma once

#include <optional>

#include "certify/instance/instance.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// For every two tokens of a set let S be the reflection along their difference. If the S map every sequence's
// tokens and set onto themselves, with scores and multiplicities, and leave W0 as it is, they leave every
// W(t) of a gradient method as it is: tokens of a set have equal logits at every step, and W(t) is what it is
// for the instance answered, in which tokens have their parts orthogonal to the differences: those of a set
// are equal. W_mm of the sets is W_mm of their first tokens there. Nothing where that is not so, or scores
// are not all there is to the head. Exact; throws BudgetReached.
std::optional<Instance> folded(const Instance& instance, const TokenData& data, const SelectedSets& sets,
                               const Budget& budget);

}  // namespace attest
