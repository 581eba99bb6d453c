// ngd: tau = eta/||V||. The step's Jacobian is I + s (I - vv')D, whose norm is at most that of [1, 0; g, k].
#include "proofs/checker/runs/rule.hpp"

namespace attest_check {
namespace {

Interval jacobian(const JacobianNumbers& at) {
  const Interval& g2 = at.turning_squared;
  const Interval &rest = at.rest, minus = rest - Interval(1), plus = rest + Interval(1);
  const Interval root = square_root((g2 + minus * minus) * (g2 + plus * plus));
  return square_root((Interval(1) + g2 + rest * rest + root) / Interval(2)).upper_end();
}

}  // namespace

const UpdateRule normalised_steps = {.divides = true,
                                     .uses_loss_gap = false,
                                     .fixed_length = true,
                                     .growth = GrowthLaw::linear,
                                     .factor = [](const StepNumbers& at) { return at.step_size / at.speed; },
                                     .jacobian = jacobian};

}  // namespace attest_check
