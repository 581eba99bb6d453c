// A point over fixed features whose head has several outputs: at each point it is a scalar head with the
// scores -sum_u pi_u c_tu (problem/outputs.hpp), which are computed here with their errors; and the loss.
#include <algorithm>
#include <cmath>

#include "numerics/problem/selection_problem.hpp"
#include "numerics/runs/feature_point.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

// Like scores: over 2^score_shift_, relative to the group's first token.
void FeaturePoint::prepare_outputs() {
  const RunGeometry& geometry = *geometry_;
  const OutputTable& table = *geometry.outputs;
  const std::size_t width = table.width;
  outputs_ = FixedVector(format_, geometry.rows * width);
  output_balls_.resize(geometry.rows * width);
  output_values_.resize(geometry.rows * width);
  const Rational scale = score_shift_ >= 0 ? Rational(1, Integer(1) << static_cast<unsigned>(score_shift_))
                                           : Rational(Integer(1) << static_cast<unsigned>(-score_shift_));
  for (const RunGroup& group : geometry.groups) {
    poll();
    const std::size_t first = geometry.data->row(group.original, 0);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      for (std::size_t u = 0; u < width; ++u) {
        const std::size_t at = (group.first_row + t) * width + u;
        arb_set_rational(output_balls_[at], table.value(first + t, u), precision_);
        const Rational relative = table.value(first + t, u) - table.value(first, u);
        fixed_from_rational(outputs_[at], relative * scale, format_);
        output_values_[at] = mpq_get_d(relative.backend().data());
      }
    }
  }
}

// m_u - c_ref,u = least_factor sum_t w_t (c_tu - c_ref,u)/total: as the deficit of a score, whose differences
// here have error 1.
bool FeaturePoint::shift_of_outputs(std::size_t i) {
  const RunGroup& group = geometry_->groups[i];
  const std::size_t width = geometry_->outputs->width, limbs = format_.limbs;
  const std::size_t top = group.first_row + reference_[i];
  GroupFacts& facts = facts_[i];
  facts.shift.resize(width);
  std::vector<Limb> moment(limbs), term(limbs);
  const double error = static_cast<double>(group.tokens) * (1.01 * weight_error_ + 3);
  for (std::size_t u = 0; u < width; ++u) {
    std::fill(moment.begin(), moment.end(), 0);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      if (row == top || fixed_is_zero(weight_fixed_[row], limbs)) continue;
      fixed_subtract(term.data(), outputs_[row * width + u], outputs_[top * width + u], limbs);
      if (!fixed_multiply(term.data(), term.data(), weight_fixed_[row], format_)) return false;
      fixed_add(moment.data(), moment.data(), term.data(), limbs);
    }
    WorkingBall& shift = facts.shift[u];
    fixed_to_arb(shift, moment.data(), format_);
    fixed_add_error(shift, error, format_.fraction_bits);
    arb_mul(shift, shift, least_factor_, precision_);
    arb_div(shift, shift, facts.total, precision_);
    arb_mul_2exp_si(shift, shift, score_shift_);
  }
  return true;
}

// The group's entries of gap_scores_, slope (but for the weight) and ratio. False where a unit's sign is open
// over the ball, which open_unit then names, or a number is out of range.
bool FeaturePoint::score_by_outputs(std::size_t i) {
  const OutputTable& table = *geometry_->outputs;
  const RunGroup& group = geometry_->groups[i];
  const std::size_t width = table.width, limbs = format_.limbs;
  const std::size_t top = group.first_row + reference_[i];
  GroupFacts& facts = facts_[i];
  if (!shift_of_outputs(i)) return false;
  const auto means_from = [&](const std::vector<WorkingBall>& shift) {
    std::vector<WorkingBall> means(width);
    for (std::size_t u = 0; u < width; ++u)
      arb_add(means[u], output_balls_[top * width + u], shift[u], precision_);
    return means;
  };
  OutputSlopes slopes;
  if (!table.classifier()) {  // the signs must not change anywhere in the ball
    std::vector<WorkingBall> over_ball;
    widened_shift(over_ball, i, true);
    facts.open_unit = output_slopes(slopes, table, group.original, loss_, means_from(over_ball), precision_);
    if (facts.open_unit) return false;
  }
  output_slopes(slopes, table, group.original, loss_, means_from(facts.shift), precision_);
  arb_set(facts.slope, slopes.slope);
  arb_set(facts.ratio, slopes.ratio);

  facts.share.resize(width);
  for (std::size_t u = 0; u < width; ++u) facts.share[u] = slopes.share[u].upper_double();
  FixedVector share(format_, width);
  double share_error = 0;
  for (std::size_t u = 0; u < width; ++u) {
    const double error = fixed_from_arb(share[u], slopes.share[u], format_);
    if (error < 0) return false;
    share_error = std::max(share_error, error);
  }
  std::vector<Limb> term(limbs);
  for (std::size_t t = 0; t < group.tokens; ++t) {
    const std::size_t row = group.first_row + t;
    Limb* const score = gap_scores_[row];
    std::fill(score, score + limbs, 0);
    for (std::size_t u = 0; u < width; ++u) {
      if (fixed_is_zero(share[u], limbs)) continue;
      if (!fixed_multiply(term.data(), outputs_[row * width + u], share[u], format_)) return false;
      fixed_subtract(score, score, term.data(), limbs);
    }
  }
  // A product: the output's error times the share, at most 1, the share's times the output, at most 1, and
  // one rounding. So much twice.
  facts.gap_error = 2 * static_cast<double>(width) * (2.1 + share_error);
  return true;
}

// Over the ball each s_t (t not the reference) changes by a factor within e^(+-2 slack), so m_u - c_ref,u by
// at most (e^(2 slack) - 1) (1 - s_ref) (max_t c_tu - min_t c_tu).
void FeaturePoint::widened_shift(std::vector<WorkingBall>& shift, std::size_t i, bool over_ball) const {
  shift = facts_[i].shift;
  if (!over_ball) return;
  Magnitude slack, part;
  logit_slack(slack, i);
  mag_mul_2exp_si(slack, slack, 1);
  mag_expm1(slack, slack);
  arb_get_mag(part, facts_[i].unselected);
  mag_mul(slack, slack, part);
  for (std::size_t u = 0; u < shift.size(); ++u) {
    mag_set_d(part, geometry_->output_spread[i * shift.size() + u]);
    mag_mul(part, part, slack);
    arb_add_error_mag(shift[u], part);
  }
}

// What -C_i is beyond sum omega x~ x~' is wt sum_u p_u (N_u - N)(N_u - N)', N_u = sum_t s_t (c_tu - m_u)
// x~_t, N their mean by p: along h the variance by p of Cov_s(c_u, <x, h>), at most (1 - p_y) (spread
// min(1/4, 1 - s_ref) diameter)^2. `unselected` is unit wt (1 - p_y) (1 - s_ref), within 1%; over the ball
// all of it changes by less than a quarter. (1/16)/(1 - s_ref) and 1 - s_ref are at most 1/4 where they are
// the lesser one.
//
// Sharper, with q_u = p_u/(1 - p_y): at most wt (1 - p_y) sum_u q_u ||N_u||^2, the trace of the part without
// N. N_u = sum_t s_t (c_tu - c_ru)(x_t - mean), t not the reference r, changes over the ball by 4.2 x (1 -
// s_r) spread diameter, and the doubles are off by less than 2^-40 of (1 - s_r) spread diameter.
double FeaturePoint::left_out(std::size_t i) const {
  const RunGroup& group = geometry_->groups[i];
  const std::size_t d = geometry_->dimension, width = geometry_->outputs->width;
  const double spread = group.score_spread, rest = std::min(1.0, facts_[i].unselected.upper_double());
  const double crude =
      1.25 * point_.unselected[i] * spread * spread * std::min(rest, rest > 0.25 ? 0.0625 / rest : 0.25);
  Magnitude slack;
  logit_slack(slack, i);
  if (!((16 + 16 * spread) * mag_get_d(slack) < 0x1p-34) || !(rest > 1e-100)) return crude;
  const std::size_t top = group.first_row + reference_[i];
  const double* const origin = geometry_->token_values.data() + top * d;
  std::vector<double> moment(width * d, 0), mean(d, 0), total(width, 0);
  for (std::size_t row = group.first_row; row < group.first_row + group.tokens; ++row) {
    if (row == top || point_.attention[row] == 0) continue;
    const double* const x = geometry_->token_values.data() + row * d;
    for (std::size_t j = 0; j < d; ++j) mean[j] += point_.attention[row] * (x[j] - origin[j]);
    for (std::size_t u = 0; u < width; ++u) {
      const double weight =
          point_.attention[row] * (output_values_[row * width + u] - output_values_[top * width + u]);
      total[u] += weight;
      for (std::size_t j = 0; j < d; ++j) moment[u * d + j] += weight * (x[j] - origin[j]);
    }
  }
  double sum = 0;
  for (std::size_t u = 0; u < width; ++u) {
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double entry = moment[u * d + j] - total[u] * mean[j];
      square += entry * entry;
    }
    const double length = std::sqrt(square) + 0x1p-30 * rest * spread * group.diameter;
    sum += facts_[i].share[u] * length * length;
  }
  return std::min(crude, 1.25 * point_.unselected[i] / rest * sum / (group.diameter * group.diameter));
}

// L - L* = (1/n) sum (l(m) - l(c_ref)) + (l(c_ref) - l(c_limit)).
void FeaturePoint::enclose_output_gap(arb_ptr value, const std::vector<std::size_t>* limit,
                                      bool over_ball) const {
  const RunGeometry& geometry = *geometry_;
  const OutputTable& table = *geometry.outputs;
  const std::size_t width = table.width;
  WorkingBall part;
  std::vector<WorkingBall> shift, origin(width);
  arb_zero(value);
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    const std::size_t top = group.first_row + reference_[i];
    const std::size_t best =
        group.first_row + (limit == nullptr ? group.best_token : (*limit)[group.original]);
    widened_shift(shift, i, over_ball);
    for (std::size_t u = 0; u < width; ++u) arb_set(origin[u], output_balls_[top * width + u]);
    output_excess(part, table, group.original, loss_, origin, shift, precision_);
    arb_add(value, value, part, precision_);
    if (best == top) continue;
    for (std::size_t u = 0; u < width; ++u) {
      arb_sub(shift[u], output_balls_[top * width + u], output_balls_[best * width + u], precision_);
      arb_set(origin[u], output_balls_[best * width + u]);
    }
    output_excess(part, table, group.original, loss_, origin, shift, precision_);
    arb_add(value, value, part, precision_);
  }
  arb_mul(value, value, weight_, precision_);
}

}  // namespace attest
