// The theorems about all later steps: see forever/theorems.hpp. Here T10 and what all share.
#include "proofs/checker/forever/theorems.hpp"

#include "proofs/checker/forever/region.hpp"

namespace attest_check {

Region::Region(const Claim& claim, const ReferenceDirection& direction, const Specification& specification,
               std::size_t step, const RunPoint& point, const ForeverEvidence& evidence)
    : claim_(claim),
      direction_(direction),
      specification_(specification),
      step_(step),
      rule_(specification.rule),
      point_(point),
      evidence_(evidence),
      features_(*claim.problem.features),
      bits_(direction.bits),
      gamma_(direction.margin),
      constant_(specification.schedule == Schedule::constant ? &specification.step : nullptr),
      eta_(specification.step_size(step, bits_).upper_end()),
      weight_(Interval::ratio(1, Integer(features_.groups()), bits_)) {
  read_rows();
}

void Region::require(const ForeverConclusion& conclusion) {
  conclusion_ = &conclusion;
  if (conclusion.growth <= 0) claim_.fail("growth", conclusion.growth, ">", 0);
  const bool bounded_residual = evidence_.theorem == Theorem::bounded || evidence_.span;
  claim_.require(!bounded_residual || conclusion.path == 0, "the path constant is not 0");
  claim_.require(conclusion.excess >= 0, "the excess is negative");
  region_path_ = evidence_.span ? evidence_.span->path : conclusion.path;
  claim_.require(evidence_.theorem == Theorem::bounded || region_path_ > 0,
                 "the path constant is not positive");
  path_ = number(region_path_);
  if (evidence_.theorem != Theorem::bounded)
    at_most(point_.residual, conclusion.centre, "residual at the point against centre");
  at_most(Interval(conclusion.height, bits_), point_.height, "height against <w_0, u>");
  claim_.require(conclusion.logarithmic == (rule_ == Rule::gd),
                 "growth is logarithmic for gd, linear otherwise");
  switch (evidence_.theorem) {
    case Theorem::absorbing:
      absorbing();
      break;
    case Theorem::local:
      local();
      break;
    case Theorem::lock_in:
      lock_in();
      break;
    case Theorem::bounded:
      bounded();
      break;
  }
  if (evidence_.span) span_residual();
  if (conclusion.dominates_from) domination(*conclusion.dominates_from);
}

void Region::read_rows() {
  std::size_t place = 0;
  bool first = true;
  for (std::size_t i = 0; i < features_.groups(); ++i) {
    if (features_.tokens_of(i) == 1) continue;
    const std::size_t selected = claim_.problem.selection[i];
    const std::vector<Interval> slopes = direction_.slopes(i);
    best_.push_back(features_.exact_score(i, selected));
    for (std::size_t t = 0; t < features_.tokens_of(i); ++t) {
      if (t == selected) continue;
      Row row;
      row.place = place;
      row.group = i;
      row.token = t;
      row.gap = best_.back() - features_.exact_score(i, t);
      row.inside = row.gap > 0 &&
                   !std::binary_search(evidence_.outside.begin(), evidence_.outside.end(), Constraint{i, t});
      const Interval squared = number(token_distance_squared(features_, i, selected, t));
      row.norm = square_root(squared);
      row.slope = slopes[t];
      row.spread2 = maximum(squared - row.slope * row.slope, Interval(0));
      row.margin = point_.margin[i][t];
      row.excess = row.margin - gamma_ * point_.height;
      diameter_ = first ? row.norm : maximum(diameter_, row.norm);
      first = false;
      rows_.push_back(row);
    }
    ++place;
  }
  groups_ = place;
  const bool ranged = evidence_.theorem == Theorem::absorbing || evidence_.theorem == Theorem::lock_in;
  claim_.require(!ranged || evidence_.output.size() == groups_,
                 "one line for each group with more than one token is needed");
  claim_.require(evidence_.theorem == Theorem::lock_in || evidence_.attention.size() == groups_,
                 "one line for each group with more than one token is needed");
}

void Region::gibbs() {
  floor_ = Interval(0);
  for (std::size_t k = 0; k < direction_.active.size(); ++k) {
    const Row& row = active_row(k);
    claim_.require(row.inside,
                   "the constraint " + show(direction_.active[k]) +
                       " has a positive multiplier, but no positive score gap or is listed outside");
    floor_ += direction_.weight[k] * logarithm(row.lower / direction_.weight[k]);
  }
  Interval sum;
  for (const Row& row : rows_) {
    if (row.inside) sum += row.upper * exponential(-row.excess);
  }
  // C >= 0 (T7'').
  gibbs_ = maximum(logarithm(sum) - floor_, Interval(0));
}

Interval Region::normalised_spread() const {
  const Interval c = least_cosine();
  return eta_ * maximum(Interval(1) - c * c, Interval(0)) / c;
}

void Region::require_attention() const {
  std::vector<Interval> odds(groups_);
  for (const Row& row : rows_) odds[row.place] += exponential(-low(row));
  for (std::size_t i = 0; i < groups_; ++i)
    at_most(odds[i] / (Interval(1) + odds[i]), evidence_.attention[i], "attention left to other tokens");
}

// T10.
void Region::absorbing() {
  require_all_gaps_positive();
  Interval theta_high(1), theta_other(1), theta_low(1);
  for (std::size_t i = 0; i < groups_; ++i) {
    claim_.require(evidence_.attention[i] >= 0 && evidence_.attention[i] < 1,
                   "an attention range is not in [0, 1)");
    claim_.require(evidence_.output[i] >= 0, "an output range is negative");
    theta_other = maximum(theta_other, Interval(1) / number(1 - evidence_.attention[i]));
  }
  for (Row& row : rows_) {
    const Rational& phi = evidence_.output[row.place];
    claim_.require(phi < row.gap, "an output range is not below the least gap of its group");
    const Interval least = slope_at(best_[row.place]), most = slope_at(best_[row.place] - phi);
    row.lower = weight_ * least * number((1 - evidence_.attention[row.place]) * (row.gap - phi));
    row.upper = weight_ * most * number(row.gap);
    theta_high = maximum(theta_high, number(row.gap / (row.gap - phi)));
    theta_low = -maximum(-theta_low, -(least / most));
  }
  gibbs();
  const Interval twice = Interval(2) * gibbs_ / gamma_;
  Interval output_sum;
  std::vector<Interval> outputs(groups_);
  for (const Row& row : rows_) {
    const Interval odds = exponential(-low(row));
    outputs[row.place] += number(row.gap) * odds;
    output_sum += row.upper * odds;
  }
  require_attention();
  for (std::size_t i = 0; i < groups_; ++i)
    at_most(outputs[i], evidence_.output[i], "output lost to other tokens");
  speed_ = gamma_;
  if (rule_ == Rule::gd || (rule_ == Rule::ngd && evidence_.span)) require_step_bound(output_sum);
  if (rule_ == Rule::ngd) {
    require_path(twice + normalised_spread());
    require_growth(least_cosine());
  } else if (rule_ == Rule::gd) {
    Interval ratio(0);
    for (const Row& row : rows_) ratio = maximum(ratio, square_root(row.spread2) / row.slope);
    require_path(twice + number(evidence_.step_bound) * ratio);
    require_growth(gamma_ * gamma_ * exponential(floor_));
  } else {
    const Interval length = eta_ * -maximum(-theta_high, -theta_other) / gamma_;
    if (evidence_.span) at_most(length, evidence_.step_bound, "length of later steps against step-bound");
    require_path(twice + length);
    require_growth(theta_low * gamma_ / (diameter_ * diameter_));
  }
}

void require_forever(const Claim& claim, const ReferenceDirection& direction,
                     const Specification& specification, std::size_t step, const RunPoint& point,
                     const ForeverEvidence& evidence, const ForeverConclusion& conclusion) {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  Region(claim, direction, specification, step, point, evidence).require(conclusion);
}

}  // namespace attest_check
