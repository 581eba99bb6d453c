// The attention stage's training replayed: W_t and all that a step makes of it, entry by entry as intervals
// that contain the exact numbers (NEXT_TOKEN.md sections 1 and 7).
#pragma once

#include <vector>

#include "proofs/checker/claims/tokens/stage.hpp"

namespace attest_check {

class TokenReplay {
 public:
  // From W = 0. The stage must outlive it.
  TokenReplay(const TokenStage& stage, const TokenTraining& training, unsigned bits);

  const std::vector<Interval>& entries() const { return entries_; }  // of W_t
  Interval norm() const;                                             // ||W_t||
  // Of the last evaluate().
  Interval loss_gap() const;    // S = L - L*
  Interval unselected() const;  // the most attention that is not on a sentence's selected token

  void evaluate();
  // W <- W + step V/||V||, V = -grad L, at every step. Throws Imprecise where V = 0 is possible.
  void advance(std::size_t);

 private:
  void attend(const StageGroup& group, std::vector<Interval>& attention) const;
  void pull(std::size_t i);
  Interval others(std::size_t i) const;

  const TokenStage& stage_;
  const unsigned bits_;
  const Interval scale_, step_;
  std::vector<Interval> entries_, power_, velocity_;  // W, e^W, and V times n/c
  std::vector<std::vector<Interval>> attention_;      // s
};

}  // namespace attest_check
