// Claims about the margin problem in another norm (kinds norm-optimum, norm-support-within,
// norm-locally-optimal, norm-near-rank, norm-face and norm-solution of proofs/statements/GRAMMAR.md).
#pragma once

#include "certify/certificates/text.hpp"
#include "numerics/norms/near_rank.hpp"
#include "numerics/norms/nuclear_solution.hpp"
#include "numerics/norms/optimum.hpp"
#include "numerics/norms/solution_face.hpp"

namespace attest {

// "matrix NAME …" and its rows.
void write_matrix(CertificateText& text, const std::string& name, const WrittenMatrix& matrix);

// Returns the number of the first of the claims.
std::size_t write_norm_claims(CertificateText& text, std::size_t problem, const Norm& norm,
                              const NormOptimum& optimum);

// `optimum` is the number of the claim norm-optimum that it is about.
void write_near_rank_claim(CertificateText& text, std::size_t problem, const Norm& norm, std::size_t optimum,
                           const NearRankEvidence& shown);

// Likewise.
void write_face_claim(CertificateText& text, std::size_t problem, const Norm& norm, std::size_t optimum,
                      const FaceEvidence& shown);

void write_solution_claim(CertificateText& text, std::size_t problem, const Norm& norm,
                          const NuclearSolution& solution);

}  // namespace attest
