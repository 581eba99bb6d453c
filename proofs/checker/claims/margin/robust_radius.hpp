// Claim kind robust-radius: how far the feature rows may move without losing feasibility (GRAMMAR.md section
// 4, SOUNDNESS.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct RobustRadius : EvidenceOf<RobustRadius> {
  Citation from;
  Rational radius;

  static void words(auto& say, auto& self) { say("from", self.from, "radius", self.radius); }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
