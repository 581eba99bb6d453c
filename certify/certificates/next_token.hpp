// Certificates about a stage of next-token prediction.
#pragma once

#include <string>

#include "certify/certificates/margin.hpp"

namespace attest {

// As write_certificate of facts without an instance: `stage` is the grammar's word, `sha256` that of the
// sentences.
Certificate write_stage_certificate(const CertifiedFacts& facts, const std::string& stage,
                                    const std::string& sha256);

}  // namespace attest
