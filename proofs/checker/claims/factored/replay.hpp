// Training of the factors of W = K Q' replayed: K_t and Q_t and all that a step makes of them, number by
// number as intervals that contain the exact ones (FACTORED.md sections 1 and 5).
#pragma once

#include <vector>

#include "proofs/checker/claims/replays/group_pull.hpp"
#include "proofs/checker/problem/given_matrix.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {

enum class FactoredRule { gd, ngd };
inline constexpr const char* factored_rule_names[] = {"gd", "ngd"};

// K_{t+1} = K_t + tau V Q_t, Q_{t+1} = Q_t + tau V' K_t, V = -grad L(K_t Q_t'), tau = eta_t, over the norm of
// each factor's own gradient where the rule is ngd.
using FactoredSteps = Steps<FactoredRule, factored_rule_names>;

class FactoredReplay {
 public:
  // Problem and steps must outlive it. The problem names a loss and its head has one output.
  FactoredReplay(const Problem& problem, const FactoredSteps& steps, const GivenMatrix& start, unsigned bits);

  // K_t and Q_t, row by row.
  const std::vector<Interval>& left() const { return left_; }
  const std::vector<Interval>& right() const { return right_; }
  std::vector<Interval> product() const;  // K Q'
  Interval balance() const;               // ||K'K - Q'Q||
  // Of the last evaluate():
  Interval loss_gap() const { return pulls_.loss_gap(); }             // L - L*
  const Interval& unselected() const { return pulls_.unselected(); }  // max_i 1 - s of the selected tokens

  void evaluate();
  void advance(std::size_t t);

 private:
  void pull(std::size_t group);
  void narrow();
  void move(std::vector<Interval>& factor, const std::vector<Interval>& gradient, const Interval& size) const;

  const FactoredSteps& steps_;
  const std::size_t rank_;
  unsigned bits_;
  GroupPulls pulls_;
  std::vector<Interval> left_, right_, left_gradient_, right_gradient_;  // V Q and V' K
};

}  // namespace attest_check
