// The absorbing region of a local optimum: see forever/local.hpp.
#include "proofs/checker/forever/local.hpp"

namespace attest_check {

void Local::read(Reader& in) {
  in.next("step-bound", step_bound, "ratio", ratio, "extra", extra, "theta", theta);
  outside = read_outside(in);
  read_ranges(in, {{"attention", attention}});
}

void Local::require(const LaterSteps& where) const {
  LocalRegion(where, *this, where.conclusion.path).require();
}

void LocalRegion::require_theorem() {
  require_rule({Rule::gd, Rule::ngd});
  const Rational &ratio = evidence_.ratio, &theta = evidence_.theta;
  claim_.require(ratio >= 0 && evidence_.extra >= 0 && theta > 0 && evidence_.step_bound >= 0,
                 "ratio, extra and step-bound must not be negative and theta must be positive");
  local_bounds(evidence_.attention, evidence_.outside);
  require_attention(evidence_.attention);
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
  require_step_bound(step_sum, evidence_.step_bound);
  require_path((Interval(2) * gibbs_ + number(evidence_.extra) + bound * diameter_ * number(1 + ratio)) /
               reduced);
  require_growth(rule_ == Rule::ngd ? reduced / (diameter_ * number(1 + ratio))
                                    : gamma_ * reduced * exponential(floor_));
}

}  // namespace attest_check
