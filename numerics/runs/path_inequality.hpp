// T9's path inequality along a run, with the centre 0 (theory.md section 4): x_{t+1}^2 - x_t^2 <= M (y_{t+1}
// - y_t) for y = <W,u>, x = ||W - y u||.
#pragma once

#include "numerics/runs/validated_run.hpp"

namespace attest {

// What the inequality needs of one step: enclosures of y and x^2 = ||W||^2 - y^2, at `bits` bits.
struct PathPoint {
  Ball height, residual_squared;
};
PathPoint path_point(const RunPoint& point, long bits);

// Takes in the step from `here`, at step t, to `next`. A step that does not certainly lead forward along u
// ends the stretch: a new one begins after it. Returns what the step needs, nothing for such a step.
std::optional<Ball> record_path(PathRecord& path, std::uint64_t t, const PathPoint& here,
                                const PathPoint& next, long bits);

}  // namespace attest
