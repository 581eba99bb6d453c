// The iteration of joint training in intervals (JOINT.md section 1): every number contains the one that it
// stands for.
#pragma once

#include "proofs/checker/claims/joint/run.hpp"

namespace attest_check {

// What a group's tokens are: keys and labelled values, and how often each stands there.
struct JointGroup {
  std::vector<std::vector<Interval>> key, value;
  std::vector<Interval> count, query;
};

class JointReplay {
 public:
  // At the start. All must outlive it.
  JointReplay(const JointTraining& stated, const Features& attention, const Features& decoder, unsigned bits);

  const std::vector<Interval>& matrix() const { return matrix_; }
  const std::vector<Interval>& decoder() const { return decoder_; }
  // After evaluate().
  const Interval& loss() const { return loss_; }

  // Both gradients, less their signs, and the loss.
  void evaluate();
  // After evaluate() at step t.
  void advance(std::size_t t);

 private:
  void narrow();
  std::vector<Interval> logits(const JointGroup& group) const;
  std::vector<Interval> shares(const JointGroup& group, std::size_t& first) const;
  void pull(const JointGroup& group);
  Interval slope_at(const Interval& output) const;
  Interval loss_at(const Interval& output) const;
  void move(std::vector<Interval>& x, const std::vector<Interval>& velocity, const JointStep& step,
            std::size_t t) const;

  const JointTraining& stated_;
  std::vector<JointGroup> groups_;
  unsigned bits_;
  const std::size_t e_;
  std::vector<Interval> matrix_, decoder_;  // W and v
  std::vector<Interval> velocity_, decoder_velocity_;
  Interval loss_;
};

}  // namespace attest_check
