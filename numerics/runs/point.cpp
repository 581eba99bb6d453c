#include "numerics/runs/point.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// Adds `ulps` times sum |a_k| (in units of a) to the ball's radius.
void add_weighted_error(WorkingBall& value, const FixedVector& a, double ulps) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::abs(fixed_to_double(a[k], a.format()));
  Magnitude error;
  mag_set_d(error, sum * ulps * (1 + 0x1p-40));
  mag_mul_2exp_si(error, error, -a.format().fraction_bits);
  arb_add_error_mag(value, error);
}

}  // namespace

RunObserver::RunObserver(const Trajectory& trajectory, const ReferenceDirection* direction)
    : trajectory_(&trajectory), direction_(direction) {
  if (direction_ == nullptr) return;
  const std::vector<Rational>& exact = direction_->coordinates;
  std::optional<long> largest;
  for (const Rational& x : exact) {
    if (x != 0) largest = std::max(largest.value_or(approx_log2(x)), approx_log2(x));
  }
  scale_ = largest.value_or(-2) + 2;  // below 1 in magnitude, whatever the size of the data
  const Rational factor = power_of_two(-scale_);
  coordinates_ = FixedVector(trajectory.format(), exact.size());
  for (std::size_t k = 0; k < exact.size(); ++k)
    fixed_from_rational(coordinates_[k], exact[k] * factor, trajectory.format());
}

std::size_t RunObserver::selected(std::size_t group) const {
  const RunGroup& facts = trajectory_->geometry().groups[group];
  return direction_ == nullptr ? trajectory_->reference()[group] : direction_->selection[facts.original];
}

void RunObserver::observe(RunPoint& point, bool groups) const {
  const Trajectory& run = *trajectory_;
  const slong precision = run.precision();
  point.step = run.step();

  // ||W~||^2 = ||W_0||^2 + sum_i P_i . (W~ z_i + W_0 z_i).
  const FixedVector& p = run.coordinates();
  ProductSum sum(run.format());
  for (std::size_t k = 0; k < p.size(); ++k) {
    sum.add(p[k], run.image()[k]);
    sum.add(p[k], run.start_image()[k]);
  }
  WorkingBall value;
  sum.get(value);
  add_weighted_error(value, p, run.image_error() + 1);
  arb_add(value, value, run.start_norm_squared(), precision);
  arb_nonnegative_part(value, value);
  arb_sqrt(value, value, precision);
  arb_add_error_mag(value, run.radius());
  point.norm = value;

  if (direction_ != nullptr) {
    ProductSum inner(run.format());
    for (std::size_t k = 0; k < p.size(); ++k) inner.add(coordinates_[k], run.image()[k]);
    WorkingBall along, part;
    inner.get(along);
    add_weighted_error(along, coordinates_, run.image_error());
    add_weighted_error(along, run.image(), 1);
    arb_mul_2exp_si(along, along, scale_);
    // <W_t, w*> - <W~, w~>: ||W_t - W~|| ||w~|| + ||W_t|| ||w~ - w*||, and ||w~|| <= ||w*|| + radius.
    Magnitude error, factor;
    arb_set_rational(part, direction_->radius, 64);
    arb_get_mag(error, part);
    arb_get_mag(factor, direction_->norm.raw());
    mag_add(factor, factor, error);
    mag_mul(factor, factor, run.radius());
    arb_add_error_mag(along, factor);
    arb_get_mag(factor, point.norm.raw());
    mag_mul(factor, factor, error);
    arb_add_error_mag(along, factor);
    arb_div(along, along, direction_->norm.raw(), precision);
    point.along = along;

    // x^2 = ||W||^2 - y^2 = (||W|| - y)(||W|| + y); 1 - corr = x^2/(||W|| (||W|| + y)).
    WorkingBall minus, plus;
    arb_sub(minus, point.norm.raw(), along, precision);
    arb_nonnegative_part(minus, minus);  // y <= ||W||
    arb_add(plus, point.norm.raw(), along, precision);
    arb_nonnegative_part(plus, plus);
    arb_mul(plus, plus, minus, precision);
    arb_nonnegative_part(plus, plus);
    arb_sqrt(plus, plus, precision);
    point.across = plus;
    arb_div(minus, minus, point.norm.raw(), precision);
    point.one_minus_corr = minus;
  }
  if (!groups) return;

  WorkingBall largest;
  run.loss_gap(largest);
  point.loss_gap = largest;
  run.gradient_norm(largest);
  point.gradient_norm = largest;
  arb_zero(largest);
  const RunGeometry& geometry = run.geometry();
  point.unselected.resize(geometry.groups.size());
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    WorkingBall rest;
    run.unselected(rest, i);
    if (selected(i) != run.reference()[i]) {
      // 1 - s_alpha = 1 - s_ref e^-m, m the margin of the reference over alpha.
      WorkingBall margin;
      run.margin(margin, i, geometry.groups[i].first_row + selected(i));
      arb_neg(margin, margin);
      arb_exp(margin, margin, precision);
      arb_sub_ui(rest, rest, 1, precision);
      arb_mul(rest, rest, margin, precision);
      arb_add_ui(rest, rest, 1, precision);
    }
    arb_max(largest, largest, rest, precision);
    point.unselected[i] = rest;
  }
  point.max_unselected = largest;
}

std::vector<Ball> RunObserver::margins() const {
  const RunGeometry& geometry = trajectory_->geometry();
  const slong precision = trajectory_->precision();
  std::vector<Ball> all(geometry.rows);
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    WorkingBall top, other;
    trajectory_->margin(top, i, group.first_row + selected(i));
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (t == selected(i)) continue;
      trajectory_->margin(other, i, group.first_row + t);
      arb_sub(other, other, top, precision);
      all[group.first_row + t] = other;
    }
  }
  return all;
}

std::vector<Ball> RunObserver::deficits() const {
  const RunGeometry& geometry = trajectory_->geometry();
  std::vector<Ball> all(geometry.groups.size());
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    WorkingBall value, shift;
    trajectory_->deficit(value, i);
    arb_set_rational(shift,
                     geometry.scores[group.first_row + selected(i)] -
                         geometry.scores[group.first_row + trajectory_->reference()[i]],
                     trajectory_->precision());
    arb_add(value, value, shift, trajectory_->precision());
    all[i] = value;
  }
  return all;
}

long RunObserver::correct_bits(const RunPoint& point) const {
  if (mag_is_zero(trajectory_->radius())) return 1L << 30;
  Magnitude norm, ratio;
  arb_get_mag_lower(norm, point.norm.raw());
  if (mag_is_zero(norm)) return 0;
  mag_div(ratio, trajectory_->radius(), norm);
  // ratio <= 2^exponent; mag_t keeps it as m 2^e with m <= 1.
  const fmpz* exponent = MAG_EXPREF(static_cast<mag_ptr>(ratio));
  return fmpz_fits_si(exponent) ? -fmpz_get_si(exponent) : 0;
}

}  // namespace attest
