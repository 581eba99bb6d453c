#include "numerics/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "numerics/selection_problem.hpp"

namespace attest {
namespace {

constexpr double ln2 = 0.6931471805599453;

// Room for growth: numbers kept from step to step must leave two bits free.
bool has_headroom(const FixedVector& vector) {
  const std::size_t limbs = vector.format().limbs;
  for (std::size_t k = 0; k < vector.size(); ++k) {
    if (vector[k][limbs - 1] + (Limb{1} << 61) >= (Limb{1} << 62)) return false;
  }
  return true;
}

// sum |a_k|, rounded up.
double absolute_sum(const FixedVector& vector, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t k = first; k < first + count; ++k) sum += std::abs(fixed_to_double(vector[k], vector.format()));
  return sum * (1 + static_cast<double>(count + 4) * 0x1p-51);
}

void add_error_ulps(arb_ptr value, double ulps, long fraction_bits) {
  mag_t error;
  mag_init(error);
  mag_set_d(error, ulps);
  mag_mul_2exp_si(error, error, -fraction_bits);
  arb_add_error_mag(value, error);
  mag_clear(error);
}

// Upper and lower double bounds of a ball.
double upper(arb_srcptr value) {
  arf_t bound;
  arf_init(bound);
  arb_get_ubound_arf(bound, value, 64);
  const double result = arf_get_d(bound, ARF_RND_CEIL);
  arf_clear(bound);
  return result;
}

double middle(arb_srcptr value) { return arf_get_d(arb_midref(value), ARF_RND_NEAR); }

}  // namespace

Trajectory::Trajectory(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                       FixedFormat format)
    : geometry_(&geometry),
      spec_(spec),
      format_(format),
      precision_(format.fraction_bits + 32),
      start_(start),
      jacobian_bound_(geometry) {
  const std::size_t n = geometry.groups.size(), d = geometry.dimension, rows = geometry.rows;
  position_ = FixedVector(format, n * d);
  image_ = start_image_ = velocity_ = velocity_z_ = transposed_ = position_;
  gap_scores_ = margin_ = weight_fixed_ = omega_ = FixedVector(format, rows);
  least_margin_ = FixedVector(format, 1);
  facts_.resize(n);
  reference_.assign(n, 0);
  arb_set_ui(weight_, 1);
  arb_div_ui(weight_, weight_, geometry.data->groups(), precision_);

  // Scores as fixed point: scaled by one power of two so that |g - g'| < 1; differences of two have error 1 ulp.
  double spread = 0;
  for (const RunGroup& group : geometry.groups) spread = std::max(spread, group.score_spread);
  score_shift_ = spread > 0 ? std::ilogb(spread) + 1 : 0;
  score_balls_.resize(rows);
  for (const RunGroup& group : geometry.groups) {
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      arb_set_rational(score_balls_[row], geometry.scores[row], precision_);
      const Rational relative = geometry.scores[row] - geometry.scores[group.first_row];
      const Rational scale = score_shift_ >= 0 ? Rational(1, Integer(1) << static_cast<unsigned>(score_shift_))
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
    operand_.prepare(format_, position_[j], n, d * format_.limbs);
    for (std::size_t i = 0; i < n; ++i) {
      if (!geometry.gram.dot(image_[i * d + j], i, operand_)) return false;
    }
  }
  for (std::size_t k = 0; k < n * d; ++k) fixed_add(image_[k], image_[k], start_image_[k], format_.limbs);
  image_error_ = 2;
  if (geometry.gram.truncation() > 0) {
    image_error_ += std::ldexp(geometry.gram.truncation() * absolute_sum(position_, 0, n * d),
                               static_cast<int>(format_.fraction_bits));
  }
  return has_headroom(image_) && has_headroom(position_);
}

// Logits x_it . (W~ z_i), their largest as reference, margins against it.
bool Trajectory::compute_margins() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t d = geometry.dimension, limbs = format_.limbs;
  double error = 0;
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    operand_.prepare(format_, image_[i * d], d, limbs);
    std::size_t best = 0;
    double row_sum = 0;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      if (!geometry.tokens.dot(margin_[row], row, operand_)) return false;
      if (fixed_compare(margin_[row], margin_[group.first_row + best], limbs) > 0) best = t;
      row_sum = std::max(row_sum, geometry.tokens.row_sum(row));
    }
    double group_error = image_error_ * row_sum + 1;
    if (geometry.tokens.truncation() > 0) {
      group_error += std::ldexp(geometry.tokens.truncation() * absolute_sum(image_, i * d, d),
                                static_cast<int>(format_.fraction_bits));
    }
    error = std::max(error, group_error);
    reference_[i] = best;
    const Limb* top = margin_[group.first_row + best];
    for (std::size_t t = 0; t < group.tokens; ++t) {
      Limb* value = margin_[group.first_row + t];
      if (t == best) continue;
      fixed_subtract(value, top, value, limbs);
      if (fixed_is_negative(value, limbs)) return false;  // the difference overflowed
    }
    std::fill(margin_[group.first_row + best], margin_[group.first_row + best] + limbs, 0);
  }
  margin_error_ = 2 * error * (1 + 0x1p-40);
  return std::isfinite(margin_error_);
}

// exp(-(margin - least margin)) for every token but the references.
bool Trajectory::compute_attention() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t limbs = format_.limbs;
  const Limb* least = nullptr;
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (t == reference_[i]) continue;
      const Limb* value = margin_[group.first_row + t];
      if (least == nullptr || fixed_compare(value, least, limbs) < 0) least = value;
    }
  }
  std::copy(least, least + limbs, least_margin_[0]);
  fixed_to_arb(scratch_, least_margin_[0], format_);
  arb_neg(scratch_, scratch_);
  arb_exp(least_factor_, scratch_, precision_);

  const double cut = static_cast<double>(format_.fraction_bits + 4) * ln2;
  double rounding = 1;
  std::vector<Limb> difference(limbs);
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    for (std::size_t t = 0; t < group.tokens; ++t) {
      Limb* out = weight_fixed_[group.first_row + t];
      std::fill(out, out + limbs, 0);
      if (t == reference_[i]) continue;
      fixed_subtract(difference.data(), margin_[group.first_row + t], least_margin_[0], limbs);
      const double size = fixed_to_double(difference.data(), format_);
      if (size > cut) continue;  // below an ulp: 0 is within 1 ulp
      fixed_to_arb(scratch_, difference.data(), format_);
      arb_neg(scratch_, scratch_);
      // Absolute accuracy of an ulp needs fewer bits the smaller the value.
      arb_exp(scratch_, scratch_, std::max<slong>(32, format_.fraction_bits + 6 - static_cast<slong>(size / ln2)));
      const double error = fixed_from_arb(out, scratch_, format_);
      if (error < 0) return false;
      rounding = std::max(rounding, error);
    }
  }
  // exp is 1-Lipschitz on (-inf, 0]; the true argument may exceed 0 by margin_error_ ulps, whence the factor.
  weight_error_ = 1.01 * margin_error_ + rounding;
  return std::ldexp(margin_error_, static_cast<int>(-format_.fraction_bits)) < 0x1p-60;
}

bool Trajectory::compute_facts() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t limbs = format_.limbs;
  std::vector<Limb> sum(limbs), moment(limbs), term(limbs);
  WorkingBall unselected, f;
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    GroupFacts& facts = facts_[i];
    std::fill(sum.begin(), sum.end(), 0);
    std::fill(moment.begin(), moment.end(), 0);
    const std::size_t top = group.first_row + reference_[i];
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      if (row == top || fixed_is_zero(weight_fixed_[row], limbs)) continue;
      fixed_add(sum.data(), sum.data(), weight_fixed_[row], limbs);
      fixed_subtract(term.data(), gap_scores_[top], gap_scores_[row], limbs);
      if (!fixed_multiply(term.data(), term.data(), weight_fixed_[row], format_)) return false;
      fixed_add(moment.data(), moment.data(), term.data(), limbs);
    }
    const double count = static_cast<double>(group.tokens);
    fixed_to_arb(unselected, sum.data(), format_);
    add_error_ulps(unselected, count * weight_error_, format_.fraction_bits);
    arb_mul(unselected, unselected, least_factor_, precision_);
    arb_add_ui(facts.total, unselected, 1, precision_);
    arb_div(facts.unselected, unselected, facts.total, precision_);
    fixed_to_arb(facts.deficit, moment.data(), format_);
    // Each term: weight error times |gap| <= 1, score rounding 1 ulp times weight <= 1, one product rounding.
    add_error_ulps(facts.deficit, count * (weight_error_ + 3), format_.fraction_bits);
    arb_mul(facts.deficit, facts.deficit, least_factor_, precision_);
    arb_div(facts.deficit, facts.deficit, facts.total, precision_);
    arb_mul_2exp_si(facts.deficit, facts.deficit, score_shift_);
    arb_sub(f, score_balls_[top], facts.deficit, precision_);
    loss_derivatives(facts.slope, facts.ratio, spec_.loss, f, precision_);
    arb_mul(facts.slope, facts.slope, weight_, precision_);
    if (!arb_is_finite(facts.slope) || !arb_is_positive(facts.slope)) return false;
  }
  return true;
}

// omega, V_i and V z_i, all divided by least_factor_ 2^omega_shift_.
bool Trajectory::compute_velocity() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t n = geometry.groups.size(), d = geometry.dimension, limbs = format_.limbs;
  std::vector<WorkingBall> factor(n);
  slong exponent = -(slong{1} << 40);
  for (std::size_t i = 0; i < n; ++i) {
    arb_div(factor[i], facts_[i].slope, facts_[i].total, precision_);
    if (!geometry.groups[i].has_distinct_scores) continue;
    exponent = std::max(exponent, static_cast<slong>(ARF_EXP(arb_midref(static_cast<arb_srcptr>(factor[i])))));
  }
  if (exponent == -(slong{1} << 40)) exponent = 0;
  omega_shift_ = exponent + score_shift_;
  omega_error_ = 0;
  std::vector<Limb> phi(limbs), deficit(limbs), term(limbs), rest(limbs);
  point_.omega.resize(geometry.rows);
  point_.attention.resize(geometry.rows);
  point_.unselected.resize(n);
  point_.curvature.resize(n);
  point_.velocity.resize(n * d);
  point_.velocity_z.resize(n * d);
  point_.reference = reference_;
  double slack_squared = 0;
  const double least_factor = middle(least_factor_);
  for (std::size_t i = 0; i < n; ++i) {
    const RunGroup& group = geometry.groups[i];
    const std::size_t top = group.first_row + reference_[i];
    std::fill(rest.begin(), rest.end(), 0);
    double error = 0;
    if (group.has_distinct_scores) {
      arb_mul_2exp_si(scratch_, factor[i], -exponent);
      const double phi_error = fixed_from_arb(phi.data(), scratch_, format_);
      arb_mul_2exp_si(scratch_, facts_[i].deficit, -score_shift_);
      const double deficit_error = fixed_from_arb(deficit.data(), scratch_, format_);
      if (phi_error < 0 || deficit_error < 0) return false;
      // phi <= 1 (up to rounding), |gap - deficit| <= 1, weight <= 1: errors add; products round once each.
      error = (weight_error_ + deficit_error + phi_error + 1 + 2) * (1 + 0x1p-20);
    }
    const double total = middle(facts_[i].total);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      Limb* out = omega_[row];
      std::fill(out, out + limbs, 0);
      point_.attention[row] = row == top ? 1 : 0;
      point_.omega[row] = 0;
      if (row == top) continue;
      if (fixed_is_zero(weight_fixed_[row], limbs)) continue;
      point_.attention[row] = fixed_to_double(weight_fixed_[row], format_) * least_factor / total;
      if (!group.has_distinct_scores) continue;
      fixed_subtract(term.data(), gap_scores_[top], gap_scores_[row], limbs);
      fixed_subtract(term.data(), term.data(), deficit.data(), limbs);
      if (!fixed_multiply(term.data(), term.data(), phi.data(), format_)) return false;
      if (!fixed_multiply(out, term.data(), weight_fixed_[row], format_)) return false;
      fixed_add(rest.data(), rest.data(), out, limbs);
      point_.omega[row] = fixed_to_double(out, format_);
    }
    fixed_negate(omega_[top], rest.data(), limbs);
    point_.omega[top] = fixed_to_double(omega_[top], format_);
    omega_error_ = std::max(omega_error_, error);

    operand_.prepare(format_, omega_[group.first_row], group.tokens, limbs);
    double rounding = 1;
    if (geometry.tokens_transposed[i].truncation() > 0) {
      rounding += std::ldexp(geometry.tokens_transposed[i].truncation() * absolute_sum(omega_, group.first_row, group.tokens),
                             static_cast<int>(format_.fraction_bits));
    }
    for (std::size_t j = 0; j < d; ++j) {
      Limb* out = velocity_[i * d + j];
      if (!geometry.tokens_transposed[i].dot(out, j, operand_)) return false;
      fixed_negate(out, out, limbs);  // V_i = -sum omega_it x_it over all tokens of the group
      point_.velocity[i * d + j] = fixed_to_double(out, format_);
    }
    // ||dV_i|| <= sum_t |d omega_t| ||x_ref - x_t|| + rounding of d entries.
    const double slack = error * static_cast<double>(group.tokens - 1) * group.diameter +
                         std::sqrt(static_cast<double>(d)) * rounding;
    slack_squared += slack * slack;

    arb_div(scratch_, facts_[i].unselected, least_factor_, 64);
    arb_mul(scratch_, scratch_, facts_[i].slope, 64);
    arb_mul_2exp_si(scratch_, scratch_, -omega_shift_);
    point_.unselected[i] = upper(scratch_);
    arb_div(scratch_, facts_[i].ratio, facts_[i].slope, 64);
    arb_mul(scratch_, scratch_, least_factor_, 64);
    arb_mul_2exp_si(scratch_, scratch_, omega_shift_);
    point_.curvature[i] = middle(scratch_);
  }
  velocity_slack_ = std::sqrt(geometry.gram_norm * slack_squared) * (1 + 0x1p-40);

  // V z_i = sum_k (z_i . z_k) V_k.
  velocity_z_error_ = 1;
  double velocity_sum = absolute_sum(velocity_, 0, n * d);
  if (geometry.gram.truncation() > 0) {
    velocity_z_error_ += std::ldexp(geometry.gram.truncation() * velocity_sum, static_cast<int>(format_.fraction_bits));
  }
  for (std::size_t j = 0; j < d; ++j) {
    operand_.prepare(format_, velocity_[j], n, d * limbs);
    for (std::size_t i = 0; i < n; ++i) {
      Limb* out = velocity_z_[i * d + j];
      if (!geometry.gram.dot(out, i, operand_)) return false;
      point_.velocity_z[i * d + j] = fixed_to_double(out, format_);
    }
  }
  ProductSum square(format_);
  for (std::size_t k = 0; k < n * d; ++k) square.add(velocity_[k], velocity_z_[k]);
  square.get(velocity_norm_stored_);
  add_error_ulps(velocity_norm_stored_, velocity_z_error_ * velocity_sum, format_.fraction_bits);
  arb_nonnegative_part(velocity_norm_stored_, velocity_norm_stored_);
  arb_sqrt(velocity_norm_stored_, velocity_norm_stored_, precision_);
  arb_set(velocity_norm_, velocity_norm_stored_);
  add_error_ulps(velocity_norm_, velocity_slack_, format_.fraction_bits);

  const double ulp = std::ldexp(1.0, static_cast<int>(std::max(-format_.fraction_bits, -1000L)));
  point_.omega_slack = omega_error_ * ulp;
  point_.velocity_error =
      (velocity_slack_ + velocity_z_error_ * std::sqrt(static_cast<double>(n * d))) * ulp * (1 + 0x1p-40);
  point_.velocity_norm = middle(velocity_norm_stored_);
  return true;
}

// Exact test at the exact start (or at any point, for gradients that vanish identically): groups without distinct
// scores or with z_i = 0 contribute nothing; for the others the test needs a softmax that is exactly uniform, where
// -grad L = sum_i |l'(f_i)| r_i z_i' with rational f_i and r_i; groups of equal f_i are summed exactly.
bool Trajectory::exactly_stationary() const {
  const RunGeometry& geometry = *geometry_;
  const TokenData& data = *geometry.data;
  const std::size_t d = geometry.dimension, e = geometry.query_dimension;
  std::map<Rational, std::vector<Rational>> sums;
  for (const RunGroup& group : geometry.groups) {
    bool zero_query = true;
    for (std::size_t k = 0; k < e; ++k) zero_query &= data.query_factor.exact(group.original * e + k) == 0;
    if (!group.has_distinct_scores || zero_query) continue;
    if (step_ != 0) return false;
    if (!start_.empty()) {
      std::vector<Rational> image(d);
      for (std::size_t j = 0; j < d; ++j) image[j] = exact_dot(start_, j, data.query_factor, group.original, e);
      const ExactArray exact_image = ExactArray::from_rationals(image);
      const Rational first = exact_dot(data.token_factor, data.row(group.original, 0), exact_image, 0, d);
      for (std::size_t t = 1; t < group.tokens; ++t) {
        if (exact_dot(data.token_factor, data.row(group.original, t), exact_image, 0, d) != first) return false;
      }
    }
    Rational f = 0;
    for (std::size_t t = 0; t < group.tokens; ++t) f += geometry.scores[group.first_row + t];
    f /= static_cast<unsigned long>(group.tokens);
    const Rational key = spec_.loss == Loss::correlation ? Rational(0) : f;  // |l'| = 1 everywhere
    std::vector<Rational>& sum = sums.try_emplace(key, std::vector<Rational>(d * e)).first->second;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const Rational weight = (f - geometry.scores[group.first_row + t]) / static_cast<unsigned long>(group.tokens);
      for (std::size_t j = 0; j < d; ++j) {
        const Rational left = weight * data.token_factor.exact(data.row(group.original, t) * d + j);
        for (std::size_t k = 0; k < e; ++k) sum[j * e + k] -= left * data.query_factor.exact(group.original * e + k);
      }
    }
  }
  return std::all_of(sums.begin(), sums.end(), [](const auto& entry) {
    return std::all_of(entry.second.begin(), entry.second.end(), [](const Rational& x) { return x == 0; });
  });
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
  step_size(factor, spec_, step_, precision_);
  switch (spec_.rule) {
    case UpdateRule::gd:
      arb_mul(factor, factor, least_factor_, precision_);
      arb_mul_2exp_si(factor, factor, omega_shift_);
      return;
    case UpdateRule::ngd:
      arb_div(factor, factor, velocity_norm_, precision_);
      return;
    case UpdateRule::polyak: {
      // S (L - L*) / ||V||^2 V with V = c V_scaled: S (L - L*) / (c ||V_scaled||^2) V_scaled.
      WorkingBall part;
      enclose_loss_gap(part, false);
      arb_mul(factor, factor, part, precision_);
      arb_mul(part, velocity_norm_, velocity_norm_, precision_);
      arb_mul(part, part, least_factor_, precision_);
      arb_mul_2exp_si(part, part, omega_shift_);
      arb_div(factor, factor, part, precision_);
      return;
    }
  }
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
  point_.step_length = upper(value);
  if (spec_.rule == UpdateRule::polyak) {
    step_size(value, spec_, step_, 64);
    point_.polyak_factor = middle(value);
    // |L - L~| <= sup ||grad L|| radius <= 1.34 ||V~|| radius on the ball (the bound insists on that), against L - L*.
    WorkingBall gap, change;
    enclose_loss_gap(gap, false);
    arb_mul(change, velocity_norm_stored_, least_factor_, 64);
    arb_mul_2exp_si(change, change, omega_shift_);
    arf_set_mag(arb_midref(static_cast<arb_ptr>(value)), radius_);
    mag_zero(arb_radref(static_cast<arb_ptr>(value)));
    arb_mul(change, change, value, 64);
    arb_div(change, change, gap, 64);
    point_.step_slack = 1.5 * upper(change) + 0x1p-44;
    if (!(point_.step_slack < 0.1)) return -1;
  }
  return jacobian_bound_(spec_.rule, point_);
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
    if (!fixed_multiply(increment.data(), velocity_[k], stored[0], format_, shift)) return TrajectoryStatus::range;
    fixed_add(position_[k], position_[k], increment.data(), limbs);
    if (!fixed_multiply(increment.data(), velocity_z_[k], stored[0], format_, shift)) return TrajectoryStatus::range;
    fixed_add(image_[k], image_[k], increment.data(), limbs);
  }
  // image - W~ z_i grows by: rounding of the P increments through the Gram matrix, its own rounding, and the rounding
  // of velocity_z_ times the factor.
  image_error_ += geometry.gram_row_sum + 1 + velocity_z_error_ * std::ldexp(1.0, static_cast<int>(std::clamp<slong>(shift, -1000, 900)));
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

// Over the ball and the rounding of margins: how far any difference of two logits of the group may be off.
void Trajectory::logit_slack(mag_ptr slack, std::size_t group) const {
  Magnitude own;
  mag_set_d(slack, geometry_->groups[group].query_norm * geometry_->groups[group].diameter * (1 + 0x1p-50));
  mag_mul(slack, slack, radius_);
  mag_set_d(own, margin_error_);
  mag_mul_2exp_si(own, own, -format_.fraction_bits);
  mag_add(slack, slack, own);
}

void Trajectory::margin(arb_ptr value, std::size_t group, std::size_t row) const {
  fixed_to_arb(value, margin_[row], format_);
  Magnitude slack;
  logit_slack(slack, group);
  arb_add_error_mag(value, slack);
}

bool Trajectory::dominates(std::size_t group) const {
  const RunGroup& facts = geometry_->groups[group];
  WorkingBall value;
  for (std::size_t t = 0; t < facts.tokens; ++t) {
    if (t == reference_[group]) continue;
    margin(value, group, facts.first_row + t);
    if (!arb_is_positive(value)) return false;
  }
  return true;
}

// 1 - s_ref = sum e^-m/(1 + sum e^-m): a change of margins by at most slack changes it by a factor within e^(+-slack).
void Trajectory::unselected(arb_ptr value, std::size_t group) const {
  Magnitude slack;
  logit_slack(slack, group);
  WorkingBall factor;
  arb_add_error_mag(factor, slack);
  arb_exp(factor, factor, precision_);
  arb_mul(value, facts_[group].unselected, factor, precision_);
}

// g_ref - f = sum s_t gap_t: each s_t (t not the reference) changes by a factor within e^(+-2 slack), so the sum
// moves by at most (e^(2 slack) - 1) (1 - s_ref) (max |gap|).
void Trajectory::perturbed_deficit(arb_ptr value, std::size_t group, bool over_ball) const {
  arb_set(value, facts_[group].deficit);
  if (!over_ball) return;
  Magnitude slack, size;
  logit_slack(slack, group);
  mag_mul_2exp_si(slack, slack, 1);
  mag_expm1(slack, slack);
  arb_get_mag(size, facts_[group].unselected);
  mag_mul(slack, slack, size);
  mag_set_d(size, geometry_->groups[group].score_spread);
  mag_mul(slack, slack, size);
  arb_add_error_mag(value, slack);
}

void Trajectory::deficit(arb_ptr value, std::size_t group) const { perturbed_deficit(value, group, true); }

void Trajectory::enclose_loss_gap(arb_ptr value, bool over_ball) const {
  WorkingBall deficit_ball, part;
  arb_zero(value);
  for (std::size_t i = 0; i < geometry_->groups.size(); ++i) {
    const RunGroup& group = geometry_->groups[i];
    perturbed_deficit(deficit_ball, i, over_ball);
    if (group.best_token != reference_[i]) {
      arb_set_rational(part, geometry_->scores[group.first_row + group.best_token] -
                                 geometry_->scores[group.first_row + reference_[i]], precision_);
      arb_add(deficit_ball, deficit_ball, part, precision_);
    }
    attest::loss_gap(part, spec_.loss, score_balls_[group.first_row + group.best_token], deficit_ball, precision_);
    arb_add(value, value, part, precision_);
  }
  arb_mul(value, value, weight_, precision_);
}

void Trajectory::loss_gap(arb_ptr value) const { enclose_loss_gap(value, true); }

// ||V(W) - V(W~)|| <= sum_i ||z_i|| diameter_i 2 wt |l'| (1 - s) spread (12 + 8 spread) slack (proofs/RUNS.md).
void Trajectory::gradient_norm(arb_ptr value) const {
  arb_mul(value, velocity_norm_, least_factor_, precision_);
  arb_mul_2exp_si(value, value, omega_shift_);
  Magnitude slack, part;
  for (std::size_t i = 0; i < geometry_->groups.size(); ++i) {
    const RunGroup& group = geometry_->groups[i];
    logit_slack(slack, i);
    arb_get_mag(part, facts_[i].unselected);
    mag_mul(slack, slack, part);
    arb_get_mag(part, facts_[i].slope);
    mag_mul(slack, slack, part);
    mag_set_d(part, 2 * group.query_norm * group.diameter * group.score_spread * (12 + 8 * group.score_spread) * (1 + 0x1p-40));
    mag_mul(slack, slack, part);
    arb_add_error_mag(value, slack);
  }
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
