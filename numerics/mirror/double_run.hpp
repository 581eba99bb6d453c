// Mirror descent in doubles, with weights relative to the largest logit: a guess of where a run leads.
#pragma once

#include <cstdint>

#include "numerics/mirror/iteration.hpp"

namespace attest {

// The token of each group of the data with the largest logit after so many steps: a guess. Ends early when
// numbers leave the range of doubles. Throws BudgetReached.
Selection guess_mirror_selection(const Features& features, const MirrorSpec& spec, const ExactArray& start,
                                 std::uint64_t steps, const Budget& budget);

}  // namespace attest
