// Claim kind run-finite-part: how the selected sets of another problem share the attention at a step of a run
// (RUNS.md sections 1 and 3).
#pragma once

#include "proofs/checker/claims/descent/run.hpp"
#include "proofs/checker/claims/margin/least_norm.hpp"

namespace attest_check {

struct RunFinitePart : EvidenceOf<RunFinitePart> {
  std::optional<Citation> solution;  // W_mm; none: nothing is said of an angle
  Citation run;
  std::size_t step = 0;
  LeastNorm part;                              // W_fin
  std::optional<Band> factor, one_minus_corr;  // of W_t with the nearest W_fin + c W_mm
  Rational selected, masked;                   // of the attention on a token
  std::vector<ConstraintVector> combinations;  // that vanish, one for each equation that is not spanning

  static void words(auto& say, auto& self) {
    say("from", self.solution, "run", self.run, "at", self.step, self.part);
    say("factor", self.factor, "one-minus-corr", self.one_minus_corr);
    say("selected", self.selected, "masked", self.masked);
  }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
