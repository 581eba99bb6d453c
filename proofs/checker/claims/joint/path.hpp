// Claim kind joint-path: from which radii on, and how closely, minimisers of the training loss over balls of
// decoders and attention follow both directions (GRAMMAR.md section 4, T21 with two radii in JOINT.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// Losses with an exponential tail.
enum class TailedLoss { logistic, exponential };
inline constexpr const char* tailed_loss_names[] = {"logistic", "exponential"};

struct JointPath : EvidenceOf<JointPath> {
  Citation from, margins;
  std::optional<Citation> plain;  // where some group does not support the decoder
  TailedLoss loss = TailedLoss::logistic;
  Rational radius, decoder_radius, slope;  // R_0, r_0, rho
  Rational decay, decoder_rate, rate;
  Rational excess, window;  // x and b of the theorem

  static void words(auto& say, auto& self) {
    say("from", self.from, "label-margins", self.margins);
    say.perhaps("plain", self.plain);
    say("loss");
    say.one_of(tailed_loss_names, self.loss);
    say("from-radius", self.radius, "from-decoder-radius", self.decoder_radius, "slope", self.slope);
    say("decay", self.decay, "decoder-rate", self.decoder_rate, "rate-constant", self.rate);
  }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
