// gd: tau = eta. The step's Jacobian is I + eta DV.
#include "proofs/checker/runs/rule.hpp"

namespace attest_check {

const UpdateRule gradient_steps = {.divides = false,
                                   .uses_loss_gap = false,
                                   .fixed_length = false,
                                   .growth = GrowthLaw::logarithmic,
                                   .factor = [](const StepNumbers& at) { return at.step_size * at.scale; },
                                   .jacobian = [](const JacobianNumbers& at) { return at.rest; }};

}  // namespace attest_check
