// Claim kind mirror-run: where mirror descent is at some of its steps (GRAMMAR.md section 4, MIRROR.md
// section 10).
#pragma once

#include <map>

#include "proofs/checker/claims/mirror/replay.hpp"
#include "proofs/checker/claims/replays/run.hpp"

namespace attest_check {

// At one step: ||W||_P, ||Z||_Q, L - L*, the most attention off a selected token; and of the solution cited
// <Z,u>, 1 - <Z,u>/||Z||_Q and 1 - <W,u>/(||W|| ||u||), Euclidean norms.
struct MirrorCheckpoint {
  std::size_t at = 0;
  StatedBand norm, dual_norm, loss_gap, unselected;
  std::optional<StatedBand> along, bregman, one_minus_corr;

  static void words(auto& say, auto& self) {
    say("checkpoint", self.at, "norm", self.norm, "dual-norm", self.dual_norm, "loss-gap", self.loss_gap,
        "unselected", self.unselected);
    say.perhaps("along", self.along);
    say.perhaps("bregman", self.bregman);
    say.perhaps("one-minus-corr", self.one_minus_corr);
  }
  bool directed() const { return along || bregman || one_minus_corr; }
};

// T13's inequality with this constant, at the steps since that one that lead to the last checkpoint at most.
struct MirrorInequality {
  Rational constant;
  std::size_t since = 0;

  static void words(auto& say, auto& self) { say(self.constant, "since", self.since); }
};

// What later claims may rest on.
struct MirrorRunFact : Fact {
  Rational exponent;
  MirrorSteps steps;
  StartPoint start;
  std::map<std::size_t, std::vector<Interval>> duals;  // Z at checkpoints that a later claim names
};

struct MirrorRun : EvidenceOf<MirrorRun>, ReplayedRun<MirrorCheckpoint> {
  Norm norm;
  std::optional<Citation> from;
  std::optional<MirrorInequality> inequality;
  MirrorSteps specification;
  StartPoint start;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;

 private:
  void require_readable(const Claim& claim) const;
};

}  // namespace attest_check
