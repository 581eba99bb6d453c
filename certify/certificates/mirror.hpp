// Claims about a run of mirror descent and its later steps (kinds mirror-run and mirror-forever of
// proofs/statements/GRAMMAR.md).
#pragma once

#include "certify/certificates/text.hpp"
#include "numerics/mirror/run.hpp"

namespace attest {

struct MirrorRunProof {
  const MirrorSpec* spec = nullptr;
  const ExactArray* start = nullptr;
  const MirrorOutcome* outcome = nullptr;  // seen from a limit
  long bits = 0;                           // for a checker that encloses every number by itself
};

// What is proved of the solution in the potential's norm, the run at its checkpoints, and the limit where
// there is a plan for it.
void write_mirror_claims(CertificateText& text, std::size_t problem, const MirrorRunProof& run);

}  // namespace attest
