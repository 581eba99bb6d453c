// The rate shapes of the papers B and C and their least constants along a run.
#pragma once

#include "numerics/runs/validated_run.hpp"

namespace attest {

// All shapes, without any step recorded: 1/t^2, 1/t, log t/t, (log t)^2/sqrt t, t^-1/2, t^-3/4, 1/log t,
// 1/log^2 t.
std::vector<RateShape> rate_shapes();

// Takes in the enclosure [lo, hi] of 1 - corr at step t; hi may be infinite. Shapes with log start at t = 2,
// the others at t = 1.
void record_rate(std::vector<RateShape>& shapes, std::uint64_t t, double lo, double hi);

}  // namespace attest
