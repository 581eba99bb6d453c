// The head's factor bounds in the absorbing regions (DYNAMICS.md sections 5, 6 and 9): while eps_i bounds the
// attention off the selected token and f_i stays in [g - over, g + under], b_c lies in [blo_c, bhi_c] on
// P and |b_c| <= B_c on N. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <optional>

#include "numerics/forever/head.hpp"
#include "numerics/forever/region_constants.hpp"
#include "numerics/forever/selection_facts.hpp"

namespace attest {

template <typename Number>
struct FactorBounds {
  std::vector<Number> low, high;  // per constraint: blo and bhi on P; on N low is 0 and high is B
  Number log_weight{0.0};         // K
  Number slope_ratio{1.0};        // at most theta_c: min_i min|l'| / max|l'| on the ranges of f_i
};

// From eps and, with `global`, phi: over = phi, under = 0 (section 5); else over = eps G+, under = eps G-
// (section 6); a classifier needs neither (section 11). Nothing when eps_i >= 1 or some blo_c > 0 on P is not
// certain.
template <typename Number>
std::optional<FactorBounds<Number>> factor_bounds(const SelectionFacts<Number>& facts,
                                                  const RegionConstants& constants, bool global) {
  using std::fmin;
  using std::log;
  FactorBounds<Number> bounds;
  const std::size_t count = facts.constraints.size();
  bounds.low.assign(count, Number(0.0));
  bounds.high.assign(count, Number(0.0));
  const bool sound = with_head(facts.loss, facts.weight, [&](const auto& head) {
    for (std::size_t i = 0; i < facts.groups.size(); ++i) {
      const SelectionGroup<Number>& group = facts.groups[i];
      if (!(constants.attention[i] < 1)) return false;
      const Number eps(constants.attention[i]);
      const Number over = global ? Number(constants.output[i]) : eps * group.gap_above;
      const Number under = global ? Number(0.0) : eps * group.gap_below;
      const Number kept = Number(1.0) - eps;
      if (!head.holds(group, kept)) return false;
      const auto range = head.range(group, facts.constraints, kept, over, under);
      bounds.slope_ratio = fmin(bounds.slope_ratio, range.steadiness());
      for (std::size_t c = group.first; c < group.last; ++c) {
        const ConstraintFacts<Number>& constraint = facts.constraints[c];
        if (!constants.inside[c]) {
          bounds.high[c] = constraint.counted(range.magnitude(constraint));
          continue;
        }
        if (!range.sure(constraint)) return false;
        bounds.low[c] = constraint.counted(range.low(constraint));
        bounds.high[c] = constraint.counted(range.high(constraint));
        if (constraint.active) bounds.log_weight += constraint.share * log(bounds.low[c] / constraint.share);
      }
    }
    return true;
  });
  if (!sound) return std::nullopt;
  return bounds;
}

}  // namespace attest
