// The attention stage's training where every entry of W is enclosed by itself, as a checker may do
// (NEXT_TOKEN.md section 7): how much wider the enclosures become.
#pragma once

#include <cstdint>

#include "numerics/next_token/attention_stage.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

// log2 of the factor by which the widest of W's entries grows in so many steps from W = 0, to first order and
// in floating point: a guess. `scale` is c, `step` is eta. Not finite where floating point does not do.
// Throws BudgetReached.
double entry_growth(const AttentionStage& stage, double scale, double step, std::uint64_t steps,
                    const Budget& budget);

}  // namespace attest
