// Claims about training of the factors of W = K Q' and its later steps (kinds factored-run and
// factored-forever of proofs/statements/GRAMMAR.md).
#pragma once

#include "certify/certificates/text.hpp"
#include "numerics/factored/run.hpp"

namespace attest {

struct FactoredRunProof {
  const FactoredSpec* spec = nullptr;
  const FactoredStart* start = nullptr;
  const FactoredOutcome* outcome = nullptr;  // seen from its limits
  long bits = 0;                             // for a checker that encloses every number by itself
};

// What is proved of the nuclear norm's problem, the run at its checkpoints, and T22 where it applies to one
// of them. `optimum` is the number of the claim of the solution in the Frobenius norm, 0 when there is none.
void write_factored_claims(CertificateText& text, std::size_t problem, std::size_t optimum,
                           const FactoredRunProof& run);

}  // namespace attest
