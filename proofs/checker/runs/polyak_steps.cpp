// polyak: tau = S (L - L*)/||V||^2. The step's Jacobian is I - S vv' + s (I - 2vv')D (differentiate tau),
// whose norm is at most that of [|1 - S - s v'Dv|, g; g, k].
#include "proofs/checker/runs/rule.hpp"

namespace attest_check {
namespace {

Interval polyak_jacobian(const JacobianNumbers& at) {
  const Interval corner = absolute(Interval(1) - at.step_size - at.rayleigh).upper_end();
  const Interval difference = corner - at.rest;
  return ((corner + at.rest + square_root(difference * difference + Interval(4) * at.turning_squared)) /
          Interval(2))
      .upper_end();
}

}  // namespace

const UpdateRule polyak_steps = {
    .divides = true,
    .uses_loss_gap = true,
    .fixed_length = false,
    .growth = GrowthLaw::linear,
    .factor =
        [](const StepNumbers& at) { return at.step_size * at.loss_gap / (at.scale * at.speed * at.speed); },
    .jacobian = polyak_jacobian};

}  // namespace attest_check
