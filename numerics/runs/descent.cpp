#include "numerics/runs/descent.hpp"

#include <cmath>

namespace attest {

Descent::Descent(const IterationStart& start)
    : spec_(start.spec),
      point_(start.geometry, start.spec.loss, start.start, start.format, start.budget),
      gradient_step_(start.geometry, start.spec, start.format, start.budget) {}

IterationStatus Descent::advance() {
  // A step that overshoots loses bits for ever; one whose bound is below 2 only seems to.
  constexpr double overshooting = 1.9;
  const IterationStatus prepared = gradient_step_.prepare(point_, step_);
  if (prepared != IterationStatus::ok) return prepared;
  const auto derivative = gradient_step_.derivative(point_, overshooting);
  if (!derivative) return IterationStatus::precision;
  const double jacobian = spec_.rule->jacobian_norm(*derivative, 1);
  if (!(jacobian > 0) || !std::isfinite(jacobian)) return IterationStatus::precision;
  const IterationStatus multiplied = gradient_step_.multiply(point_);
  if (multiplied != IterationStatus::ok) return multiplied;
  const bool refreshes = (step_ + 1) % refresh_period == 0;
  if (!point_.move(gradient_step_.coordinates(), gradient_step_.image(), gradient_step_.image_error()) ||
      (refreshes && !point_.refresh_image())) {
    point_.take_back(gradient_step_.coordinates());
    return IterationStatus::range;
  }
  ++step_;
  Magnitude part;
  mag_set_d(part, jacobian);
  mag_mul(point_.error(), point_.error(), part);
  mag_add(point_.error(), point_.error(), gradient_step_.error());
  amplification_bits_ += std::log2(jacobian);
  return IterationStatus::ok;
}

Iteration::State Descent::save() const {
  State state{step_, point_.coordinates().limbs(), {}};
  Ball error;  // 0 with the radius as it is: read back as a midpoint it would be rounded up
  mag_set(arb_radref(error.raw()), point_.radius());
  state.errors.push_back(error);
  return state;
}

IterationStatus Descent::restore(const State& state) {
  if (state.errors.size() != 1 || !arf_is_zero(arb_midref(state.errors[0].raw())) ||
      !point_.place(state.coordinates, state.step == 0))
    return IterationStatus::range;
  step_ = state.step;
  mag_set(point_.error(), arb_radref(state.errors[0].raw()));
  return IterationStatus::ok;
}

// Each coordinate loses less than an ulp of the format, so W moves by less than sqrt(n d lmax(Gram of
// queries)) ulps (as in GradientStep::multiply).
std::optional<Iteration::State> Descent::state_in(FixedFormat format) const {
  const FixedVector& kept = point_.coordinates();
  const std::optional<FixedVector> other = in_format(kept, format);
  if (!other) return std::nullopt;
  Magnitude lost;
  if (format.fraction_bits < kept.format().fraction_bits)
    mag_set_d(lost,
              std::sqrt(static_cast<double>(kept.size()) * point_.geometry().gram_norm) * (1 + 0x1p-40));
  mag_mul_2exp_si(lost, lost, -format.fraction_bits);
  State state{step_, other->limbs(), {}};
  Ball error;
  mag_add(arb_radref(error.raw()), point_.radius(), lost);
  state.errors.push_back(error);
  return state;
}

}  // namespace attest
