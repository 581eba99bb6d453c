// What the theorems about all later steps use of the scalar head l(sum_t s_t g_t) (DYNAMICS.md sections 5 to
// 9); and of ReLU units, which are one with the gaps at the selected token while none of their signs changes
// (section 11). Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include "numerics/forever/selection_facts.hpp"
#include "numerics/problem/loss_law.hpp"

namespace attest {

template <typename Number>
struct ScalarHead {
  Loss loss;
  Number weight;  // wt_i
  using Group = SelectionGroup<Number>;
  using Constraint = ConstraintFacts<Number>;

  // Bounds of b_c, but for the tokens' ratio of multiplicities, while at least `kept` of a group's attention
  // is on the selected token and f stays in [score - over, score + under].
  struct Range {
    Number least, most;  // of wt_i |l'|
    Number kept, over, under;
    // Is low() one? high() is from above for any positive gap; and of |b_c|.
    bool sure(const Constraint& k) const { return positive(k.gap - over); }
    Number low(const Constraint& k) const { return least * kept * (k.gap - over); }
    Number high(const Constraint& k) const { return most * (k.gap + under); }
    Number magnitude(const Constraint& k) const {
      using std::abs;
      using std::fmax;
      return most * (abs(k.gap) + fmax(over, under));
    }
    // At most theta_c.
    Number steadiness() const { return least / most; }
  };
  Range range(const Group& group, const std::vector<Constraint>&, const Number& kept, const Number& over,
              const Number& under) const {
    return {weight * loss_slope(loss, group.score + under), weight * loss_slope(loss, group.score - over),
            kept, over, under};
  }
  // Do the units keep their signs while at least `kept` of the attention is on the selected token?
  bool holds(const Group& group, const Number& kept) const {
    const Number rest = Number(1.0) - kept;
    for (std::size_t u = 0; u < group.origin.size(); ++u) {
      if (!positive(group.origin[u] + rest * group.lowest[u]) &&
          !positive(-(group.origin[u] + rest * group.highest[u])))
        return false;
    }
    return true;
  }

  // b_c when all attention is on the selected token, likewise.
  Number limit(const Group& group, const Constraint& k) const {
    return weight * loss_slope(loss, group.score) * k.gap;
  }
  // May T15 speak of this gap of the support where the rest of the attention is at most eps? For the
  // logarithms of the factors.
  bool steady(const Group& group, const Number& eps, const Number& gap) const {
    return at_most(Number(2.0) * eps * widest(group), gap);
  }
  // k_c, in a group of gaps from `least` on in the support.
  Number limit_rate(const Group& group, const Number& least) const {
    using std::log;
    const Number doubled_log = Number(2.0) * log(Number(2.0)), wide = widest(group);
    return Number(1.0) + steepest_ratio(loss, group.score) * wide + doubled_log * wide / least;
  }
  // phi of T12n: on the range the second derivatives of the loss are at most 1 + phi times what its slopes
  // make of those of the softmax.
  Number bend(const Group& group, const std::vector<Constraint>&, const Range& range) const {
    return steepest_ratio(loss, group.score) * range.over;
  }

  // l^{-1}(l(best) + excess): the output below which the group alone would have a larger loss gap.
  Number floor(const Number& best, const Number& excess) const { return score_below(loss, best, excess); }

 private:
  Number widest(const Group& group) const {
    using std::fmax;
    return fmax(group.gap_above, group.gap_below);
  }
};

}  // namespace attest
