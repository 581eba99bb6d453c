#include "numerics/forever/lock_in.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/forever/forever_proof.hpp"

namespace attest {
namespace {

template <typename Number>
struct LockedIn {
  std::vector<Number> floors;   // flo_i
  Number least_attention{1.0};  // min slo_i
  Number gibbs{0.0}, log_weight{0.0};
};

// flo_i = l^{-1}(l(best) + excess), the output below which the group
// alone would have a larger loss gap than all have together.
template <typename Number>
Number output_floor(Loss loss, const Number& best, const Number& excess) {
  using std::exp;
  using std::expm1;
  using std::log;
  switch (loss) {
    case Loss::correlation:
      return best - excess;
    // e^-f = e^-best + excess
    case Loss::exponential:
      return best - log(Number(1.0) + excess * exp(best));
    case Loss::logistic:
      break;
  }
  // 1 + e^-f = (1 + e^-best) e^excess: e^(best - f) = 1 + (e^best + 1)(e^excess - 1)
  return best - log(Number(1.0) + (exp(best) + Number(1.0)) * expm1(excess));
}

template <typename Number>
std::optional<LockedIn<Number>> lock_in(const SelectionFacts<Number>& facts, const StartPoint<Number>& start,
                                        StepLength length, const Number& eta) {
  using std::exp;
  using std::fmax;
  using std::fmin;
  using std::log;
  const Number one(1.0);
  if (!facts.globally_optimal || !without_loss_gap(length)) return std::nullopt;
  if (length == StepLength::gradient && !at_most(eta * facts.smoothness, one)) return std::nullopt;
  LockedIn<Number> result;
  Number weights(0.0), deepest(0.0);
  for (const SelectionGroup<Number>& group : facts.groups) {
    Number least_gap = facts.constraints[group.first].gap;
    for (std::size_t c = group.first; c < group.last; ++c)
      least_gap = fmin(least_gap, facts.constraints[c].gap);
    const Number floor = output_floor(facts.loss, group.score, start.loss_gap / facts.weight);
    const Number fall = fmax(group.score - floor, Number(0.0));
    if (!positive(least_gap - fall)) return std::nullopt;
    const Number attention = (least_gap - fall) / least_gap;
    result.least_attention = fmin(result.least_attention, attention);
    const Number least = facts.weight * loss_slope(facts.loss, group.score);
    const Number most = facts.weight * loss_slope(facts.loss, group.score - fall);
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<Number>& k = facts.constraints[c];
      weights += k.counted(most * k.gap * exp(-start.offsets[c]));
      if (k.active)
        result.log_weight += k.share * log(k.counted(least * attention * (k.gap - fall)) / k.share);
    }
    result.floors.push_back(floor);
    deepest = fmax(deepest, fall);
  }
  result.gibbs = fmax(log(weights) - result.log_weight, Number(0.0));
  if (length == StepLength::constant) {
    const Number bend = one + Number(loss_curvature_ratio(facts.loss)) * deepest;
    const Number reach = eta * facts.feature_diameter * bend;
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
