#include "numerics/factored/observer.hpp"

#include <algorithm>

#include "numerics/factored/singular_values.hpp"
#include "numerics/factored/square_root.hpp"

namespace attest {
namespace {

Ball unknown_gap() {
  Ball all;
  arb_zero_pm_inf(all.raw());
  return all;
}

Ball length_of(const std::vector<Ball>& entries, long bits) {
  Ball sum;
  for (const Ball& entry : entries) sum = add(sum, square(entry, bits), bits);
  return root_of_nonnegative(sum, bits);
}

Ball sum_of_squares(const FactorColumns& columns, long bits) {
  Ball sum;
  for (const std::vector<Ball>& column : columns) {
    for (const Ball& entry : column) sum = add(sum, square(entry, bits), bits);
  }
  return sum;
}

// A'B of two sets of columns.
std::vector<Ball> products(const FactorColumns& a, const FactorColumns& b, long bits) {
  std::vector<Ball> result;
  for (const std::vector<Ball>& x : a) {
    for (const std::vector<Ball>& y : b) result.push_back(dot(x, y, bits));
  }
  return result;
}

}  // namespace

FactoredObserver::FactoredObserver(const Features& features, const FactoredSpec& spec,
                                   const FactoredLimits& limits, const FactorColumns& left,
                                   const FactorColumns& right)
    : features_(features),
      spec_(spec),
      limits_(limits),
      bits_(features.bits),
      start_balance_(balance(left, right)) {}

FactoredObserver::Square FactoredObserver::balance(const FactorColumns& left,
                                                   const FactorColumns& right) const {
  Square result = products(left, left, bits_);
  const Square other = products(right, right, bits_);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = sub(result[k], other[k], bits_);
  return result;
}

std::vector<Ball> FactoredObserver::product(const FactorColumns& left, const FactorColumns& right) const {
  std::vector<Ball> result;
  std::vector<Ball> row(left.size()), column(left.size());
  for (std::size_t j = 0; j < features_.d; ++j) {
    for (std::size_t c = 0; c < left.size(); ++c) row[c] = left[c][j];
    for (std::size_t k = 0; k < features_.e; ++k) {
      for (std::size_t c = 0; c < left.size(); ++c) column[c] = right[c][k];
      result.push_back(dot(row, column, bits_));
    }
  }
  return result;
}

// 1 - <W,U>/(||W|| ||U||).
Ball FactoredObserver::correlation_gap(const std::vector<Ball>& w, const std::vector<Ball>& u) const {
  const Ball lengths = mul(dot(w, w, bits_), dot(u, u, bits_), bits_);
  return sub(Ball(1), div(dot(w, u, bits_), sqrt(lengths, bits_), bits_), bits_);
}

Ball FactoredObserver::one_minus_corr(const std::vector<Ball>& w) const {
  return limits_.euclidean ? correlation_gap(w, limits_.euclidean->direction) : unknown_gap();
}

Ball FactoredObserver::one_minus_corr_nuclear(const std::vector<Ball>& w) const {
  return limits_.nuclear ? correlation_gap(w, limits_.nuclear_matrix) : unknown_gap();
}

// Attention, loss and the least margin.
void FactoredObserver::attend(FactoredObservation& seen, const std::vector<FeatureWeights>& weights) const {
  bool first = true;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const FeatureGroup& group = features_.groups[i];
    const FeatureWeights& found = weights[i];
    seen.unselected.push_back(found.unselected);
    seen.max_unselected = max(seen.max_unselected, found.unselected, bits_);
    seen.dominant.push_back(group.tokens[found.dominant]);
    bool certain = true;
    for (std::size_t t = 0; t < group.tokens.size(); ++t)
      certain &= t == found.dominant || certainly_positive(found.margin[t]);
    seen.dominates.push_back(certain);
    Ball best = group.score.front();
    for (const Ball& score : group.score) best = max(best, score, bits_);
    const Ball lost = add(sub(best, group.score[found.dominant], bits_), found.deficit, bits_);
    Ball gap;
    loss_gap(gap.raw(), spec_.steps.loss, best.raw(), lost.raw(), bits_);
    seen.loss_gap = add(seen.loss_gap, gap, bits_);
    const auto& tokens = group.tokens;
    const auto chosen = static_cast<std::size_t>(
        std::find(tokens.begin(), tokens.end(), limits_.selection[group.original]) - tokens.begin());
    Ball others;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (t == chosen) continue;
      others = add(others, found.share[t], bits_);
      const Ball margin = sub(found.margin[t], found.margin[chosen], bits_);
      seen.least_margin = first ? margin : min(seen.least_margin, margin, bits_);
      first = false;
    }
    seen.off_limit = max(seen.off_limit, others, bits_);
  }
  arb_div_ui(seen.loss_gap.raw(), seen.loss_gap.raw(), features_.all_groups, bits_);
}

// Gradients of both factors, alignment, and what a step adds to K'K - Q'Q:
// (tau_K - tau_Q) (K'VQ + Q'V'K) + tau_K^2 Q'V'VQ - tau_Q^2 K'VV'K.
void FactoredObserver::measure_gradient(FactoredObservation& seen, const FactorColumns& left,
                                        const FactorColumns& right, const std::vector<Ball>& velocity,
                                        const std::vector<Ball>& w) const {
  const std::size_t d = features_.d, e = features_.e, m = left.size();
  FactorColumns left_gradient(m), right_gradient(m);
  std::vector<Ball> turned(velocity.size());
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t k = 0; k < e; ++k) turned[k * d + j] = velocity[j * e + k];
  }
  for (std::size_t c = 0; c < m; ++c) {
    for (std::size_t j = 0; j < d; ++j)
      left_gradient[c].push_back(dot({velocity.data() + j * e, e}, right[c], bits_));
    for (std::size_t k = 0; k < e; ++k)
      right_gradient[c].push_back(dot({turned.data() + k * d, d}, left[c], bits_));
  }
  const Ball left_square = sum_of_squares(left_gradient, bits_),
             right_square = sum_of_squares(right_gradient, bits_);
  seen.gradient_norm = root_of_nonnegative(add(left_square, right_square, bits_), bits_);
  const Ball largest = singular_values(velocity, d, e, bits_).front();
  seen.alignment = div(dot(velocity, w, bits_), mul(largest, seen.nuclear_norm, bits_), bits_);
  Ball eta;
  step_size(eta.raw(), spec_.steps, seen.step, bits_);
  Ball left_factor = eta, right_factor = eta;
  if (spec_.normalised) {
    left_factor = div(eta, sqrt(left_square, bits_), bits_);
    right_factor = div(eta, sqrt(right_square, bits_), bits_);
  }
  const std::vector<Ball> cross = products(left, left_gradient, bits_);  // K'VQ
  const std::vector<Ball> left_part = products(left_gradient, left_gradient, bits_),
                          right_part = products(right_gradient, right_gradient, bits_);
  const Ball difference = spec_.normalised ? sub(left_factor, right_factor, bits_) : Ball();
  const Ball left_weight = square(left_factor, bits_), right_weight = square(right_factor, bits_);
  std::vector<Ball> change;
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) {
      Ball entry = mul(difference, add(cross[a * m + b], cross[b * m + a], bits_), bits_);
      entry = add(entry, mul(left_weight, left_part[a * m + b], bits_), bits_);
      change.push_back(sub(entry, mul(right_weight, right_part[a * m + b], bits_), bits_));
    }
  }
  seen.balance_step = length_of(change, bits_);
}

FactoredObservation FactoredObserver::observe(std::uint64_t step, const FactorColumns& left,
                                              const FactorColumns& right) const {
  FactoredObservation seen;
  seen.step = step;
  const std::vector<Ball> w = product(left, right);
  seen.norm = length_of(w, bits_);
  seen.left_norm = root_of_nonnegative(sum_of_squares(left, bits_), bits_);
  seen.right_norm = root_of_nonnegative(sum_of_squares(right, bits_), bits_);
  seen.singular_values = singular_values(w, features_.d, features_.e, bits_);
  for (const Ball& value : seen.singular_values) seen.nuclear_norm = add(seen.nuclear_norm, value, bits_);
  seen.one_minus_corr = one_minus_corr(w);
  seen.one_minus_corr_nuclear = one_minus_corr_nuclear(w);
  const std::vector<FeatureWeights> weights = features_.weigh(w, spec_.steps.loss);
  attend(seen, weights);
  seen.margin_share_frobenius = seen.margin_share_nuclear = unknown_gap();
  if (limits_.euclidean)
    seen.margin_share_frobenius =
        div(seen.least_margin, mul(limits_.euclidean->gamma, seen.norm, bits_), bits_);
  if (limits_.nuclear) {
    const Ball least(limits_.nuclear->value.lo, limits_.nuclear->value.hi, bits_);
    seen.margin_share_nuclear = div(mul(seen.least_margin, least, bits_), seen.nuclear_norm, bits_);
  }
  std::vector<Ball> now = balance(left, right);
  seen.balance = length_of(now, bits_);
  for (std::size_t k = 0; k < now.size(); ++k) now[k] = sub(now[k], start_balance_[k], bits_);
  seen.balance_change = length_of(now, bits_);
  std::vector<std::vector<Ball>> values;
  for (const FeatureWeights& group : weights) values.push_back(group.weight);
  measure_gradient(seen, left, right, features_.combine(values), w);
  return seen;
}

}  // namespace attest
