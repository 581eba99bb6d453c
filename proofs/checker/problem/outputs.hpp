// Heads of several outputs (DYNAMICS.md section 11): a classifier, whose classes have exact scores, or ReLU
// units. The loss of a group is a function of the means m_u = sum_t s_t c_tu of exact numbers c_tu, the
// outputs: of a classifier G_tu - G_ty for the classes u other than y, of units -Y r_u (A_u x_t + bias_u).
// The gap of a constraint is what its selected token gains over the other one where all attention is on the
// selected one; its sign is what the margin claims need.
#pragma once

#include "proofs/checker/base/scaled_matrix.hpp"
#include "proofs/checker/problem/equal_tokens.hpp"

namespace attest_check {

class Outputs {
 public:
  // Both outlive it. The instance has such a head.
  Outputs(const Instance& instance, const EqualTokens& equal);

  // Of phi_winner - phi_loser, for two present tokens of a group: exact. 0 also where the gap is not defined,
  // because a ReLU unit is on its kink at the winner.
  int gap_sign(std::size_t group, std::size_t winner, std::size_t loser) const;

  bool classifier() const { return instance_.outputs->classifier; }
  // How many outputs a group has.
  std::size_t count() const { return layer_.rows() - (classifier() ? 1 : 0); }
  // c_tu of a present token.
  Rational value(std::size_t group, std::size_t token, std::size_t u) const;
  // T6 for a classifier, over the squared diameter of a group: q (R/(6 sqrt 3) + R^2/16), R
  // the largest difference of an output within the group, q = S/(1 + S), S = sum_u e^(max_t c_tu); from an
  // upper bound of 1/(6 sqrt 3).
  Rational smoothness(std::size_t group, const Rational& root_bound) const;
  // Of ReLU units: is unit u on its rising side where its output c_tu has this sign? On its kink it is not.
  bool active(std::size_t group, std::size_t u, int sign) const;
  // Of ReLU units: has u any effect?
  bool effective(std::size_t u) const { return instance_.outputs->r.exact(u) != 0; }

 private:
  // Row u of the layer times the token, the mean over the tokens equal to it by their counts.
  Rational product(std::size_t group, std::size_t token, std::size_t u) const;
  int classifier_sign(std::size_t group, std::size_t winner, std::size_t loser) const;
  int unit_sign(std::size_t group, std::size_t winner, std::size_t loser) const;

  const Instance& instance_;
  const EqualTokens& equal_;
  const ScaledMatrix layer_, tokens_;
};

}  // namespace attest_check
