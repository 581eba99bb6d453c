#include "numerics/runs/feature_point.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/problem/selection_problem.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

FeaturePoint::FeaturePoint(const RunGeometry& geometry, Loss loss, const ExactArray& start,
                           FixedFormat format, const Budget* budget)
    : geometry_(&geometry),
      budget_(budget),
      loss_(loss),
      format_(format),
      precision_(format.fraction_bits + 32),
      start_(start) {
  const std::size_t n = geometry.groups.size(), d = geometry.dimension, rows = geometry.rows;
  position_ = FixedVector(format, n * d);
  image_ = start_image_ = velocity_ = velocity_z_ = position_;
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
  if (geometry.outputs != nullptr) prepare_outputs();
  score_balls_.resize(rows);
  for (const RunGroup& group : geometry.groups) {
    if (geometry.outputs != nullptr) break;
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

  if (geometry.data->offsets) prepare_offsets();

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

void FeaturePoint::prepare_offsets() {
  const TokenData& data = *geometry_->data;
  log_multiplicity_ = FixedVector(format_, geometry_->rows);
  for (const RunGroup& group : geometry_->groups) {
    poll();
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (!data.present(group.original, t)) continue;
      const Ball value = data.offsets->log_multiplicity(data.row(group.original, t), precision_ + 64);
      const double error = fixed_from_arb(log_multiplicity_[group.first_row + t], value.raw(), format_);
      if (error < 0) {
        image_error_ = -1;  // out of range: evaluate() reports it
        return;
      }
      shift_error_ = std::max(shift_error_, error);
    }
  }
}

bool FeaturePoint::images_of(const FixedVector& vector, FixedVector& out, double& error) {
  return geometry_->products.images(vector, geometry_->dimension, out, error, budget_);
}

bool FeaturePoint::refresh_image() {
  if (!images_of(position_, image_, image_error_)) return false;
  image_error_ += 1;  // of the start's images
  for (std::size_t k = 0; k < image_.size(); ++k)
    fixed_add(image_[k], image_[k], start_image_[k], format_.limbs);
  return fixed_has_headroom(image_) && fixed_has_headroom(position_);
}

IterationStatus FeaturePoint::evaluate() {
  obstacle_.clear();
  if (image_error_ < 0) return IterationStatus::range;
  if (geometry_->groups.empty()) return IterationStatus::stationary;
  if (!compute_margins() || !follows_margins()) return IterationStatus::range;
  if (!compute_attention() || !compute_facts() || !compute_velocity()) return IterationStatus::precision;
  if (arb_is_positive(velocity_norm_)) return IterationStatus::ok;
  return exactly_stationary() ? IterationStatus::stationary : IterationStatus::precision;
}

bool FeaturePoint::move(const FixedVector& step, const FixedVector& step_image, double image_error) {
  const std::size_t limbs = format_.limbs;
  for (std::size_t k = 0; k < position_.size(); ++k) {
    fixed_add(position_[k], position_[k], step[k], limbs);
    fixed_add(image_[k], image_[k], step_image[k], limbs);
  }
  image_error_ += image_error;
  at_start_ = false;
  return fixed_has_headroom(image_) && fixed_has_headroom(position_);
}

void FeaturePoint::take_back(const FixedVector& step) {
  for (std::size_t k = 0; k < position_.size(); ++k)
    fixed_subtract(position_[k], position_[k], step[k], format_.limbs);
}

bool FeaturePoint::place(const std::vector<Limb>& coordinates, bool at_start) {
  if (coordinates.size() != position_.limbs().size()) return false;
  position_.limbs() = coordinates;
  at_start_ = at_start;
  return refresh_image();
}

void FeaturePoint::unit(arb_ptr value) const {
  arb_mul_2exp_si(value, least_factor_.raw(), omega_shift_);
}

std::optional<FixedVector> in_format(const FixedVector& numbers, FixedFormat format) {
  FixedVector other(format, numbers.size());
  const long shift = numbers.format().fraction_bits - format.fraction_bits;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (!fixed_shift_right(other[k], format.limbs, numbers[k], numbers.format().limbs, shift))
      return std::nullopt;
  }
  return other;
}

}  // namespace attest
