#include "numerics/forever/lock_in.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/forever/head.hpp"
#include "numerics/forever/proof.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// The floor as it is stated: a number that falls short of the score by one part in 2^40 more. What is proved
// below it holds for this number, however little attention it keeps on the selected token.
double stated_floor(double floor, double) {
  return floor;
}
BallNumber stated_floor(const BallNumber& floor, const BallNumber& score) {
  const auto ends = interval_of(floor.ball()), best = interval_of(score.ball());
  if (!ends || !best) return floor;
  const Rational drop = best->hi - ends->lo;
  return BallNumber(Ball(best->lo - dyadic_above(drop + drop * power_of_two(-40), 80), BallNumber::bits));
}

template <typename Number>
struct LockedIn {
  std::vector<Number>
      floors;  // flo_i, below which the group alone would have a larger loss gap than all together
  Number least_attention{1.0};  // min slo_i
  Number gibbs{0.0}, log_weight{0.0};
  Number bend{1.0};  // 1 + phi
};

// `result`'s members but the last, from the groups; false when some output may fall to the second best score.
template <typename Number, typename Head>
bool lock_groups(const SelectionFacts<Number>& facts, const StartPoint<Number>& start, const Head& head,
                 LockedIn<Number>& result) {
  using std::exp;
  using std::fmax;
  using std::fmin;
  using std::log;
  Number weights(0.0), phi(0.0);
  for (const SelectionGroup<Number>& group : facts.groups) {
    Number least_gap = facts.constraints[group.first].gap;
    for (std::size_t c = group.first; c < group.last; ++c)
      least_gap = fmin(least_gap, facts.constraints[c].gap);
    const Number floor = stated_floor(head.floor(group.score, start.loss_gap / facts.weight), group.score);
    const Number fall = fmax(group.score - floor, Number(0.0));
    if (!positive(least_gap - fall)) return false;
    const Number attention = (least_gap - fall) / least_gap;
    result.least_attention = fmin(result.least_attention, attention);
    const auto range = head.range(group, facts.constraints, attention, fall, Number(0.0));
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<Number>& k = facts.constraints[c];
      if (!range.sure(k)) return false;
      weights += k.counted(range.high(k) * exp(-start.offsets[c]));
      if (k.active) result.log_weight += k.share * log(k.counted(range.low(k)) / k.share);
    }
    result.floors.push_back(floor);
    phi = fmax(phi, head.bend(group, facts.constraints, range));
  }
  result.gibbs = fmax(log(weights) - result.log_weight, Number(0.0));
  result.bend = Number(1.0) + phi;
  return true;
}

template <typename Number>
std::optional<LockedIn<Number>> lock_in(const SelectionFacts<Number>& facts, const StartPoint<Number>& start,
                                        StepLength length, const Number& eta) {
  using std::exp;
  if (!locks_in(facts, length)) return std::nullopt;
  if (length == StepLength::gradient && !at_most(eta * facts.smoothness, Number(1.0))) return std::nullopt;
  LockedIn<Number> result;
  const bool locked = with_head(facts.loss, facts.weight,
                                [&](const auto& head) { return lock_groups(facts, start, head, result); });
  if (!locked) return std::nullopt;
  if (length == StepLength::constant) {
    const Number reach = eta * facts.feature_diameter * result.bend;
    const Number two_margins = Number(2.0) * facts.margin;
    if (!positive(two_margins - reach * facts.feature_diameter * exp(reach))) return std::nullopt;
  }
  return result;
}

// Do the hypotheses seem to hold, and, with `dominating`, to keep more than half of every group's attention
// on the selected token? A guess, cheap enough for every step.
bool seems_locked_in(const TheoremPoint& point) {
  const auto locked = lock_in(point.guess, point.start_guess, step_length(point.steps.spec),
                              point.steps.largest.ball().approx_mid());
  return locked && (!point.dominating ||
                    locked->least_attention > 0.5 + 0x1p-20);  // to spare for what rounding weakens
}

// Every hypothesis, certified.
std::optional<ForeverProof> prove_lock_in(const SelectionFacts<BallNumber>& facts,
                                          const StartPoint<BallNumber>& start, const LaterSteps& steps) {
  const auto locked = lock_in(facts, start, step_length(steps.spec), steps.largest);
  if (!locked || !locked->gibbs.ball().is_finite()) return std::nullopt;
  const BallNumber one(1.0), two(2.0);
  const bool descent = step_length(steps.spec) == StepLength::gradient;
  ForeverProof proof;
  if (descent) {
    proof.theorem = LockIn{};
  } else {
    proof.theorem = NormalisedLockIn{};
  }
  proof.t0 = start.step;
  proof.steps = steps;
  proof.floors = locked->floors;
  proof.logarithmic = descent;
  proof.margin = facts.margin;
  proof.start_height = start.height;
  proof.centre_norm = start.residual;
  proof.start_margins = start.margins;
  proof.path_rate = two * locked->gibbs / facts.margin;
  if (descent) {
    proof.growth = facts.margin * facts.margin * exp(locked->log_weight);
    proof.path_offset = two * steps.largest * fmax(start.loss_gap, BallNumber(0.0));
  } else {
    proof.growth = facts.least_cosine;
    proof.path_rate += steps.largest * (one - facts.least_cosine * facts.least_cosine) / facts.least_cosine;
  }
  return proof;
}

}  // namespace

std::optional<ForeverProof> LockIn::prove(const TheoremPoint& point) {
  if (step_length(point.steps.spec) != StepLength::gradient || !seems_locked_in(point)) return std::nullopt;
  return prove_lock_in(point.facts, point.start, point.steps);
}

std::optional<ForeverProof> NormalisedLockIn::prove(const TheoremPoint& point) {
  if (step_length(point.steps.spec) != StepLength::constant || !seems_locked_in(point)) return std::nullopt;
  return prove_lock_in(point.facts, point.start, point.steps);
}

}  // namespace attest
