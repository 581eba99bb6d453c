// The attention stage trained by normalised gradient descent from W = 0 with a constant step, enclosed: a
// kept W~ with ||W_t - W~|| <= radius, where radius' = expansion x radius + rounding (NEXT_TOKEN.md section
// 3).
#pragma once

#include <cstdint>

#include "numerics/next_token/attention_point.hpp"

namespace attest {

class AttentionRun {
 public:
  // `stage` and `budget` must outlive the run. `bits`: of the entries that are kept.
  AttentionRun(const AttentionStage& stage, const Ball& scale, const Ball& step, long bits,
               const Budget& budget);

  std::uint64_t step() const { return t_; }
  // Is ||W_t - W~|| small enough to go on with?
  bool sharp() const;
  // What is known of W_t.
  const std::vector<WorkingBall>& entries() const { return box_; }
  const AttentionPoint& point() const { return around_; }
  WorkingBall norm() const;
  // <W_t, direction>, of as many exact entries.
  WorkingBall product(const std::vector<Rational>& direction) const;
  // t -> t + 1. False when the bits do not prove the step, which leaves nothing to go on with, as does
  // BudgetReached, which is thrown.
  bool advance();
  // Why it did not.
  const char* obstacle() const { return obstacle_; }

 private:
  void look();

  const Budget* budget_;
  Ball step_size_;
  long bits_;
  std::uint64_t t_ = 0;
  const char* obstacle_ = "";
  std::vector<WorkingBall> kept_, box_;  // W~ exactly; the box of entries around it
  Magnitude radius_;
  AttentionPoint at_kept_, around_;
};

}  // namespace attest
