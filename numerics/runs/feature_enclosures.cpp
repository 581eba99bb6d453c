// What a point over fixed features knows about the exact W_t: the values at W~, widened over the ball.
#include <span>

#include "numerics/numbers/ball.hpp"
#include "numerics/problem/selection_problem.hpp"
#include "numerics/runs/feature_point.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

// ||W~||^2 = ||W_0||^2 + sum_i P_i . (W~ z_i + W_0 z_i).
void FeaturePoint::norm(arb_ptr value) const {
  ProductSum sum(format_);
  sum.add(position_, image_);
  if (!start_.empty()) sum.add(position_, start_image_);
  sum.get(value);
  fixed_add_weighted_error(value, position_, image_error_ + 1);
  arb_add(value, value, start_norm_squared_, precision_);
  arb_nonnegative_part(value, value);
  arb_sqrt(value, value, precision_);
  arb_add_error_mag(value, radius_);
}

// ||W~ - V||, entry by entry, W_0 - V + sum_i P_i z_i' with P exact: the inner products ||W~||^2 - 2 <W~, V>
// +
// ||V||^2 would lose a small distance.
void FeaturePoint::distance(arb_ptr value, const ExactArray& matrix) const {
  const std::size_t n = geometry_->groups.size(), d = geometry_->dimension, e = geometry_->query_dimension;
  const ExactArray& query_factor = geometry_->data->query_factor;
  std::vector<Ball> queries, coordinates(n);  // queries: e x n
  queries.reserve(e * n);
  for (std::size_t k = 0; k < e; ++k) {
    for (const RunGroup& group : geometry_->groups)
      queries.emplace_back(query_factor.exact(group.original * e + k), precision_);
  }
  WorkingBall entry;
  arb_zero(value);
  for (std::size_t j = 0; j < d; ++j) {
    poll();
    for (std::size_t i = 0; i < n; ++i) fixed_to_arb(coordinates[i].raw(), position_[i * d + j], format_);
    for (std::size_t k = 0; k < e; ++k) {
      const std::size_t at = j * e + k;
      const Rational start = start_.empty() ? Rational(0) : start_.exact(at);
      arb_set_rational(entry, start - matrix.exact(at), precision_);
      const Ball moved = dot(coordinates, std::span(queries).subspan(k * n, n), precision_);
      arb_add(entry, entry, moved.raw(), precision_);
      arb_addmul(value, entry, entry, precision_);
    }
  }
  arb_nonnegative_part(value, value);
  arb_sqrt(value, value, precision_);
  arb_add_error_mag(value, radius_);
}

// Over the ball and the rounding of margins: how far any difference of two logits of the group may be off.
void FeaturePoint::logit_slack(mag_ptr slack, std::size_t group) const {
  Magnitude own;
  mag_set_d(slack, geometry_->groups[group].query_norm * geometry_->groups[group].diameter * (1 + 0x1p-50));
  mag_mul(slack, slack, radius_);
  mag_set_d(own, margin_error_);
  mag_mul_2exp_si(own, own, -format_.fraction_bits);
  mag_add(slack, slack, own);
}

double FeaturePoint::logit_radius() const {
  Magnitude slack, own;
  mag_set_d(slack, geometry_->max_logit_norm);
  mag_mul(slack, slack, radius_);
  mag_set_d(own, margin_error_);
  mag_mul_2exp_si(own, own, -format_.fraction_bits);
  mag_add(slack, slack, own);
  return mag_get_d(slack) * (1 + 0x1p-40);
}

void FeaturePoint::margin(arb_ptr value, std::size_t group, std::size_t row) const {
  fixed_to_arb(value, margin_[row], format_);
  Magnitude slack;
  logit_slack(slack, group);
  arb_add_error_mag(value, slack);
}

bool FeaturePoint::dominates(std::size_t group) const {
  const RunGroup& facts = geometry_->groups[group];
  WorkingBall value;
  for (std::size_t t = 0; t < facts.tokens; ++t) {
    if (t == reference_[group] || geometry_->multiplicities[facts.first_row + t] == 0) continue;
    margin(value, group, facts.first_row + t);
    if (!arb_is_positive(value)) return false;
  }
  return true;
}

// 1 - s_ref = sum k e^-m/(k_ref + sum k e^-m): a change of margins by at most slack changes it by a factor
// within e^(+-slack).
void FeaturePoint::unselected(arb_ptr value, std::size_t group) const {
  Magnitude slack;
  logit_slack(slack, group);
  WorkingBall factor;
  arb_add_error_mag(factor, slack);
  arb_exp(factor, factor, precision_);
  arb_mul(value, facts_[group].unselected, factor, precision_);
}

// g_ref - f = sum s_t gap_t: each s_t (t not the reference) changes by a factor within e^(+-2 slack), so the
// sum moves by at most (e^(2 slack) - 1) (1 - s_ref) (max |gap|).
void FeaturePoint::perturbed_deficit(arb_ptr value, std::size_t group, bool over_ball) const {
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

void FeaturePoint::deficit(arb_ptr value, std::size_t group) const {
  perturbed_deficit(value, group, true);
}

void FeaturePoint::enclose_loss_gap(arb_ptr value, bool over_ball) const {
  std::vector<WorkingBall> gaps(geometry_->groups.size());
  geometry_->for_each_part([&](std::size_t first, std::size_t end) {
    WorkingBall deficit_ball;
    for (std::size_t i = first; i < end; ++i) {
      const RunGroup& group = geometry_->groups[i];
      WorkingBall& gap = gaps[i];
      perturbed_deficit(deficit_ball, i, over_ball);
      if (group.best_token != reference_[i]) {
        arb_set_rational(gap,
                         geometry_->scores[group.first_row + group.best_token] -
                             geometry_->scores[group.first_row + reference_[i]],
                         precision_);
        arb_add(deficit_ball, deficit_ball, gap, precision_);
      }
      attest::loss_gap(gap, loss_, score_balls_[group.first_row + group.best_token], deficit_ball,
                       precision_);
    }
  });
  arb_zero(value);
  for (const WorkingBall& gap : gaps) arb_add(value, value, gap, precision_);
  arb_mul(value, value, weight_, precision_);
}

void FeaturePoint::loss_gap(arb_ptr value, const std::vector<std::size_t>* limit) const {
  if (geometry_->outputs != nullptr) {
    enclose_output_gap(value, limit, true);
  } else {
    enclose_loss_gap(value, true);
  }
}

void FeaturePoint::loss_gap_kept(arb_ptr value) const {
  if (geometry_->outputs != nullptr) {
    enclose_output_gap(value, nullptr, false);
  } else {
    enclose_loss_gap(value, false);
  }
}

// ||V(W) - V(W~)|| <= sum_i ||z_i|| diameter_i 2 wt |l'| (1 - s) spread (12 + 8 spread) slack while the slack
// is small (proofs/statements/RUNS.md section 6).
void FeaturePoint::gradient_norm(arb_ptr value) const {
  arb_mul(value, velocity_norm_, least_factor_, precision_);
  arb_mul_2exp_si(value, value, omega_shift_);
  Magnitude slack, part;
  for (std::size_t i = 0; i < geometry_->groups.size(); ++i) {
    const RunGroup& group = geometry_->groups[i];
    logit_slack(slack, i);
    if (!((2 + geometry_->response * group.score_spread) * mag_get_d(slack) < 0.05)) {
      arb_zero_pm_inf(value);
      return;
    }
    arb_get_mag(part, facts_[i].unselected);
    mag_mul(slack, slack, part);
    arb_get_mag(part, facts_[i].slope);
    mag_mul(slack, slack, part);
    mag_set_d(part, 2 * group.query_norm * group.diameter * group.score_spread *
                        (12 + geometry_->response * group.score_spread) * (1 + 0x1p-40));
    mag_mul(slack, slack, part);
    arb_add_error_mag(value, slack);
  }
}

}  // namespace attest
