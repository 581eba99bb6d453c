// ngd: tau = eta/||V||. The Jacobian of a step is I + s (I - vv') D: along v and across it
// [1, 0; s b, I + s D_perp] with b = (I - vv') D v.
#include "numerics/runs/block_norm.hpp"
#include "numerics/runs/plain_step.hpp"
#include "numerics/updates/rules.hpp"

namespace attest {
namespace {

class NormalisedDescent final : public UpdateRule {
 public:
  const char* word() const override { return "ngd"; }
  const char* long_name() const override { return "normalised gradient descent"; }
  StepLength length() const override { return StepLength::constant; }

  void scale(arb_ptr eta, const StepPoint& point, slong precision) const override {
    arb_div(eta, eta, point.speed, precision);
  }
  void scale(DoubleStep& step) const override { step.tau /= step.speed; }
  void scale(MpfrStep& step) const override { step.tau /= step.speed; }

  double lengthening(const SpeedRange&, double) const override { return 1; }
  double jacobian_norm(const StepDerivative& derivative, double kept) const override {
    return lower_triangular_norm(kept, derivative.step * derivative.across, derivative.spectral_norm(kept));
  }
};

}  // namespace

const UpdateRule& normalised_descent() {
  static const NormalisedDescent rule;
  return rule;
}

}  // namespace attest
