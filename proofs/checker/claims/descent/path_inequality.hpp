// Claim kind path-inequality: T9 along a run, at every step (RUNS.md sections 1 and 3).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct PathInequality : EvidenceOf<PathInequality> {
  Citation run;
  std::size_t from = 0, until = 0;
  Rational constant;

  static void words(auto& say, auto& self) {
    say("run", self.run, "from", self.from, "until", self.until, "constant", self.constant);
  }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
