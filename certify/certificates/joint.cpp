#include "certify/certificates/joint.hpp"

#include <algorithm>

namespace attest {

Certificate write_joint_certificate(CertifiedFacts decoder, const std::optional<CertifiedFacts>& attention) {
  std::size_t support = 0;
  decoder.more = [&](const CertificateText& text, std::size_t, std::size_t) {
    for (const WrittenClaim& claim : text.claims()) {
      if (claim.kind == "support") support = claim.number;
    }
  };
  std::vector<CertifiedFacts> facts{decoder};
  if (attention) {
    facts.push_back(*attention);
    facts.back().more = [&](CertificateText& text, std::size_t problem, std::size_t) {
      text.claim("joint-attention", problem, "from " + std::to_string(support));
    };
  }
  return write_certificate(facts);
}

}  // namespace attest
