// The directions that a joint run is measured against, solved for the selection it leads to.
#pragma once

#include "certify/instance/instance.hpp"
#include "numerics/joint/iteration.hpp"
#include "numerics/joint/limits.hpp"

namespace attest {

// The decoder's, the plain problem's, and those of the relaxed and the shifted problem where they apply to
// steps as in `spec` (theory.md section 13). Of mirror descent the decoder's and the plain problem's in its
// P-norm; the relaxed one is not solved there.
JointLimits solve_joint_limits(const Instance& instance, const TokenData& data, const JointSpec& spec,
                               const Selection& selection, const Budget& budget);

}  // namespace attest
