// Heads of several outputs (DYNAMICS.md section 11): a classifier, whose classes have exact scores, or ReLU
// units. What the margin claims need of one: the sign of a constraint's gap, what its selected token gains
// over the other one where all attention is on the selected one.
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
