// The absorbing region of the globally best tokens: see forever/absorbing.hpp.
#include "proofs/checker/forever/absorbing.hpp"

namespace attest_check {

void Absorbing::read(Reader& in) {
  in.next("step-bound", step_bound);
  read_ranges(in, {{"output", output}, {"attention", attention}});
}

void Absorbing::require(const LaterSteps& where) const {
  AbsorbingRegion(where, *this, where.conclusion.path).require();
}

void AbsorbingRegion::require_theorem() {
  require_rule({Rule::gd, Rule::ngd, Rule::polyak});
  require_all_gaps_positive();
  const bool by_attention = head_->bounded_by_attention();
  Interval theta_high(1), theta_other(1), theta_low(1);
  for (std::size_t i = 0; i < groups_; ++i) {
    claim_.require(evidence_.attention[i] >= 0 && evidence_.attention[i] < 1,
                   "an attention range is not in [0, 1)");
    claim_.require(evidence_.output[i] >= 0, "an output range is negative");
    claim_.require(!by_attention || evidence_.output[i] == 0, "a head without a score has an output range");
    theta_other = maximum(theta_other, Interval(1) / number(1 - evidence_.attention[i]));
  }
  require_signs(evidence_.attention);
  for (Row& row : rows_) {
    const Rational& phi = evidence_.output[row.place];
    claim_.require(phi < row.gap, "an output range is not below the least gap of its group");
    const WeightBounds bounds = bound(row, {1 - evidence_.attention[row.place], phi, 0});
    theta_high = maximum(theta_high, number(row.gap / (row.gap - phi)));
    theta_low = minimum(theta_low, bounds.steadiness);
  }
  gibbs();
  const Interval twice = Interval(2) * gibbs_ / gamma_;
  Interval output_sum;
  std::vector<Interval> outputs(groups_);
  for (const Row& row : rows_) {
    const Interval odds = exponential(-low(row));
    outputs[row.place] += number(row.gap) * counted(row, odds);
    output_sum += row.upper * odds;
  }
  require_attention(evidence_.attention);
  for (std::size_t i = 0; !by_attention && i < groups_; ++i)
    at_most(outputs[i], evidence_.output[i], "output lost to other tokens");
  speed_ = gamma_;
  if (rule_ == Rule::gd || (rule_ == Rule::ngd && bounded_residual()))
    require_step_bound(output_sum, evidence_.step_bound);
  if (rule_ == Rule::ngd) {
    require_path(twice + normalised_spread());
    require_growth(least_cosine());
  } else if (rule_ == Rule::gd) {
    Interval ratio(0);
    for (const Row& row : rows_) ratio = maximum(ratio, square_root(row.spread2) / row.slope);
    require_path(twice + number(evidence_.step_bound) * ratio);
    require_growth(gamma_ * gamma_ * exponential(floor_));
  } else {
    const Interval most = by_attention ? theta_other : minimum(theta_high, theta_other);
    const Interval length = eta_ * most / gamma_;
    if (bounded_residual()) at_most(length, evidence_.step_bound, "length of later steps against step-bound");
    require_path(twice + length);
    require_growth(theta_low * gamma_ / (diameter_ * diameter_));
  }
}

}  // namespace attest_check
