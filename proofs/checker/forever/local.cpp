// The absorbing region of a local optimum, T11 (DYNAMICS.md section 6).
#include "proofs/checker/forever/region.hpp"

namespace attest_check {

void Region::local_bounds() {
  for (const Constraint& c : evidence_.outside) {
    claim_.require(row_of(c).gap > 0, "the constraint " + show(c) + " listed outside is outside anyway");
  }
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
    row.upper = weight_ * most * number(abs(row.gap) + std::max(down, up));
    if (!row.inside) continue;
    claim_.require(down < row.gap, "an attention range is too large for a gap of its group");
    row.lower = weight_ * least * number((1 - eps) * (row.gap - down));
    row.upper = weight_ * most * number(row.gap + up);
  }
  gibbs();
}

void Region::require_step_bound(const Interval& odds_sum) const {
  if (rule_ == Rule::ngd && constant_ != nullptr) {
    claim_.require_at_most(*constant_, evidence_.step_bound, "length of later steps against step-bound");
  } else {
    at_most(rule_ == Rule::ngd ? eta_ : eta_ * diameter_ * odds_sum, evidence_.step_bound,
            "length of later steps against step-bound");
  }
}

void Region::local() {
  claim_.require(rule_ != Rule::polyak, "the theorem does not cover polyak steps");
  const Rational &ratio = evidence_.ratio, &theta = evidence_.theta;
  claim_.require(ratio >= 0 && evidence_.extra >= 0 && theta > 0 && evidence_.step_bound >= 0,
                 "ratio, extra and step-bound must not be negative and theta must be positive");
  local_bounds();
  require_attention();
  const Interval reduced = gamma_ - number(ratio) * diameter_;
  claim_.require(reduced.positive(), "ratio times the largest ||Delta|| is not below the margin");
  speed_ = reduced;
  Interval at_zero, at_theta, step_sum;  // e^K R(0), e^K R(theta)
  for (const Row& row : rows_) {
    step_sum += row.upper * exponential(-low(row));
    if (row.inside) continue;
    const Interval beyond = row.slope - gamma_;
    claim_.require(beyond.positive(), "a constraint outside P is not proved to be slack");
    const Interval wider = square_root(row.spread2) + number(theta);
    const Interval scale = path_ / (Interval(4) * beyond);
    at_zero += row.upper * exponential(row.spread2 * scale - row.excess);
    at_theta += row.upper * exponential(wider * wider * scale - row.excess);
  }
  const Interval inverse_floor = exponential(-floor_), e = exponential(Interval::between(1, 1, 0, bits_));
  at_most(at_zero * inverse_floor, ratio, "weight of the other constraints against ratio");
  at_most(Interval(2) * diameter_ * at_theta * inverse_floor / (e * number(theta)), evidence_.extra,
          "drift by the other constraints against extra");
  const Interval bound = number(evidence_.step_bound);
  require_step_bound(step_sum);
  require_path((Interval(2) * gibbs_ + number(evidence_.extra) + bound * diameter_ * number(1 + ratio)) /
               reduced);
  require_growth(rule_ == Rule::ngd ? reduced / (diameter_ * number(1 + ratio))
                                    : gamma_ * reduced * exponential(floor_));
}

}  // namespace attest_check
