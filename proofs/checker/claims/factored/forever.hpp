// Claim kind factored-forever: loss and margins at all later steps of gradient descent on the factors of W =
// K Q' (GRAMMAR.md section 4, T22 in FACTORED.md section 4).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// The share of the best nuclear margin, 1 over the least norm that a claim bounds.
struct NuclearShare {
  Citation optimum;
  Rational share;

  static void words(auto& say, auto& self) { say(self.optimum, "share", self.share); }
};

// Of every t >= step: margins are at least margin (||K||^2 + ||Q||^2)/2, L - L* at most 1/(1/S + growth (t -
// step)), S that of `step`, selected tokens have at least `attention`, and K'K - Q'Q moves by at most `drift`
// in all.
struct FactoredForever : EvidenceOf<FactoredForever> {
  Citation run;
  std::size_t step = 0;
  std::optional<NuclearShare> nuclear;
  Rational margin, growth, attention, drift;

  static void words(auto& say, auto& self) {
    say("run", self.run, "at", self.step);
    say.perhaps("nuclear", self.nuclear);
    say("margin");
    say.positive(self.margin);
    say("growth");
    say.positive(self.growth);
    say("attention", self.attention, "drift", self.drift);
  }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
