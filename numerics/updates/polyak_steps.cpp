// polyak: tau = S_t (L - L*)/||V||^2. The Jacobian of a step is I - S vv' + s (I - 2vv') D: along v and
// across it [1 - S - s v'Dv, -s b'; s b, I + s D_perp] with b = (I - vv') D v (differentiate tau).
#include <cmath>

#include "numerics/runs/block_norm.hpp"
#include "numerics/runs/plain_step.hpp"
#include "numerics/updates/rules.hpp"

namespace attest {
namespace {

class PolyakSteps final : public UpdateRule {
 public:
  const char* word() const override { return "polyak"; }
  const char* long_name() const override { return "Polyak steps"; }
  const char* step_word() const override { return "factor"; }
  std::optional<Rational> default_step() const override { return Rational(1, 2); }
  StepLength length() const override { return StepLength::polyak; }
  bool uses_loss_gap() const override { return true; }

  // V = unit V': S (L - L*)/||V||^2 V = S (L - L*)/(unit ||V'||^2) V'.
  void scale(arb_ptr eta, const StepPoint& point, slong precision) const override {
    WorkingBall divisor;
    arb_mul(eta, eta, point.loss_gap, precision);
    arb_mul(divisor, point.speed, point.speed, precision);
    arb_mul(divisor, divisor, point.unit, precision);
    arb_div(eta, eta, divisor, precision);
  }
  void scale(DoubleStep& step) const override { scale_plain(step); }
  void scale(MpfrStep& step) const override { scale_plain(step); }

  double lengthening(const SpeedRange& speed, double gap_slack) const override {
    return speed.centre / speed.low * (1 + gap_slack) * rounded_up;
  }
  double jacobian_norm(const StepDerivative& derivative, double kept) const override {
    const double along = derivative.step * derivative.along;
    const double rounding = (kept + derivative.eta + std::abs(along)) * 0x1p-44;
    const double corner =
        std::abs(kept - derivative.eta - along) + (derivative.step * derivative.along_slack + rounding);
    return symmetric_norm(corner, derivative.step * derivative.across, derivative.spectral_norm(kept));
  }

 private:
  template <typename Step>
  static void scale_plain(Step& step) {
    step.tau *= step.loss_gap / (step.speed * step.speed * step.unit);
  }
};

}  // namespace

const UpdateRule& polyak_steps() {
  static const PolyakSteps rule;
  return rule;
}

}  // namespace attest
