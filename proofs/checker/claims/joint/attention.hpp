// Claim kind joint-attention: which attention problem goes with a decoder that is trained beside it
// (GRAMMAR.md section 4, SOUNDNESS.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// The problem has the selection of the decoder's problem that the cited support is about, and its relaxed
// groups are those that do not support the decoder.
struct JointAttention : EvidenceOf<JointAttention> {
  Citation from;

  static void words(auto& say, auto& self) { say("from", self.from); }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

// Rejects unless `claim` is about that problem, for the decoder's problem that the support is about.
void require_joint_attention(const Claim& claim, const SupportFact& support);

}  // namespace attest_check
