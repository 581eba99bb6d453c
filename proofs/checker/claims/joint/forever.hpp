// Claim kind joint-forever: where decoder and attention go at all later steps of a joint run (GRAMMAR.md
// section 4, T20 in JOINT.md section 4).
#pragma once

#include "proofs/checker/claims/joint/run.hpp"

namespace attest_check {

// y >= along + growth S, 1 - corr <= lateral^2/(2 y^2), L <= loss e^(-decay y); y = <v, u_v>.
struct DecoderFuture {
  Rational along, growth, lateral, loss, decay;

  static void words(auto& say, auto& self) {
    say.positive(self.along);
    say("growth");
    say.positive(self.growth);
    say("lateral", self.lateral, "loss", self.loss, "decay");
    say.positive(self.decay);
  }
};

// Y >= along + growth S, 1 - corr <= spread/(2 Y), 1 - s <= unselected e^(-fall S); Y = <W, u_W>.
struct AttentionFuture {
  Rational along, growth, spread, unselected, fall;

  static void words(auto& say, auto& self) {
    say.positive(self.along);
    say("growth");
    say.positive(self.growth);
    say("spread", self.spread, "unselected", self.unselected, "fall");
    say.positive(self.fall);
  }
};

// What the theorem's hypotheses are shown with: g, x, the root of Q_a, and b_i.
struct PairRegion {
  Rational deficit, reach, aside;
  std::vector<Rational> boxes;  // one a group, where there are several

  void read(Reader& in);
};

// S is the sum of the attention's step sizes since `step`.
struct JointForever : EvidenceOf<JointForever> {
  Citation from, support, run;
  std::size_t step = 0;
  DecoderFuture decoder;
  AttentionFuture attention;
  PairRegion region;

  static void words(auto& say, auto& self) {
    say("from", self.from, "support", self.support, "joint-run", self.run, "at", self.step);
    say("decoder", self.decoder, "attention", self.attention);
  }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
