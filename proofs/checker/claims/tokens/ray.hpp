// Claim kind token-ray: the feed-forward stage of one-hot sentences at every step of its training (GRAMMAR.md
// section 4, NEXT_TOKEN.md section 1).
#pragma once

#include "proofs/checker/claims/replays/stated_band.hpp"
#include "proofs/checker/claims/tokens/stage.hpp"

namespace attest_check {

// At one step: by how much the output n(x) is above all others, and the loss.
struct RayCheckpoint {
  std::size_t at = 0;
  StatedBand scale, loss;

  static void words(auto& say, auto& self) {
    say("checkpoint", self.at, "scale", self.scale, "loss", self.loss);
  }
};

struct TokenRay : EvidenceOf<TokenRay> {
  Rational step;
  std::vector<RayCheckpoint> checkpoints;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
