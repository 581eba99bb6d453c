// Mirror descent replayed: the dual iterate Z_t and all that a step makes of it, number by number as
// intervals that contain the exact ones (MIRROR.md sections 1 and 10).
#pragma once

#include <vector>

#include "proofs/checker/claims/group_pull.hpp"
#include "proofs/checker/claims/norm_optimum.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {

enum class MirrorRule { md, nmd };
inline constexpr const char* mirror_rule_names[] = {"md", "nmd"};

// Z_{t+1} = Z_t - tau grad L(W_t), tau = eta_t, over the dual norm of the gradient where the rule is nmd.
struct MirrorSteps {
  MirrorRule rule = MirrorRule::md;
  Schedule schedule = Schedule::constant;
  Rational step;

  Interval size(std::size_t t, unsigned bits) const;

  static void words(auto& say, auto& self) {
    say("optimizer");
    say.one_of(mirror_rule_names, self.rule);
    say("schedule");
    say.one_of(schedule_names, self.schedule);
    say("step");
    say.positive(self.step);
  }
};

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
  const std::vector<Interval>& primal() const { return primal_; }  // W_t
  const Interval& loss_gap() const { return loss_gap_; }           // L - L*
  const Interval& unselected() const { return unselected_; }       // max_i 1 - s of the selected tokens
  Interval norm() const;                                           // ||W||_P
  Interval dual_norm() const;                                      // ||Z||_Q

  void evaluate();
  void advance(std::size_t t);

 private:
  void pull(std::size_t group);
  Interval size_of(const std::vector<Interval>& x, const Rational& exponent) const;

  const Problem& problem_;
  const Rational exponent_, dual_exponent_;
  const MirrorSteps& steps_;
  const unsigned bits_;
  const FeatureRows rows_;
  std::vector<Interval> dual_, primal_, velocity_;
  Interval loss_gap_, unselected_;
};

}  // namespace attest_check
