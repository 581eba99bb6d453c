// Claim kinds forever-from-point and forever-from-run: what holds for all later steps of the exact iteration
// (RUNS.md sections 1 and 5).
#pragma once

#include "proofs/checker/forever/theorem.hpp"

namespace attest_check {

struct ForeverFromPoint : EvidenceOf<ForeverFromPoint> {
  Citation from;
  std::unique_ptr<Theorem> theorem;
  Specification specification;
  StartPoint start;
  ForeverConclusion conclusion;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

struct ForeverFromRun : EvidenceOf<ForeverFromRun> {
  Citation from, run;
  std::size_t step = 0;
  std::unique_ptr<Theorem> theorem;
  ForeverConclusion conclusion;

  static void words(auto& say, auto& self) { say("from", self.from, "run", self.run, "at", self.step); }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
