// The trajectory itself: construction, steps, the radius, saved states (derivation:
// proofs/statements/RUNS.md).
#include "numerics/runs/trajectory.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/problem/selection_problem.hpp"

namespace attest {
namespace {

// Room for growth: numbers kept from step to step must leave two bits free.
bool has_headroom(const FixedVector& vector) {
  const std::size_t limbs = vector.format().limbs;
  for (std::size_t k = 0; k < vector.size(); ++k) {
    if (vector[k][limbs - 1] + (Limb{1} << 61) >= (Limb{1} << 62)) return false;
  }
  return true;
}

}  // namespace

Trajectory::Trajectory(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                       FixedFormat format, const Budget* budget)
    : geometry_(&geometry),
      budget_(budget),
      spec_(spec),
      format_(format),
      precision_(format.fraction_bits + 32),
      start_(start),
      jacobian_bound_(geometry, budget) {
  const std::size_t n = geometry.groups.size(), d = geometry.dimension, rows = geometry.rows;
  position_ = FixedVector(format, n * d);
  image_ = start_image_ = velocity_ = velocity_z_ = transposed_ = position_;
  gap_scores_ = margin_ = weight_fixed_ = omega_ = FixedVector(format, rows);
  least_margin_ = FixedVector(format, 1);
  facts_.resize(n);
  reference_.assign(n, 0);
  arb_set_ui(weight_, 1);
  arb_div_ui(weight_, weight_, geometry.data->groups(), precision_);

  // Scores as fixed point: scaled by one power of two so that |g - g'| < 1; differences of two have error 1
  // ulp.
  double spread = 0;
  for (const RunGroup& group : geometry.groups) spread = std::max(spread, group.score_spread);
  score_shift_ = spread > 0 ? std::ilogb(spread) + 1 : 0;
  score_balls_.resize(rows);
  for (const RunGroup& group : geometry.groups) {
    poll();
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      arb_set_rational(score_balls_[row], geometry.scores[row], precision_);
      const Rational relative = geometry.scores[row] - geometry.scores[group.first_row];
      const Rational scale = score_shift_ >= 0
                                 ? Rational(1, Integer(1) << static_cast<unsigned>(score_shift_))
                                 : Rational(Integer(1) << static_cast<unsigned>(-score_shift_));
      fixed_from_rational(gap_scores_[row], relative * scale, format);
    }
  }

  // W_0 z_i exactly, rounded once; ||W_0||^2 exactly.
  if (!start.empty()) {
    const std::size_t e = geometry.query_dimension;
    Rational norm_squared = 0;
    for (std::size_t k = 0; k < d * e; ++k) norm_squared += start.exact(k) * start.exact(k);
    arb_set_rational(start_norm_squared_, norm_squared, precision_);
    for (std::size_t i = 0; i < n; ++i) {
      poll();
      for (std::size_t j = 0; j < d; ++j) {
        const Rational entry =
            exact_dot(start, j, geometry.data->query_factor, geometry.groups[i].original, e);
        if (!fixed_from_rational(start_image_[i * d + j], entry, format)) {
          image_error_ = -1;  // out of range: evaluate() reports it
          return;
        }
      }
    }
  }
  image_ = start_image_;
}

bool Trajectory::refresh_image() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t n = geometry.groups.size(), d = geometry.dimension;
  for (std::size_t j = 0; j < d; ++j) {
    poll();
    operand_.prepare(format_, position_[j], n, d * format_.limbs);
    for (std::size_t i = 0; i < n; ++i) {
      if (!geometry.gram.dot(image_[i * d + j], i, operand_)) return false;
    }
  }
  for (std::size_t k = 0; k < n * d; ++k) fixed_add(image_[k], image_[k], start_image_[k], format_.limbs);
  image_error_ = 2;
  if (geometry.gram.truncation() > 0) {
    image_error_ += std::ldexp(geometry.gram.truncation() * fixed_absolute_sum(position_, 0, n * d),
                               static_cast<int>(format_.fraction_bits));
  }
  return has_headroom(image_) && has_headroom(position_);
}

TrajectoryStatus Trajectory::evaluate() {
  if (image_error_ < 0) return TrajectoryStatus::range;
  if (geometry_->groups.empty()) return TrajectoryStatus::stationary;
  if (!compute_margins()) return TrajectoryStatus::range;
  if (!compute_attention() || !compute_facts() || !compute_velocity()) return TrajectoryStatus::precision;
  if (arb_is_positive(velocity_norm_)) return TrajectoryStatus::ok;
  return exactly_stationary() ? TrajectoryStatus::stationary : TrajectoryStatus::precision;
}

// tau with P+ = P + tau (scaled V): includes the exact factor of the exact gradient at W~.
void Trajectory::enclose_step_factor(arb_ptr factor) const {
  WorkingBall unit, gap;
  arb_mul_2exp_si(unit, least_factor_, omega_shift_);
  StepPoint point{unit, velocity_norm_, nullptr};
  if (spec_.rule->uses_loss_gap()) {
    enclose_loss_gap(gap, false);
    point.loss_gap = gap;
  }
  step_size(factor, spec_, step_, precision_);
  spec_.rule->scale(factor, point, precision_);
}

double Trajectory::jacobian_norm(arb_srcptr factor) {
  Magnitude slack;
  mag_set_d(slack, geometry_->max_logit_norm);
  mag_mul(slack, slack, radius_);
  Magnitude own;
  mag_set_d(own, margin_error_);
  mag_mul_2exp_si(own, own, -format_.fraction_bits);
  mag_add(slack, slack, own);
  point_.logit_radius = mag_get_d(slack) * (1 + 0x1p-40);
  WorkingBall value;
  arb_mul(value, factor, velocity_norm_stored_, 64);
  point_.step_length = value.upper_double();
  if (spec_.rule->uses_loss_gap()) {
    step_size(value, spec_, step_, 64);
    point_.eta = value.approx_mid();
    // |L - L~| <= sup ||grad L|| radius <= 1.34 ||V~|| radius on the ball (the bound insists on that),
    // against L - L*.
    WorkingBall gap, change;
    enclose_loss_gap(gap, false);
    arb_mul(change, velocity_norm_stored_, least_factor_, 64);
    arb_mul_2exp_si(change, change, omega_shift_);
    arf_set_mag(arb_midref(static_cast<arb_ptr>(value)), radius_);
    mag_zero(arb_radref(static_cast<arb_ptr>(value)));
    arb_mul(change, change, value, 64);
    arb_div(change, change, gap, 64);
    point_.gap_slack = 1.5 * change.upper_double() + 0x1p-44;
    if (!(point_.gap_slack < 0.1)) return -1;
  }
  return jacobian_bound_(*spec_.rule, point_);
}

TrajectoryStatus Trajectory::advance() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t n = geometry.groups.size(), d = geometry.dimension, limbs = format_.limbs;
  WorkingBall factor;
  enclose_step_factor(factor);
  if (!arb_is_finite(factor) || !arb_is_positive(factor)) return TrajectoryStatus::precision;
  const double jacobian = jacobian_norm(factor);
  if (!(jacobian > 0) || !std::isfinite(jacobian)) return TrajectoryStatus::precision;

  // factor = stored 2^shift with stored in [1/2, 1).
  const slong shift = static_cast<slong>(ARF_EXP(arb_midref(static_cast<arb_srcptr>(factor))));
  FixedVector stored(format_, 1);
  arb_mul_2exp_si(scratch_, factor, -shift);
  const double factor_error = fixed_from_arb(stored[0], scratch_, format_);
  if (factor_error < 0) return TrajectoryStatus::precision;

  // residual = factor ||V~ - V|| + |factor - stored| ||V~|| + rounding of the increments.
  Magnitude residual, part, bound;
  arb_get_mag(bound, factor);
  mag_set_d(part, velocity_slack_);
  mag_mul_2exp_si(part, part, -format_.fraction_bits);
  mag_mul(residual, bound, part);
  arb_get_mag(part, velocity_norm_stored_);
  mag_set_d(bound, factor_error);
  mag_mul_2exp_si(bound, bound, shift - format_.fraction_bits);
  mag_mul(part, part, bound);
  mag_add(residual, residual, part);
  mag_set_d(part, std::sqrt(static_cast<double>(n * d) * geometry.gram_norm) * (1 + 0x1p-40));
  mag_mul_2exp_si(part, part, -format_.fraction_bits);
  mag_add(residual, residual, part);

  std::vector<Limb> increment(limbs);
  for (std::size_t k = 0; k < n * d; ++k) {
    if (!fixed_multiply(increment.data(), velocity_[k], stored[0], format_, shift))
      return TrajectoryStatus::range;
    fixed_add(position_[k], position_[k], increment.data(), limbs);
    if (!fixed_multiply(increment.data(), velocity_z_[k], stored[0], format_, shift))
      return TrajectoryStatus::range;
    fixed_add(image_[k], image_[k], increment.data(), limbs);
  }
  // image - W~ z_i grows by: rounding of the P increments through the Gram matrix, its own rounding, and the
  // rounding of velocity_z_ times the factor.
  image_error_ += geometry.gram_row_sum + 1 +
                  velocity_z_error_ * std::ldexp(1.0, static_cast<int>(std::clamp<slong>(shift, -1000, 900)));
  ++step_;
  if (step_ % refresh_period == 0) {
    if (!refresh_image()) return TrajectoryStatus::range;
  } else if (!has_headroom(image_) || !has_headroom(position_)) {
    return TrajectoryStatus::range;
  }

  mag_set_d(part, jacobian);
  mag_mul(radius_, radius_, part);
  mag_add(radius_, radius_, residual);
  amplification_bits_ += std::log2(jacobian);
  return TrajectoryStatus::ok;
}

Trajectory::State Trajectory::save() const {
  State state;
  state.step = step_;
  state.coordinates = position_.limbs();
  state.radius = radius_;
  return state;
}

TrajectoryStatus Trajectory::restore(const State& state) {
  if (state.coordinates.size() != position_.limbs().size()) return TrajectoryStatus::range;
  step_ = state.step;
  position_.limbs() = state.coordinates;
  radius_ = state.radius;
  return refresh_image() ? TrajectoryStatus::ok : TrajectoryStatus::range;
}

}  // namespace attest
