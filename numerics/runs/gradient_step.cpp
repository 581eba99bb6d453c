#include "numerics/runs/gradient_step.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace attest {
namespace {

// What is known of a step's derivative is in double precision.
constexpr slong longest_step_bits = 1000;

}  // namespace

GradientStep::GradientStep(const RunGeometry& geometry, const OptimizerSpec& spec, FixedFormat format,
                           const Budget* budget)
    : geometry_(&geometry),
      spec_(spec),
      format_(format),
      coordinates_(format, geometry.groups.size() * geometry.dimension),
      image_(coordinates_),
      jacobian_bound_(geometry, budget) {}

IterationStatus GradientStep::prepare(FeaturePoint& point, std::uint64_t t) {
  t_ = t;
  WorkingBall unit, gap;
  point.unit(unit);
  StepPoint at{unit, point.speed(), nullptr};
  if (spec_.rule->uses_loss_gap()) {
    point.loss_gap_kept(gap);
    at.loss_gap = gap;
  }
  step_size(factor_, spec_, t, point.precision());
  spec_.rule->scale(factor_, at, point.precision());
  if (!arb_is_finite(factor_) || !arb_is_positive(factor_)) return IterationStatus::precision;
  arb_mul(scratch_, factor_, point.stored_speed(), 64);
  arb_get_abs_lbound_arf(arb_midref(static_cast<arb_ptr>(scratch_)), scratch_, 64);
  if (arf_cmpabs_2exp_si(arb_midref(static_cast<arb_srcptr>(scratch_)), longest_step_bits) < 0)
    return IterationStatus::ok;
  point.stop("the step is longer than 2^" + std::to_string(longest_step_bits));
  return IterationStatus::range;
}

std::optional<StepDerivative> GradientStep::derivative(const FeaturePoint& point, double most_fall) {
  StepReach reach;
  reach.logit_radius = point.logit_radius();
  WorkingBall value;
  arb_mul(value, factor_, point.stored_speed(), 64);
  reach.step_length = value.upper_double();
  if (spec_.rule->uses_loss_gap()) {
    step_size(value, spec_, t_, 64);
    reach.eta = value.approx_mid();
    // |L - L~| <= sup ||grad L|| radius <= 1.34 ||V~|| radius on the ball (the bound insists on that),
    // against L - L*.
    WorkingBall gap, change;
    point.loss_gap_kept(gap);
    point.unit(change);
    arb_mul(change, point.stored_speed(), change, 64);
    arf_set_mag(arb_midref(static_cast<arb_ptr>(value)), point.radius());
    mag_zero(arb_radref(static_cast<arb_ptr>(value)));
    arb_mul(change, change, value, 64);
    arb_div(change, change, gap, 64);
    reach.gap_slack = 1.5 * change.upper_double() + 0x1p-44;
    if (!(reach.gap_slack < 0.1)) return std::nullopt;
  }
  return jacobian_bound_(*spec_.rule, point.derivative_data(), reach, most_fall);
}

IterationStatus GradientStep::multiply(const FeaturePoint& point) {
  // factor = stored 2^shift with stored in [1/2, 1).
  const slong shift = static_cast<slong>(ARF_EXP(arb_midref(static_cast<arb_srcptr>(factor_))));
  FixedVector stored(format_, 1);
  arb_mul_2exp_si(scratch_, factor_, -shift);
  const double factor_error = fixed_from_arb(stored[0], scratch_, format_);
  if (factor_error < 0) return IterationStatus::precision;

  // factor ||V~ - V|| + |factor - stored| ||V~|| + rounding of the products.
  const std::size_t size = coordinates_.size();
  Magnitude part, bound;
  arb_get_mag(bound, factor_);
  mag_set_d(part, point.velocity_slack());
  mag_mul_2exp_si(part, part, -format_.fraction_bits);
  mag_mul(error_, bound, part);
  arb_get_mag(part, point.stored_speed());
  mag_set_d(bound, factor_error);
  mag_mul_2exp_si(bound, bound, shift - format_.fraction_bits);
  mag_mul(part, part, bound);
  mag_add(error_, error_, part);
  mag_set_d(part, std::sqrt(static_cast<double>(size) * geometry_->gram_norm) * (1 + 0x1p-40));
  mag_mul_2exp_si(part, part, -format_.fraction_bits);
  mag_add(error_, error_, part);

  std::atomic<bool> in_range = true;
  geometry_->for_each_part([&](std::size_t first, std::size_t end) {
    for (std::size_t k = first * geometry_->dimension; k < end * geometry_->dimension; ++k) {
      if (!fixed_multiply(coordinates_[k], point.velocity()[k], stored[0], format_, shift) ||
          !fixed_multiply(image_[k], point.velocity_image()[k], stored[0], format_, shift))
        in_range = false;
    }
  });
  if (!in_range) return IterationStatus::range;
  // Rounding of the coordinates through the Gram matrix, the image's own, and that of V' z_i times the
  // factor.
  image_error_ =
      geometry_->gram_row_sum + 1 +
      point.velocity_image_error() * std::ldexp(1.0, static_cast<int>(std::clamp<slong>(shift, -1000, 900)));
  return IterationStatus::ok;
}

}  // namespace attest
