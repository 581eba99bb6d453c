#include "numerics/forever/listener.hpp"

#include <utility>

#include "numerics/forever/path_constant.hpp"

namespace attest {

void ForeverListener::begin(const ReferenceDirection* direction, const MarginSolution* solution) {
  residual_.reset();
  scan_.begin(direction, solution);
  scan_.resume(std::exchange(resumed_, {}));
}

void ForeverListener::watch(const EnclosedPoint&, const RunObserver& observer, const RunPoint& point) {
  scan_.watch(observer, point);
}

bool ForeverListener::keeps(const RunPoint& point) {
  return !scan_.starts().empty() && scan_.starts().back().step == point.step;
}

std::optional<Ball> ForeverListener::path_constant(const RunObserver& observer, const RunPoint& point) {
  const ForeverProver* prover = scan_.prover();
  if (prover != nullptr && prover->ready())
    return attest::path_constant(prover->facts(), start_point(prover->facts(), observer, point), spec_,
                                 point);
  Ball nothing;
  arb_zero_pm_inf(nothing.raw());
  return nothing;
}

void ForeverListener::last(const RunObserver& observer, const RunPoint& point) {
  const ForeverProver* prover = scan_.prover();
  if (prover == nullptr || prover->support() == nullptr) return;
  residual_ = compare_with_limit(*prover->support(), start_point(prover->facts(), observer, point));
}

}  // namespace attest
