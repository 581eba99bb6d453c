// The factor bounds shared by the absorbing regions (DYNAMICS.md sections 5, 6 and 9): while eps_i bounds the
// attention off the selected token and f_i stays in [g - over_i, g + under_i], b_c lies in [blo_c, bhi_c] on
// P and |b_c| <= B_c on N.
#pragma once

#include <optional>

#include "numerics/forever/region_constants.hpp"
#include "numerics/forever/selection_facts.hpp"

namespace attest {

template <typename Number>
struct FactorBounds {
  std::vector<Number> low, high;  // per constraint: blo and bhi on P; on N low is 0 and high is B
  Number log_weight{0.0};         // K = sum_S mu_c log(blo_c / mu_c)
  Number slope_ratio{1.0};        // min_i min|l'| / max|l'| on the ranges of f_i
};

// From eps and, with `global`, phi: over = phi, under = 0 (section 5); else over = eps G+, under = eps G-
// (section 6). Nothing when eps_i >= 1 or some blo_c > 0 on P is not certain.
template <typename Number>
std::optional<FactorBounds<Number>> factor_bounds(const SelectionFacts<Number>& facts,
                                                  const RegionConstants& constants, bool global) {
  using std::fmax;
  using std::fmin;
  using std::log;
  FactorBounds<Number> bounds;
  const std::size_t count = facts.constraints.size();
  bounds.low.assign(count, Number(0.0));
  bounds.high.assign(count, Number(0.0));
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    const SelectionGroup<Number>& group = facts.groups[i];
    if (!(constants.attention[i] < 1)) return std::nullopt;
    const Number eps(constants.attention[i]);
    const Number over = global ? Number(constants.output[i]) : eps * group.gap_above;
    const Number under = global ? Number(0.0) : eps * group.gap_below;
    const Number least = facts.weight * loss_slope(facts.loss, group.score + under);
    const Number most = facts.weight * loss_slope(facts.loss, group.score - over);
    bounds.slope_ratio = fmin(bounds.slope_ratio, least / most);
    const Number wider = fmax(over, under);
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<Number>& constraint = facts.constraints[c];
      if (!constants.inside[c]) {
        using std::abs;
        bounds.high[c] = constraint.counted(most * (abs(constraint.gap) + wider));
        continue;
      }
      const Number left = constraint.gap - over;
      if (!positive(left)) return std::nullopt;
      bounds.low[c] = constraint.counted(least * (Number(1.0) - eps) * left);
      bounds.high[c] = constraint.counted(most * (constraint.gap + under));
      if (constraint.active) bounds.log_weight += constraint.share * log(bounds.low[c] / constraint.share);
    }
  }
  return bounds;
}

}  // namespace attest
