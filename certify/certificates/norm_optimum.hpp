// Claims about the margin problem in another norm (kinds norm-optimum, norm-support-within and
// norm-locally-optimal of proofs/statements/GRAMMAR.md).
#pragma once

#include "certify/certificates/text.hpp"
#include "numerics/norms/optimum.hpp"

namespace attest {

// "matrix NAME …" and its rows.
void write_matrix(CertificateText& text, const std::string& name, const WrittenMatrix& matrix);

// Returns the number of the first of the claims.
std::size_t write_norm_claims(CertificateText& text, std::size_t problem, const Norm& norm,
                              const NormOptimum& optimum);

}  // namespace attest
