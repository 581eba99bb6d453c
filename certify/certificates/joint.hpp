// Certificates about joint training: the decoder's problem, the attention's, and how the one follows from the
// other.
#pragma once

#include <optional>

#include "certify/certificates/margin.hpp"

namespace attest {

// The decoder's problem with `decoder.rows.decoder`; the attention's with its relaxed groups, once the
// decoder's support is known.
Certificate write_joint_certificate(CertifiedFacts decoder, const std::optional<CertifiedFacts>& attention);

}  // namespace attest
