// P > 2: what a step's own curvature adds to the divergence from the ray (MIRROR.md sections 6 and 13).
#pragma once

#include <vector>

#include "proofs/checker/claims/mirror/setting.hpp"

namespace attest_check {

// What is known of a step.
struct MirrorStep {
  Interval energy;                // at least E
  Interval outside;               // rho
  Interval length, share;         // at least tau ||V||_Q; at least tau Om
  std::vector<Interval> entries;  // at most |a_j|
};

// R, at least the supremum of r/(tau Om) - KL(mu|q).
Interval mirror_step_cost(const MirrorSetting& at, const MirrorStep& step);

}  // namespace attest_check
