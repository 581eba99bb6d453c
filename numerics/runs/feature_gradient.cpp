// The gradient at a point over fixed features, with error bounds: margins, attention, losses,
// velocity (derivation: proofs/statements/RUNS.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "numerics/problem/selection_problem.hpp"
#include "numerics/runs/feature_point.hpp"

namespace attest {
namespace {

constexpr double ln2 = 0.6931471805599453;
// Checkers follow e^-margin up to about 2^40 (proofs/statements/RUNS.md section 2), rounding and products
// included.
constexpr double most_margin = 0x1p38;

}  // namespace

// Logits x_it . (W~ z_i), with what offsets add, their largest as reference, margins against it.
bool FeaturePoint::compute_margins() {
  std::vector<double> errors(geometry_->groups.size());
  geometry_->for_each_part([&](std::size_t first, std::size_t end) {
    FixedOperand image;
    for (std::size_t i = first; i < end; ++i) {
      if (i % 16 == 0) poll();
      image.prepare(format_, image_[i * geometry_->dimension], geometry_->dimension, format_.limbs);
      errors[i] = margins_of(i, image);
    }
  });
  double error = 0;
  for (const double of_group : errors) {
    if (of_group < 0) return false;
    error = std::max(error, of_group);
  }
  margin_error_ = 2 * error * (1 + 0x1p-40);
  return std::isfinite(margin_error_);
}

// The margins of one group; returns half of their error, negative where a number is out of range.
double FeaturePoint::margins_of(std::size_t i, const FixedOperand& image) {
  constexpr double out_of_range = -1;
  const RunGeometry& geometry = *geometry_;
  const RunGroup& group = geometry.groups[i];
  const std::size_t d = geometry.dimension, limbs = format_.limbs;
  std::size_t best = 0;
  double row_sum = 0;
  if (!geometry.tokens.dots(margin_[group.first_row], limbs, group.first_row, group.tokens, image))
    return out_of_range;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    const std::size_t row = group.first_row + t;
    if (has_offsets()) {
      if (geometry.multiplicities[row] == 0) continue;
      const bool negative = fixed_is_negative(margin_[row], limbs);
      fixed_add(margin_[row], margin_[row], log_multiplicity_[row], limbs);
      if (negative == fixed_is_negative(log_multiplicity_[row], limbs) &&
          negative != fixed_is_negative(margin_[row], limbs))
        return out_of_range;
    }
    if (fixed_compare(margin_[row], margin_[group.first_row + best], limbs) > 0) best = t;
    row_sum = std::max(row_sum, geometry.tokens.row_sum(row));
  }
  double error = image_error_ * row_sum + 1 + shift_error_;
  if (geometry.tokens.truncation() > 0) {
    error += std::ldexp(geometry.tokens.truncation() * fixed_absolute_sum(image_, i * d, d),
                        static_cast<int>(format_.fraction_bits));
  }
  reference_[i] = best;
  const Limb* top = margin_[group.first_row + best];
  for (std::size_t t = 0; t < group.tokens; ++t) {
    Limb* value = margin_[group.first_row + t];
    if (t == best || (has_offsets() && geometry.multiplicities[group.first_row + t] == 0)) continue;
    fixed_subtract(value, top, value, limbs);
    if (fixed_is_negative(value, limbs)) return out_of_range;  // the difference overflowed
  }
  std::fill(margin_[group.first_row + best], margin_[group.first_row + best] + limbs, 0);
  return error;
}

// Is every margin one whose exponential is followed? obstacle_ says so where not.
bool FeaturePoint::follows_margins() {
  for (std::size_t row = 0; row < margin_.size(); ++row) {
    if (fixed_to_double(margin_[row], format_) <= most_margin) continue;
    obstacle_ = "a margin is beyond 2^38";
    return false;
  }
  return true;
}

// k' exp(-(margin - least margin)) for every token but the references.
bool FeaturePoint::compute_attention() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t limbs = format_.limbs;
  const Limb* least = nullptr;
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (t == reference_[i] || geometry.multiplicities[group.first_row + t] == 0) continue;
      const Limb* value = margin_[group.first_row + t];
      if (least == nullptr || fixed_compare(value, least, limbs) < 0) least = value;
    }
  }
  std::copy(least, least + limbs, least_margin_[0]);
  WorkingBall shift;
  fixed_to_arb(shift, least_margin_[0], format_);
  arb_neg(shift, shift);
  arb_exp(least_factor_, shift, precision_);

  std::vector<double> errors(geometry.groups.size());
  geometry.for_each_part([&](std::size_t first, std::size_t end) {
    WorkingBall scratch;
    for (std::size_t i = first; i < end; ++i) {
      if (i % 16 == 0) poll();
      errors[i] = weights_of(i, scratch);
    }
  });
  double rounding = 1;
  for (const double of_group : errors) {
    if (of_group < 0) return false;
    rounding = std::max(rounding, of_group);
  }
  // exp is 1-Lipschitz on (-inf, 0]; the true argument may exceed 0 by margin_error_ ulps, whence the factor.
  weight_error_ = 1.01 * margin_error_ + rounding;
  return std::ldexp(margin_error_, static_cast<int>(-format_.fraction_bits)) < 0x1p-60;
}

// The weights of one group; returns a bound of their rounding, negative where a number is out of range.
double FeaturePoint::weights_of(std::size_t i, WorkingBall& scratch) {
  const RunGeometry& geometry = *geometry_;
  const RunGroup& group = geometry.groups[i];
  const std::size_t limbs = format_.limbs;
  const double cut = static_cast<double>(format_.fraction_bits + 4) * ln2;
  std::array<Limb, max_fixed_limbs> difference;
  double rounding = 0;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    Limb* out = weight_fixed_[group.first_row + t];
    std::fill(out, out + limbs, 0);
    const std::uint64_t multiplicity = geometry.multiplicities[group.first_row + t];
    if (t == reference_[i] || multiplicity == 0) continue;
    fixed_subtract(difference.data(), margin_[group.first_row + t], least_margin_[0], limbs);
    const double size = fixed_to_double(difference.data(), format_);
    if (size > cut) continue;  // below an ulp: 0 is within 1 ulp
    fixed_to_arb(scratch, difference.data(), format_);
    arb_neg(scratch, scratch);
    // Absolute accuracy of an ulp needs fewer bits the smaller the value.
    arb_exp(scratch, scratch,
            std::max<slong>(32, format_.fraction_bits + 6 - static_cast<slong>(size / ln2)));
    if (geometry.multiplicity_bits > 0) {
      arb_mul_ui(scratch, scratch, multiplicity, precision_);
      arb_mul_2exp_si(scratch, scratch, -static_cast<slong>(geometry.multiplicity_bits));
    }
    const double error = fixed_from_arb(out, scratch, format_);
    if (error < 0) return error;
    rounding = std::max(rounding, error);
  }
  return rounding;
}

bool FeaturePoint::compute_facts() {
  std::vector<char> fine(geometry_->groups.size());
  geometry_->for_each_part([&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (i % 16 == 0) poll();
      fine[i] = static_cast<char>(facts_of(i));
    }
  });
  const auto failed = std::find(fine.begin(), fine.end(), char{0});
  if (failed == fine.end()) return true;
  const auto at = static_cast<std::size_t>(failed - fine.begin());
  if (facts_[at].open_unit) {
    obstacle_ = "the sign of unit " + std::to_string(*facts_[at].open_unit) +
                " of the head is open in sequence " + std::to_string(geometry_->groups[at].original);
  }
  return false;
}

// False where a number is out of range, or not known well enough.
bool FeaturePoint::facts_of(std::size_t i) {
  const RunGeometry& geometry = *geometry_;
  const RunGroup& group = geometry.groups[i];
  const std::size_t limbs = format_.limbs;
  std::array<Limb, max_fixed_limbs> sum{}, moment{}, term;
  WorkingBall unselected, f;
  GroupFacts& facts = facts_[i];
  facts.open_unit.reset();
  const std::size_t top = group.first_row + reference_[i];
  for (std::size_t t = 0; t < group.tokens; ++t) {
    const std::size_t row = group.first_row + t;
    if (row != top) fixed_add(sum.data(), sum.data(), weight_fixed_[row], limbs);
  }
  const double count = static_cast<double>(group.tokens);
  fixed_to_arb(unselected, sum.data(), format_);
  fixed_add_error(unselected, count * weight_error_, format_.fraction_bits);
  arb_mul(unselected, unselected, least_factor_, precision_);
  if (geometry.multiplicity_bits == 0) {
    arb_add_ui(facts.total, unselected, 1, precision_);
  } else {
    arb_set_ui(facts.total, geometry.multiplicities[top]);
    arb_mul_2exp_si(facts.total, facts.total, -static_cast<slong>(geometry.multiplicity_bits));
    arb_add(facts.total, unselected, facts.total, precision_);
  }
  arb_div(facts.unselected, unselected, facts.total, precision_);
  if (geometry.outputs != nullptr && !score_by_outputs(i)) return false;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    const std::size_t row = group.first_row + t;
    if (row == top || fixed_is_zero(weight_fixed_[row], limbs)) continue;
    fixed_subtract(term.data(), gap_scores_[top], gap_scores_[row], limbs);
    if (!fixed_multiply(term.data(), term.data(), weight_fixed_[row], format_)) return false;
    fixed_add(moment.data(), moment.data(), term.data(), limbs);
  }
  fixed_to_arb(facts.deficit, moment.data(), format_);
  // Each term: weight error times |gap| <= 1 and a hair, the gap's own times weight <= 1, one product
  // rounding.
  fixed_add_error(facts.deficit, count * (1.01 * weight_error_ + facts.gap_error + 2), format_.fraction_bits);
  arb_mul(facts.deficit, facts.deficit, least_factor_, precision_);
  arb_div(facts.deficit, facts.deficit, facts.total, precision_);
  arb_mul_2exp_si(facts.deficit, facts.deficit, score_shift_);
  if (geometry.outputs == nullptr) {
    arb_sub(f, score_balls_[top], facts.deficit, precision_);
    loss_derivatives(facts.slope, facts.ratio, loss_, f, precision_);
  }
  arb_mul(facts.slope, facts.slope, weight_, precision_);
  arb_div(facts.factor, facts.slope, facts.total, precision_);
  return arb_is_finite(facts.slope) && arb_is_positive(facts.slope);
}

// omega of one group, divided by least_factor_ 2^omega_shift_; its factor in units of 2^exponent. False when
// out of range. `error` bounds that of the tokens other than the reference, in ulps.
bool FeaturePoint::weigh_tokens(std::size_t i, slong exponent, double& error) {
  const RunGroup& group = geometry_->groups[i];
  const std::size_t top = group.first_row + reference_[i], limbs = format_.limbs;
  std::array<Limb, max_fixed_limbs> phi{}, deficit{}, term, rest{};
  error = 0;
  if (group.has_distinct_scores) {
    WorkingBall scratch;
    arb_mul_2exp_si(scratch, facts_[i].factor, -exponent);
    const double phi_error = fixed_from_arb(phi.data(), scratch, format_);
    arb_mul_2exp_si(scratch, facts_[i].deficit, -score_shift_);
    const double deficit_error = fixed_from_arb(deficit.data(), scratch, format_);
    if (phi_error < 0 || deficit_error < 0) return false;
    // phi <= 1 (up to rounding), |gap - deficit| <= 1, weight <= 1: errors add; products round once each.
    error = (1.01 * weight_error_ + deficit_error + phi_error + facts_[i].gap_error + 2) * (1 + 0x1p-20);
  }
  const double least_factor = least_factor_.approx_mid(), total = facts_[i].total.approx_mid();
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
  return true;
}

// V_i = -sum omega_it x_it over all tokens of the group. False when out of range; `rounding` bounds that of
// an entry, in ulps.
bool FeaturePoint::combine_tokens(std::size_t i, FixedOperand& weights, double& rounding) {
  const RunGeometry& geometry = *geometry_;
  const RunGroup& group = geometry.groups[i];
  const std::size_t d = geometry.dimension, limbs = format_.limbs;
  weights.prepare(format_, omega_[group.first_row], group.tokens, limbs);
  rounding = 1;
  if (geometry.tokens_transposed[i].truncation() > 0) {
    rounding += std::ldexp(geometry.tokens_transposed[i].truncation() *
                               fixed_absolute_sum(omega_, group.first_row, group.tokens),
                           static_cast<int>(format_.fraction_bits));
  }
  if (!geometry.tokens_transposed[i].dots(velocity_[i * d], limbs, 0, d, weights)) return false;
  for (std::size_t j = 0; j < d; ++j) {
    Limb* out = velocity_[i * d + j];
    fixed_negate(out, out, limbs);
    point_.velocity[i * d + j] = fixed_to_double(out, format_);
  }
  return true;
}

// What the Jacobian bound asks of a group beside its weights.
void FeaturePoint::describe_group(std::size_t i) {
  WorkingBall scratch;
  if (loss_ == Loss::cross_entropy) {  // sum |omega| = 2 wt (1 - s_y), however small s_y is
    const bool elsewhere = reference_[i] != geometry_->groups[i].best_token;
    arb_add_ui(scratch, facts_[i].deficit, elsewhere ? 1 : 0, 64);
    arb_mul(scratch, scratch, weight_, 64);
    arb_div(scratch, scratch, least_factor_, 64);
  } else {
    arb_div(scratch, facts_[i].unselected, least_factor_, 64);
    arb_mul(scratch, scratch, facts_[i].slope, 64);
  }
  arb_mul_2exp_si(scratch, scratch, -omega_shift_);
  point_.unselected[i] = std::max(scratch.upper_double(), 0x1p-1000);  // products with it do not underflow
  if (geometry_->outputs != nullptr && geometry_->outputs->classifier()) {
    point_.curvature[i] = 0;
    point_.left_out[i] = left_out(i);
    return;
  }
  arb_div(scratch, facts_[i].ratio, facts_[i].slope, 64);
  arb_mul(scratch, scratch, least_factor_, 64);
  arb_mul_2exp_si(scratch, scratch, omega_shift_);
  point_.curvature[i] = scratch.approx_mid();
}

// omega, V_i and V z_i, all divided by least_factor_ 2^omega_shift_.
bool FeaturePoint::compute_velocity() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t n = geometry.groups.size(), d = geometry.dimension;
  constexpr slong none = -(slong{1} << 40);
  slong exponent = none;
  for (std::size_t i = 0; i < n; ++i) {
    if (!geometry.groups[i].has_distinct_scores) continue;
    const arb_srcptr factor = facts_[i].factor;
    exponent = std::max(exponent, static_cast<slong>(ARF_EXP(arb_midref(factor))));
  }
  if (exponent == none) exponent = 0;
  omega_shift_ = exponent + score_shift_;
  omega_error_ = 0;
  point_.omega.resize(geometry.rows);
  point_.attention.resize(geometry.rows);
  point_.unselected.resize(n);
  point_.curvature.resize(n);
  if (geometry.outputs != nullptr && geometry.outputs->classifier()) point_.left_out.resize(n);
  point_.velocity.resize(n * d);
  point_.velocity_z.resize(n * d);
  point_.reference = reference_;
  std::vector<double> errors(n, -1), slacks(n);  // of omega, of V_i; negative where out of range
  geometry.for_each_part([&](std::size_t first, std::size_t end) {
    FixedOperand weights;
    for (std::size_t i = first; i < end; ++i) {
      if (i % 16 == 0) poll();
      double error = 0, rounding = 0;
      if (!weigh_tokens(i, exponent, error) || !combine_tokens(i, weights, rounding)) return;
      errors[i] = error;
      // ||dV_i|| <= sum_t |d omega_t| ||x_ref - x_t|| + rounding of d entries.
      slacks[i] = error * static_cast<double>(geometry.groups[i].tokens - 1) * geometry.groups[i].diameter +
                  std::sqrt(static_cast<double>(d)) * rounding;
      describe_group(i);
    }
  });
  double slack_squared = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (errors[i] < 0) return false;
    omega_error_ = std::max(omega_error_, errors[i]);
    slack_squared += slacks[i] * slacks[i];
  }
  velocity_slack_ = std::sqrt(geometry.gram_norm * slack_squared) * (1 + 0x1p-40);
  return compute_velocity_image();
}

// V z_i = sum_k (z_i . z_k) V_k, and ||V||.
bool FeaturePoint::compute_velocity_image() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t n = geometry.groups.size(), d = geometry.dimension;
  double velocity_sum = 0;  // of absolute values, rounded up
  for (const double x : point_.velocity) velocity_sum += std::abs(x);
  velocity_sum *= 1 + static_cast<double>(n * d + 4) * 0x1p-51;
  if (!images_of(velocity_, velocity_z_, velocity_z_error_)) return false;
  geometry.for_each_part([&](std::size_t first, std::size_t end) {
    for (std::size_t k = first * d; k < end * d; ++k)
      point_.velocity_z[k] = fixed_to_double(velocity_z_[k], format_);
  });
  ProductSum square(format_);
  square.add(velocity_, velocity_z_);
  square.get(velocity_norm_stored_);
  fixed_add_error(velocity_norm_stored_, velocity_z_error_ * velocity_sum, format_.fraction_bits);
  arb_nonnegative_part(velocity_norm_stored_, velocity_norm_stored_);
  arb_sqrt(velocity_norm_stored_, velocity_norm_stored_, precision_);
  arb_set(velocity_norm_, velocity_norm_stored_);
  fixed_add_error(velocity_norm_, velocity_slack_, format_.fraction_bits);

  const double ulp = std::ldexp(1.0, static_cast<int>(std::max(-format_.fraction_bits, -1000L)));
  point_.omega_slack = omega_error_ * ulp;
  point_.velocity_error =
      (velocity_slack_ + velocity_z_error_ * std::sqrt(static_cast<double>(n * d))) * ulp * (1 + 0x1p-40);
  point_.velocity_norm = velocity_norm_stored_.approx_mid();
  return true;
}

// Exact test at the exact start (or at any point, for gradients that vanish identically): groups without
// distinct scores or with z_i = 0 contribute nothing; for the others the test needs a softmax that is exactly
// the multiplicities over their sum, where -grad L = sum_i |l'(f_i)| r_i z_i' with rational f_i and r_i;
// groups of equal f_i are summed exactly.
bool FeaturePoint::exactly_stationary() const {
  const RunGeometry& geometry = *geometry_;
  const TokenData& data = *geometry.data;
  const std::size_t d = geometry.dimension, e = geometry.query_dimension;
  std::map<Rational, std::vector<Rational>> sums;
  for (const RunGroup& group : geometry.groups) {
    bool zero_query = true;
    for (std::size_t k = 0; k < e; ++k) zero_query &= data.query_factor.exact(group.original * e + k) == 0;
    if (!group.has_distinct_scores || zero_query) continue;
    if (geometry.outputs != nullptr || data.offsets) return false;
    if (!at_start_) return false;
    if (!start_.empty()) {
      std::vector<Rational> image(d);
      for (std::size_t j = 0; j < d; ++j)
        image[j] = exact_dot(start_, j, data.query_factor, group.original, e);
      const ExactArray exact_image = ExactArray::from_rationals(image);
      const Rational first = exact_dot(data.token_factor, data.row(group.original, 0), exact_image, 0, d);
      for (std::size_t t = 1; t < group.tokens; ++t) {
        if (exact_dot(data.token_factor, data.row(group.original, t), exact_image, 0, d) != first)
          return false;
      }
    }
    Rational f = 0, count = 0;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const Rational multiplicity(geometry.multiplicities[group.first_row + t]);
      f += multiplicity * geometry.scores[group.first_row + t];
      count += multiplicity;
    }
    f /= count;
    const Rational key = loss_ == Loss::correlation ? Rational(0) : f;  // |l'| = 1 everywhere
    std::vector<Rational>& sum = sums.try_emplace(key, std::vector<Rational>(d * e)).first->second;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      const Rational weight = (f - geometry.scores[row]) * Rational(geometry.multiplicities[row]) / count;
      for (std::size_t j = 0; j < d; ++j) {
        const Rational left = weight * data.token_factor.exact(data.row(group.original, t) * d + j);
        for (std::size_t k = 0; k < e; ++k)
          sum[j * e + k] -= left * data.query_factor.exact(group.original * e + k);
      }
    }
  }
  return std::all_of(sums.begin(), sums.end(), [](const auto& entry) {
    return std::all_of(entry.second.begin(), entry.second.end(), [](const Rational& x) { return x == 0; });
  });
}

}  // namespace attest
