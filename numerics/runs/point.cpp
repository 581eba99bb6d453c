#include "numerics/runs/point.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "numerics/numbers/dyadic.hpp"

namespace attest {

RunObserver::RunObserver(const Iteration& iteration, const ReferenceDirection* direction)
    : iteration_(&iteration), direction_(direction) {
  if (direction_ == nullptr) return;
  const std::vector<Rational>& exact = direction_->coordinates;
  std::optional<long> largest;
  for (const Rational& x : exact) {
    if (x != 0) largest = std::max(largest.value_or(approx_log2(x)), approx_log2(x));
  }
  scale_ = largest.value_or(-2) + 2;  // below 1 in magnitude, whatever the size of the data
  const Rational factor = power_of_two(-scale_);
  coordinates_ = FixedVector(iteration.point().format(), exact.size());
  for (std::size_t k = 0; k < exact.size(); ++k)
    fixed_from_rational(coordinates_[k], exact[k] * factor, iteration.point().format());
}

std::size_t RunObserver::selected(std::size_t group) const {
  const RunGroup& facts = iteration_->point().geometry().groups[group];
  return direction_ == nullptr ? iteration_->point().reference()[group]
                               : direction_->selection[facts.original];
}

void RunObserver::observe(RunPoint& point, bool groups) const {
  const EnclosedPoint& run = iteration_->point();
  const slong precision = run.precision();
  point.step = iteration_->step();
  WorkingBall value;
  run.norm(value);
  point.norm = value;

  if (direction_ != nullptr) {
    ProductSum inner(run.format());
    inner.add(coordinates_, run.image());
    WorkingBall along, part;
    inner.get(along);
    fixed_add_weighted_error(along, coordinates_, run.image_error());
    fixed_add_weighted_error(along, run.image(), 1);
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
  run.loss_gap(largest, direction_ == nullptr ? nullptr : &direction_->selection);
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
      // 1 - s_alpha = 1 - s_ref (k_alpha/k_ref) e^-m, m the margin of the reference over alpha.
      WorkingBall margin;
      run.margin(margin, i, geometry.groups[i].first_row + selected(i));
      arb_neg(margin, margin);
      arb_exp(margin, margin, precision);
      const std::size_t first = geometry.groups[i].first_row;
      const std::uint64_t own = geometry.multiplicities[first + selected(i)],
                          top = geometry.multiplicities[first + run.reference()[i]];
      if (own != top) {
        arb_mul_ui(margin, margin, own, precision);
        arb_div_ui(margin, margin, top, precision);
      }
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
  const RunGeometry& geometry = iteration_->point().geometry();
  const slong precision = iteration_->point().precision();
  std::vector<Ball> all(geometry.rows);
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    WorkingBall top, other;
    iteration_->point().margin(top, i, group.first_row + selected(i));
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (t == selected(i)) continue;
      iteration_->point().margin(other, i, group.first_row + t);
      arb_sub(other, other, top, precision);
      if (const LogitOffsets* offsets = geometry.data->offsets.get();
          offsets != nullptr && geometry.multiplicities[group.first_row + t] > 0) {
        const auto log_multiplicity = [&](std::size_t token) {
          return offsets->log_multiplicity(geometry.data->row(group.original, token), precision);
        };
        arb_sub(other, other, log_multiplicity(selected(i)).raw(), precision);
        arb_add(other, other, log_multiplicity(t).raw(), precision);
      }
      all[group.first_row + t] = other;
    }
  }
  return all;
}

std::vector<Ball> RunObserver::deficits() const {
  const RunGeometry& geometry = iteration_->point().geometry();
  std::vector<Ball> all(geometry.groups.size());
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    WorkingBall value, shift;
    iteration_->point().deficit(value, i);
    arb_set_rational(shift,
                     geometry.scores[group.first_row + selected(i)] -
                         geometry.scores[group.first_row + iteration_->point().reference()[i]],
                     iteration_->point().precision());
    arb_add(value, value, shift, iteration_->point().precision());
    all[i] = value;
  }
  return all;
}

long RunObserver::correct_bits(const RunPoint& point) const {
  if (mag_is_zero(iteration_->point().radius())) return 1L << 30;
  Magnitude norm, ratio;
  arb_get_mag_lower(norm, point.norm.raw());
  if (mag_is_zero(norm)) return 0;
  mag_div(ratio, iteration_->point().radius(), norm);
  // ratio <= 2^exponent; mag_t keeps it as m 2^e with m <= 1.
  const fmpz* exponent = MAG_EXPREF(static_cast<mag_ptr>(ratio));
  return fmpz_fits_si(exponent) ? -fmpz_get_si(exponent) : 0;
}

}  // namespace attest
