// The theorems about all later steps: see forever.hpp. T10 and T11; T12 is in forever_lock_in.cpp.
#include "proofs/checker/forever.hpp"

#include "proofs/checker/forever_region.hpp"

namespace attest_check {

Region::Region(const Claim& claim, const ReferenceDirection& direction, const Specification& specification,
       std::size_t step, const RunPoint& point, const ForeverEvidence& evidence)
    : claim_(claim),
      direction_(direction),
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
  claim_.require(conclusion.path > 0, "the path constant is not positive");
  claim_.require(conclusion.excess >= 0, "the excess is negative");
  path_ = Interval(conclusion.path, bits_);
  at_most(point_.residual, conclusion.centre, "residual at the point against centre");
  at_most(Interval(conclusion.height, bits_), point_.height, "height against <w_0, u>");
  claim_.require(conclusion.logarithmic == (rule_ == Rule::gd), "growth is logarithmic for gd, linear otherwise");
  switch (evidence_.theorem) {
    case Theorem::absorbing:
      return absorbing();
    case Theorem::local:
      return local();
    case Theorem::lock_in:
      return lock_in();
  }
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
  claim_.require(evidence_.theorem == Theorem::local || evidence_.output.size() == groups_,
                 "one line for each group with more than one token is needed");
  claim_.require(evidence_.theorem == Theorem::lock_in || evidence_.attention.size() == groups_,
                 "one line for each group with more than one token is needed");
}

void Region::gibbs() {
  floor_ = Interval(0);
  for (std::size_t k = 0; k < direction_.active.size(); ++k) {
    const Row& row = active_row(k);
    claim_.require(row.gap > 0, "a constraint with a positive multiplier has no positive score gap");
    floor_ += direction_.weight[k] * logarithm(row.lower / direction_.weight[k]);
  }
  Interval sum;
  for (const Row& row : rows_) {
    if (row.gap > 0) sum += row.upper * exponential(-row.excess);
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
    claim_.require(evidence_.attention[i] >= 0 && evidence_.attention[i] < 1, "an attention range is not in [0, 1)");
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
  for (std::size_t i = 0; i < groups_; ++i) at_most(outputs[i], evidence_.output[i], "output lost to other tokens");
  if (rule_ == Rule::ngd) {
    require_path(twice + normalised_spread());
    require_growth(least_cosine());
  } else if (rule_ == Rule::gd) {
    at_most(eta_ * diameter_ * output_sum, evidence_.step_bound, "length of later steps against step-bound");
    Interval ratio(0);
    for (const Row& row : rows_) ratio = maximum(ratio, square_root(row.spread2) / row.slope);
    require_path(twice + number(evidence_.step_bound) * ratio);
    require_growth(gamma_ * gamma_ * exponential(floor_));
  } else {
    const Interval theta = -maximum(-theta_high, -theta_other);
    require_path(twice + eta_ * theta / gamma_);
    require_growth(theta_low * gamma_ / (diameter_ * diameter_));
  }
}

// T11.
void Region::local() {
  claim_.require(rule_ != Rule::polyak, "the theorem does not cover polyak steps");
  const Rational &ratio = evidence_.ratio, &theta = evidence_.theta;
  claim_.require(ratio >= 0 && evidence_.extra >= 0 && theta > 0 && evidence_.step_bound >= 0,
                 "ratio, extra and step-bound must not be negative and theta must be positive");
  std::vector<Rational> above(groups_), below(groups_);  // G+, G-
  for (const Row& row : rows_) {
    above[row.place] = std::max(above[row.place], row.gap);
    below[row.place] = std::max(below[row.place], Rational(-row.gap));
  }
  for (Row& row : rows_) {
    const Rational& eps = evidence_.attention[row.place];
    claim_.require(eps >= 0 && eps < 1, "an attention range is not in [0, 1)");
    const Rational down = eps * above[row.place], up = eps * below[row.place];
    const Interval least = slope_at(best_[row.place] + up), most = slope_at(best_[row.place] - down);
    row.size = weight_ * most * number(abs(row.gap) + std::max(down, up));
    if (row.gap <= 0) continue;
    claim_.require(down < row.gap, "an attention range is too large for a gap of its group");
    row.lower = weight_ * least * number((1 - eps) * (row.gap - down));
    row.upper = weight_ * most * number(row.gap + up);
  }
  gibbs();
  require_attention();
  const Interval reduced = gamma_ - number(ratio) * diameter_;
  claim_.require(reduced.positive(), "ratio times the largest ||Delta|| is not below the margin");
  Interval at_zero, at_theta, step_sum;  // e^K R(0), e^K R(theta)
  for (const Row& row : rows_) {
    step_sum += (row.gap > 0 ? row.upper : row.size) * exponential(-low(row));
    if (row.gap > 0) continue;
    const Interval beyond = row.slope - gamma_;
    claim_.require(beyond.positive(), "a constraint without a positive gap is not proved to be slack");
    const Interval wider = square_root(row.spread2) + number(theta);
    const Interval scale = path_ / (Interval(4) * beyond);
    at_zero += row.size * exponential(row.spread2 * scale - row.excess);
    at_theta += row.size * exponential(wider * wider * scale - row.excess);
  }
  const Interval inverse_floor = exponential(-floor_), e = exponential(Interval::between(1, 1, 0, bits_));
  at_most(at_zero * inverse_floor, ratio, "weight of the other constraints against ratio");
  at_most(Interval(2) * diameter_ * at_theta * inverse_floor / (e * number(theta)), evidence_.extra,
          "drift by the other constraints against extra");
  const Interval bound = number(evidence_.step_bound);
  if (rule_ == Rule::ngd && constant_ != nullptr) {
    claim_.require_at_most(*constant_, evidence_.step_bound, "length of later steps against step-bound");
  } else {
    at_most(rule_ == Rule::ngd ? eta_ : eta_ * diameter_ * step_sum, evidence_.step_bound,
            "length of later steps against step-bound");
  }
  require_path((Interval(2) * gibbs_ + number(evidence_.extra) + bound * diameter_ * number(1 + ratio)) / reduced);
  require_growth(rule_ == Rule::ngd ? reduced / (diameter_ * number(1 + ratio))
                                    : gamma_ * reduced * exponential(floor_));
}

void require_forever(const Claim& claim, const ReferenceDirection& direction, const Specification& specification,
                     std::size_t step, const RunPoint& point, const ForeverEvidence& evidence,
                     const ForeverConclusion& conclusion) {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  try {
    Region(claim, direction, specification, step, point, evidence).require(conclusion);
  } catch (const Imprecise&) {
    claim.fail("a number is not bounded away from 0");
  }
}

}  // namespace attest_check
