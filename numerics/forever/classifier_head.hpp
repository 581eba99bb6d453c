// What the theorems about all later steps use of a classifier, -log softmax(sum_t s_t G_t)_y (DYNAMICS.md
// section 11). Members as in ScalarHead. With m_u = sum_t s_t c_tu the loss of a group is log(1 + sum_u
// e^{m_u}), p_u = e^{m_u}/(1 + sum e^m), and b_c = wt_i s_alpha (sum_u p_u d_cu - sum_t s_t sum_u p_u d_tu)
// but for the tokens' ratio of multiplicities. The gap of a constraint is sum_u p_u d_cu where all attention
// is on the selected token.
//
// The score of a group is 0: f, the loss there less its own, falls below it by sum_t s_t gap_t at least, the
// loss being convex in s. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/forever/selection_facts.hpp"

namespace attest {

// sum_u p_u x_u at the selected token, p from its outputs `origin`.
template <typename Number>
Number mean_of_classes(const std::vector<Number>& origin, const std::vector<Number>& x) {
  using std::exp;
  Number total(1.0), sum(0.0);
  for (std::size_t u = 0; u < origin.size(); ++u) {
    const Number power = exp(origin[u]);
    total += power;
    sum += power * x[u];
  }
  return sum / total;
}

// l(c_alpha + shift) - l(c_alpha) = log(1 + sum_u p_u (e^{shift_u} - 1)).
template <typename Number>
Number classifier_excess(const std::vector<Number>& origin, const std::vector<Number>& shift) {
  using std::expm1;
  using std::log1p;
  std::vector<Number> rise;
  for (const Number& x : shift) rise.push_back(expm1(x));
  return log1p(mean_of_classes(origin, rise));
}

template <typename Number>
struct ClassifierHead {
  Number weight;

  // While at least `kept` of the attention is on the selected token, the rest being at most eps = 1 - kept:
  // m_u - c_alpha,u is within eps [lowest_u, highest_u], which bounds p_u from both sides.
  struct Range {
    Number weight, kept;
    std::vector<Number> least, most;  // of p_u
    Number over{0.0}, under{0.0};     // sum_t s_t sum_u p_u d_tu is in [-under, over]
    Number steady{1.0};  // at most any gap over its largest value here; 0 where some is not positive

    Number gap_below(const ConstraintFacts<Number>& k) const {
      using std::fmin;
      Number sum(0.0);
      for (std::size_t u = 0; u < least.size(); ++u) sum += fmin(least[u] * k.shift[u], most[u] * k.shift[u]);
      return sum;
    }
    Number gap_above(const ConstraintFacts<Number>& k) const {
      using std::fmax;
      Number sum(0.0);
      for (std::size_t u = 0; u < least.size(); ++u) sum += fmax(least[u] * k.shift[u], most[u] * k.shift[u]);
      return sum;
    }
    Number size_above(const ConstraintFacts<Number>& k) const {
      using std::abs;
      Number sum(0.0);
      for (std::size_t u = 0; u < least.size(); ++u) sum += most[u] * abs(k.shift[u]);
      return sum;
    }
    bool sure(const ConstraintFacts<Number>& k) const { return positive(gap_below(k) - over); }
    Number low(const ConstraintFacts<Number>& k) const { return weight * kept * (gap_below(k) - over); }
    Number high(const ConstraintFacts<Number>& k) const { return weight * (gap_above(k) + under); }
    Number magnitude(const ConstraintFacts<Number>& k) const {
      using std::abs;
      using std::fmax;
      return weight * (fmax(abs(gap_below(k)), abs(gap_above(k))) + fmax(over, under));
    }
    // l(s) - l(alpha) >= sum s_t gap_t, the gaps those at alpha.
    Number steadiness() const { return steady; }
  };

  template <typename Constraints>
  Range range(const SelectionGroup<Number>& group, const Constraints& constraints, const Number& kept,
              const Number&, const Number&) const {
    using std::exp;
    using std::fmax;
    using std::fmin;
    const std::size_t width = group.origin.size();
    const Number eps = Number(1.0) - kept;
    Range range{weight, kept, {}, {}};
    std::vector<Number> low(width), high(width);
    Number all_low(1.0), all_high(1.0);
    for (std::size_t u = 0; u < width; ++u) {
      low[u] = exp(group.origin[u] + eps * group.lowest[u]);
      high[u] = exp(group.origin[u] + eps * group.highest[u]);
      all_low += low[u];
      all_high += high[u];
    }
    for (std::size_t u = 0; u < width; ++u) {
      range.least.push_back(low[u] / (all_high - high[u] + low[u]));
      range.most.push_back(high[u] / (all_low - low[u] + high[u]));
    }
    Number over(0.0), under(0.0);
    for (std::size_t c = group.first; c < group.last; ++c) {
      const Number above = range.gap_above(constraints[c]);
      over = fmax(over, above);
      under = fmax(under, -range.gap_below(constraints[c]));
      range.steady =
          positive(above) ? fmin(range.steady, fmax(constraints[c].gap, Number(0.0)) / above) : Number(0.0);
    }
    range.over = eps * over;
    range.under = eps * under;
    return range;
  }
  bool holds(const SelectionGroup<Number>&, const Number&) const { return true; }

  Number limit(const SelectionGroup<Number>&, const ConstraintFacts<Number>& k) const {
    return weight * k.gap;
  }
  // 1.3 (W + 1) A.
  Number sway(const SelectionGroup<Number>& group) const {
    return Number(1.3 * (1 + 0x1p-50)) * (span(group) + Number(1.0)) * group.swing;
  }
  bool steady(const SelectionGroup<Number>& group, const Number& eps, const Number& gap) const {
    return at_most(eps * span(group), Number(0.25)) && at_most(Number(2.0) * eps * sway(group), gap);
  }
  Number limit_rate(const SelectionGroup<Number>& group, const Number& least) const {
    using std::log;
    return Number(1.0) + Number(2.0) * log(Number(2.0)) * sway(group) / least;
  }
  // eps W chi/(1 - eps), chi = max_t sum_u p_u |d_tu|/sum_u p_u d_tu.
  template <typename Constraints>
  Number bend(const SelectionGroup<Number>& group, const Constraints& constraints, const Range& range) const {
    using std::fmax;
    Number chi(0.0);
    for (std::size_t c = group.first; c < group.last; ++c)
      chi = fmax(chi, range.size_above(constraints[c]) / range.gap_below(constraints[c]));
    return (Number(1.0) - range.kept) * span(group) * chi / range.kept;
  }

  Number floor(const Number& best, const Number& excess) const { return best - excess; }

 private:
  // W: how far apart the shifts of classes can be, 0 for y among them.
  Number span(const SelectionGroup<Number>& group) const {
    using std::fmax;
    using std::fmin;
    Number lowest(0.0), highest(0.0);
    for (std::size_t u = 0; u < group.origin.size(); ++u) {
      lowest = fmin(lowest, group.lowest[u]);
      highest = fmax(highest, group.highest[u]);
    }
    return highest - lowest;
  }
};

}  // namespace attest
