// Claim kind joint-run: where decoder and attention are when they are trained together (GRAMMAR.md section
// 4, JOINT.md section 1).
#pragma once

#include <map>

#include "proofs/checker/claims/replays/run.hpp"

namespace attest_check {

enum class JointRule { gd, ngd };
inline constexpr const char* joint_rule_names[] = {"gd", "ngd"};
enum class JointLoss { logistic, exponential, correlation };
inline constexpr const char* joint_loss_names[] = {"logistic", "exponential", "correlation"};
enum class DecoderStart { zero, instance };
inline constexpr const char* decoder_start_names[] = {"zero", "instance"};

// eta_t = step (t + 1)^power, over the norm of the gradient where the rule is ngd.
struct JointStep {
  JointRule rule = JointRule::gd;
  Rational step, power;

  // eta_t.
  Interval at(std::size_t t, unsigned bits) const;
  static void words(auto& say, auto& self) {
    say.one_of(joint_rule_names, self.rule);
    say("step");
    say.positive(self.step);
    say("power", self.power);
  }
};

// At one step: ||W||, ||v||, the loss, and 1 - corr with the solutions cited.
struct JointCheckpoint {
  std::size_t at = 0;
  StatedBand norm, decoder_norm, loss;
  std::optional<StatedBand> one_minus_corr, decoder_one_minus_corr;

  static void words(auto& say, auto& self) {
    say("checkpoint", self.at, "norm", self.norm, "decoder-norm", self.decoder_norm, "loss", self.loss);
    say.perhaps("one-minus-corr", self.one_minus_corr);
    say.perhaps("decoder-one-minus-corr", self.decoder_one_minus_corr);
  }
};

// W_0 = 0, v_0 = 0 or the instance's v.
struct JointTraining {
  JointLoss loss = JointLoss::logistic;
  JointStep attention, decoder;
  DecoderStart start = DecoderStart::zero;

  static void words(auto& say, auto& self) {
    say("loss");
    say.one_of(joint_loss_names, self.loss);
    say("attention", self.attention, "decoder", self.decoder, "decoder-start");
    say.one_of(decoder_start_names, self.start);
  }
};

struct JointRun : EvidenceOf<JointRun>, ReplayedRun<JointCheckpoint> {
  std::optional<Citation> from, decoder_from;
  JointTraining training;

  static void words(auto& say, auto& self) {
    say.perhaps("from", self.from);
    say.perhaps("decoder-from", self.decoder_from);
    say(self.training, "steps", self.steps);
  }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

// Enclosures of W_t, row by row, and v_t.
struct JointPoint {
  std::vector<Interval> matrix, decoder;
};

struct JointRunFact : Fact {
  JointTraining training;
  std::map<std::size_t, JointPoint> points;  // at checkpoints that a later claim names
};

}  // namespace attest_check
