// Claim kind factored-run: where the factors of W = K Q' are when they are trained (GRAMMAR.md section 4,
// FACTORED.md section 5).
#pragma once

#include <map>

#include "proofs/checker/claims/factored/replay.hpp"
#include "proofs/checker/claims/replays/run.hpp"
#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// At one step: ||K||, ||Q||, ||K Q'||, ||K'K - Q'Q||, L - L*, the most attention off a selected token; and
// 1 - <W,U>/(||W|| ||U||) of W = K Q' for the solution in the Frobenius norm, and for the matrix of a claim
// about the nuclear norm. Frobenius norms.
struct FactoredCheckpoint {
  std::size_t at = 0;
  StatedBand left, right, norm, balance, loss_gap, unselected;
  std::optional<StatedBand> one_minus_corr, nuclear_one_minus_corr;

  static void words(auto& say, auto& self) {
    say("checkpoint", self.at, "left-norm", self.left, "right-norm", self.right, "norm", self.norm, "balance",
        self.balance, "loss-gap", self.loss_gap, "unselected", self.unselected);
    say.perhaps("one-minus-corr", self.one_minus_corr);
    say.perhaps("nuclear-one-minus-corr", self.nuclear_one_minus_corr);
  }
};

// What later claims may rest on: at checkpoints that they name, L - L* and ||K||^2 + ||Q||^2.
struct FactoredPoint {
  Interval loss_gap, size;
};

struct FactoredRun;

struct FactoredRunFact : Fact {
  const FactoredRun* said = nullptr;
  std::map<std::size_t, FactoredPoint> points;
};

struct FactoredRun : EvidenceOf<FactoredRun>, ReplayedRun<FactoredCheckpoint> {
  std::optional<Citation> from, nuclear;
  std::size_t rank = 0;
  FactoredSteps specification;
  GivenMatrix start;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
  // "optimizer … start …".
  void describe_iteration(Statement& say) const;
};

}  // namespace attest_check
