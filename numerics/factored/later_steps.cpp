#include "numerics/factored/later_steps.hpp"

#include <algorithm>

#include "numerics/forever/ball_number.hpp"
#include "numerics/problem/loss_law.hpp"

namespace attest {
namespace {

struct Constants {
  Ball slope_ratio = Ball(1);  // theta_lo
  Ball least_weight;           // b_min
  Ball bend;                   // phi
  Ball reach;                  // D
  Ball deficit_rate;           // h
  Ball attention = Ball(1);
};

// Largest ||x_t - x_u|| ||z|| of a group.
Ball reach_of(const FeatureGroup& group, std::size_t d, long bits) {
  Ball widest;
  for (std::size_t t = 0; t < group.tokens.size(); ++t) {
    for (std::size_t u = 0; u < t; ++u) {
      Ball sum;
      for (std::size_t j = 0; j < d; ++j)
        sum = add(sum, square(sub(group.token[t * d + j], group.token[u * d + j], bits), bits), bits);
      widest = max(widest, sum, bits);
    }
  }
  return sqrt(mul(widest, dot(group.query, group.query, bits), bits), bits);
}

// False, with the reason, where the loss does not keep this group's best token ahead.
bool take_in(Constants& constants, const TokenData& data, const FeatureGroup& group, const Features& features,
             Loss loss, const Ball& gap, bool first, std::string& reason) {
  const long bits = features.bits;
  const std::size_t i = group.original;
  std::size_t best = 0;
  for (std::size_t t = 1; t < group.tokens.size(); ++t) {
    if (data.score(i, group.tokens[t]) > data.score(i, group.tokens[best])) best = t;
  }
  Rational second = data.score(i, group.tokens[best == 0 ? 1 : 0]);
  Rational least_count = 1;
  for (std::size_t t = 0; t < group.tokens.size(); ++t) {
    if (t == best) continue;
    second = std::max(second, data.score(i, group.tokens[t]));
    least_count = std::min(least_count, Rational(group.counts[t], group.counts[best]));
  }
  const Ball top = group.score[best], next(second, bits), lead = sub(top, next, bits);
  Ball rise = gap;
  arb_mul_ui(rise.raw(), rise.raw(), features.all_groups, bits);
  const Ball low = score_below(loss, BallNumber(top), BallNumber(rise)).ball(), ahead = sub(low, next, bits);
  if (!certainly_positive(lead) || !certainly_positive(ahead)) {
    reason = "the loss does not yet keep the best token of sequence " + std::to_string(i) + " ahead";
    return false;
  }
  Ball slope_top, slope_low, unused;
  loss_derivatives(slope_top.raw(), unused.raw(), loss, top.raw(), bits);
  loss_derivatives(slope_low.raw(), unused.raw(), loss, low.raw(), bits);
  Ball weighted = slope_top;  // wt |l'(g_best)|
  arb_div_ui(weighted.raw(), weighted.raw(), features.all_groups, bits);
  const Ball attention = div(ahead, lead, bits);
  const Ball weight = mul(mul(mul(weighted, attention, bits), ahead, bits), Ball(least_count, bits), bits);
  constants.slope_ratio = min(constants.slope_ratio, div(slope_top, slope_low, bits), bits);
  constants.least_weight = first ? weight : min(constants.least_weight, weight, bits);
  constants.attention = min(constants.attention, attention, bits);
  const Ball ratio = steepest_ratio(loss, BallNumber(low)).ball();
  constants.bend = max(constants.bend, mul(ratio, sub(top, low, bits), bits), bits);
  constants.reach = max(constants.reach, reach_of(group, features.d, bits), bits);
  constants.deficit_rate = max(constants.deficit_rate, inverse(mul(weighted, lead, bits), bits), bits);
  return true;
}

}  // namespace

std::optional<FactoredLaterSteps> factored_later_steps(const TokenData& data, const Features& features,
                                                       const FactoredSpec& spec, const FactoredLimits& limits,
                                                       const FactoredObservation& seen, std::string& reason) {
  const long bits = features.bits;
  if (spec.normalised || spec.steps.schedule != Schedule::constant) {
    reason = "T22 is about constant steps of gd";
    return std::nullopt;
  }
  const Ball& gap = seen.loss_gap;
  if (!certainly_positive(gap) || features.groups.empty()) {
    reason = "nothing to train";
    return std::nullopt;
  }
  Constants constants;
  for (std::size_t k = 0; k < features.groups.size(); ++k) {
    if (!take_in(constants, data, features.groups[k], features, spec.steps.loss, gap, k == 0, reason))
      return std::nullopt;
  }
  const Ball one(1), eta(spec.steps.step, bits), half(0.5);
  const Ball size = add(square(seen.left_norm, bits), square(seen.right_norm, bits), bits);  // rho^2
  const Ball mass = div(gap, constants.slope_ratio, bits);                                   // >= Omega
  const Ball longer = add(one, mul(mul(eta, mass, bits), constants.reach, bits), bits);
  Ball curvature = mul(square(constants.reach, bits), add(one, constants.bend, bits), bits);
  curvature = mul(mul(curvature, size, bits), square(longer, bits), bits);
  const Ball delta = mul(mul(eta, mass, bits), add(curvature, constants.reach, bits), bits);
  if (!certainly_at_most(delta, one)) {
    reason = "the step is too long for the loss to fall for certain, by the factor " + delta.to_string(3);
    return std::nullopt;
  }
  FactoredLaterSteps found;
  found.loss_gap = gap;
  found.attention = constants.attention;
  found.selection = best_selection(data);
  const Ball lost = mul(constants.deficit_rate, gap, bits);
  found.excess = add(mul(half, delta, bits), lost, bits);
  found.excess = add(found.excess, mul(half, mul(mul(eta, mass, bits), constants.reach, bits), bits), bits);
  found.level =
      add(neg(log(gap, bits)), log(mul(constants.slope_ratio, constants.least_weight, bits), bits), bits);
  const Ball kept = sub(one, found.excess, bits);
  const Ball spare = sub(mul(kept, found.level, bits), one, bits);
  if (!certainly_positive(kept) || !certainly_positive(spare) || !certainly_less(lost, one)) {
    reason = "the loss is not yet small enough: log(1/S) - c = " + found.level.to_string(4) +
             ", E = " + found.excess.to_string(4);
    return std::nullopt;
  }
  const Ball start = div(found.level, mul(half, size, bits), bits);
  found.margin_floor = mul(start, exp(neg(div(found.excess, spare, bits)), bits), bits);
  const Ball damped = sub(one, mul(half, delta, bits), bits);
  Ball growth = mul(mul(eta, damped, bits), mul(found.margin_floor, found.level, bits), bits);
  growth = mul(growth, square(sub(one, lost, bits), bits), bits);
  found.loss_growth = mul(Ball(2), growth, bits);
  found.balance_drift = div(mul(eta, gap, bits), damped, bits);
  arb_zero_pm_inf(found.share.raw());
  bool best_selection = true;
  for (const FeatureGroup& group : features.groups) {
    for (const std::size_t token : group.tokens)
      best_selection &=
          data.score(group.original, token) <= data.score(group.original, limits.selection[group.original]);
  }
  if (limits.nuclear && best_selection)
    found.share =
        mul(found.margin_floor, Ball(limits.nuclear->value.lo, limits.nuclear->value.hi, bits), bits);
  return found;
}

}  // namespace attest
