// The attention problem of joint training: see claims/joint/attention.hpp.
#include "proofs/checker/claims/joint/attention.hpp"

#include <algorithm>

namespace attest_check {

void require_joint_attention(const Claim& claim, const SupportFact& support) {
  const Problem& decoder = support.claim->problem;
  const Problem& attention = claim.problem;
  claim.require(decoder.decoder, "the cited support is not about a decoder's problem");
  claim.require(!attention.decoder && attention.sets.empty(),
                "the problem is not one of a selection's attention");
  claim.require(attention.selection == decoder.selection, "the decoder's problem has another selection");
  for (std::size_t i = 0; i < attention.selection.size(); ++i) {
    const bool supports = std::binary_search(support.support.begin(), support.support.end(),
                                             Constraint{i, attention.selection[i]});
    const bool relaxed = std::binary_search(attention.relaxed.begin(), attention.relaxed.end(), i);
    claim.require(supports != relaxed, "group " + std::to_string(i) +
                                           (supports ? " supports the decoder and is relaxed"
                                                     : " does not support the decoder and is not relaxed"));
  }
}

std::unique_ptr<Fact> JointAttention::check(const Claim& claim) const {
  const Fact& cited = claim.cite_across(from);
  const auto* support = dynamic_cast<const SupportFact*>(&cited);
  if (support == nullptr) claim.wrong_kind(cited, "support");
  require_joint_attention(claim, *support);
  return std::make_unique<Fact>();
}

}  // namespace attest_check
