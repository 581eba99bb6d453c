// What the theorems about all later steps use of selection cross-entropy, -log s_y (DYNAMICS.md section 11),
// where y is selected: b_c = wt_i s_y, but for the tokens' ratio of multiplicities. Members as in ScalarHead;
// scores are 1 and 0.
#pragma once

#include "numerics/forever/ball_number.hpp"

namespace attest {

template <typename Number>
struct CrossEntropyHead {
  Number weight;

  struct Range {
    Number weight, kept;
    Number low(const Number&) const { return weight * kept; }
    Number high(const Number&) const { return weight; }
    Number magnitude(const Number&) const { return weight; }
    Number steadiness() const { return Number(1.0); }  // -log(1 - q)/q >= 1, q = 1 - s_y
  };
  Range range(const Number&, const Number& kept, const Number&, const Number&) const {
    return {weight, kept};
  }

  Number limit(const Number&, const Number&) const { return weight; }
  // |log s_y| = log(1 + E) <= E
  Number limit_rate(const Number&, const Number&) const { return Number(1.0); }
  double curvature() const { return 0; }

  Number floor(const Number&, const Number& excess) const {
    using std::exp;
    return exp(-excess);
  }
};

}  // namespace attest
