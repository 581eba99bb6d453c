// Claim kind token-run: where the attention stage's training is at some of its steps (GRAMMAR.md section 4,
// NEXT_TOKEN.md section 7).
#pragma once

#include <map>

#include "proofs/checker/claims/replays/run.hpp"
#include "proofs/checker/claims/tokens/replay.hpp"

namespace attest_check {

// At one step: ||W||, L - L*, the most attention off a selected token; and of the solution cited 1 -
// <W,u>/||W||.
struct TokenCheckpoint {
  std::size_t at = 0;
  StatedBand norm, loss_gap, unselected;
  std::optional<StatedBand> one_minus_corr;

  static void words(auto& say, auto& self) {
    say("checkpoint", self.at, "norm", self.norm, "loss-gap", self.loss_gap, "unselected", self.unselected);
    say.perhaps("one-minus-corr", self.one_minus_corr);
  }
};

// What is known of W_t.
struct TokenPoint {
  std::vector<Interval> entries;
  Interval loss_gap;
};

// What later claims may rest on.
struct TokenRunFact : Fact {
  TokenTraining training;
  std::map<std::size_t, TokenPoint> points;  // at checkpoints that a later claim names
};

struct TokenRun : EvidenceOf<TokenRun>, ReplayedRun<TokenCheckpoint> {
  std::optional<Citation> from;
  TokenTraining training;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
