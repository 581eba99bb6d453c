// gd: tau = eta. The Jacobian of a step is I + s D, symmetric.
#include "numerics/runs/plain_step.hpp"
#include "numerics/updates/rules.hpp"

namespace attest {
namespace {

class GradientDescent final : public UpdateRule {
 public:
  const char* word() const override { return "gd"; }
  const char* long_name() const override { return "gradient descent"; }
  StepLength length() const override { return StepLength::gradient; }

  void scale(arb_ptr eta, const StepPoint& point, slong precision) const override {
    arb_mul(eta, eta, point.unit, precision);
  }
  void scale(DoubleStep& step) const override { step.tau *= step.unit; }
  void scale(MpfrStep& step) const override { step.tau *= step.unit; }

  double lengthening(const SpeedRange& speed, double) const override {
    return speed.high / speed.centre * rounded_up;
  }
  double jacobian_norm(const StepDerivative& derivative, double kept) const override {
    return derivative.spectral_norm(kept);
  }
};

}  // namespace

const UpdateRule& gradient_descent() {
  static const GradientDescent rule;
  return rule;
}

}  // namespace attest
