// Mirror descent replayed: the dual iterate Z_t and all that a step makes of it, number by number as
// intervals that contain the exact ones (MIRROR.md sections 1 and 10).
#pragma once

#include <vector>

#include "proofs/checker/claims/norms/optimum.hpp"
#include "proofs/checker/claims/replays/group_pull.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {

enum class MirrorRule { md, nmd };
inline constexpr const char* mirror_rule_names[] = {"md", "nmd"};

// Z_{t+1} = Z_t - tau grad L(W_t), tau = eta_t, over the dual norm of the gradient where the rule is nmd.
using MirrorSteps = Steps<MirrorRule, mirror_rule_names>;

// u = W*/||W*||_P of a solution in the norm P that a claim has established; rejected where that claim does
// not say how far it is.
struct MirrorDirection {
  std::vector<Interval> entries;  // u, row by row
  Interval norm;                  // ||W*||_P

  MirrorDirection(const Claim& claim, const NormOptimum& optimum, unsigned bits);
};

class MirrorReplay {
 public:
  // Problem and steps must outlive it. The problem names a loss and its head has one output.
  MirrorReplay(const Problem& problem, const Rational& exponent, const MirrorSteps& steps,
               const StartPoint& start, unsigned bits);

  const std::vector<Interval>& dual() const { return dual_; }  // Z_t
  // The rest is of the last evaluate().
  const std::vector<Interval>& primal() const { return primal_; }     // W_t
  Interval loss_gap() const { return pulls_.loss_gap(); }             // L - L*
  const Interval& unselected() const { return pulls_.unselected(); }  // max_i 1 - s of the selected tokens
  Interval norm() const;                                              // ||W||_P
  Interval dual_norm() const;                                         // ||Z||_Q

  void evaluate();
  void advance(std::size_t t);

 private:
  Interval size_of(const std::vector<Interval>& x, const Rational& exponent) const;

  const Rational exponent_, dual_exponent_;
  const MirrorSteps& steps_;
  const unsigned bits_;
  GroupPulls pulls_;
  std::vector<Interval> dual_, primal_, velocity_;
};

}  // namespace attest_check
