// The scalar head, l(sum_t s_t g_t) for a loss l of a score with l'' <= |l'|: see runs/head.hpp.
#pragma once

#include "proofs/checker/runs/head.hpp"

namespace attest_check {

class ScalarHead : public Head {
 public:
  ScalarHead(const Problem& problem, unsigned bits);

  Rational best(std::size_t group) const override;
  Rational gap(const Constraint& c) const override;
  Interval limit(const Constraint& c) const override;
  WeightBounds bounds(const Constraint& c, const AttentionRange& range) const override;
  Interval most_magnitude(const Constraint& c, const AttentionRange& range) const override;
  Interval bend(std::size_t group, const AttentionRange& range) const override;
  bool settled(const Constraint& c, const Rational& lost, const Rational& widest) const override;
  Interval limit_rate(std::size_t group, const Rational& widest, const Rational& least) const override;
  Interval excess(std::size_t group, const Rational& drop) const override;

 private:
  Interval slope(const Rational& score) const { return loss_slope(loss_, Interval(score, bits_)); }
  bool linear() const { return loss_is_linear(loss_); }

  const Loss loss_;  // of the output
};

}  // namespace attest_check
