// What the theorems about all later steps use of selection cross-entropy, -log s_y (DYNAMICS.md section 11),
// where y is selected: b_c = wt_i s_y, but for the tokens' ratio of multiplicities. Members as in ScalarHead;
// scores are 1 and 0. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include "numerics/forever/selection_facts.hpp"

namespace attest {

template <typename Number>
struct CrossEntropyHead {
  Number weight;

  using Group = SelectionGroup<Number>;
  using Constraint = ConstraintFacts<Number>;

  struct Range {
    Number weight, kept, over;
    bool sure(const Constraint& k) const { return positive(k.gap - over); }
    Number low(const Constraint&) const { return weight * kept; }
    Number high(const Constraint&) const { return weight; }
    Number magnitude(const Constraint&) const { return weight; }
    Number steadiness() const { return Number(1.0); }  // -log(1 - q)/q >= 1, q = 1 - s_y
  };
  Range range(const Group&, const std::vector<Constraint>&, const Number& kept, const Number& over,
              const Number&) const {
    return {weight, kept, over};
  }
  bool holds(const Group&, const Number&) const { return true; }

  Number limit(const Group&, const Constraint&) const { return weight; }
  bool steady(const Group&, const Number& eps, const Number& gap) const {
    return at_most(Number(2.0) * eps, gap);
  }
  // |log s_y| = log(1 + E) <= E
  Number limit_rate(const Group&, const Number&) const { return Number(1.0); }
  Number bend(const Group&, const std::vector<Constraint>&, const Range&) const { return Number(0.0); }

  Number floor(const Number&, const Number& excess) const {
    using std::exp;
    return exp(-excess);
  }
};

}  // namespace attest
