// Claim kind token-forever: the attention stage's training from a step of a run on (GRAMMAR.md section 4,
// T23).
#pragma once

#include "proofs/checker/claims/tokens/limit.hpp"

namespace attest_check {

// What a claim about shifted sentences may rest on.
struct TokenForeverFact : Fact {
  std::size_t at = 0;
  std::size_t solution = 0;  // the claim of W*
  TokenPoint point;
  TokenConclusion conclusion;
};

struct TokenForever : EvidenceOf<TokenForever> {
  Citation solution, run;
  std::size_t step = 0;
  TokenConclusion conclusion;

  static void words(auto& say, auto& self) {
    say("from", self.solution, "run", self.run, "at", self.step, self.conclusion);
  }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
