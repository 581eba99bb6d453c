// What a validated run proved for all later steps, as certificate text (proofs/RUNS.md).
#pragma once

#include "certify/certificate_text.hpp"
#include "numerics/forever/forever.hpp"

namespace attest {

// Appends a `forever-from-run` claim about run claim `run`, whose checkpoints must include proof.t0. Returns its number,
// or 0 when the certificate language has no words for the proof (T15; regions that leave out constraints of positive
// gap).
std::size_t write_forever_claim(CertificateText& text, std::size_t problem, std::size_t optimum, std::size_t run,
                                const RunGeometry& geometry, const Selection& selection, const ForeverProof& proof);

}  // namespace attest
