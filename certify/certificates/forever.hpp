// What a validated run proved for all later steps, in rational numbers and as certificate text
// (proofs/statements/RUNS.md).
#pragma once

#include <optional>

#include "certify/certificates/forever_evidence.hpp"
#include "certify/certificates/text.hpp"
#include "numerics/forever/proof.hpp"

namespace attest {

// A proof's conclusion as a certificate states it: rational bounds, a little weaker than what was proved.
struct ForeverConclusion {
  Rational path, excess, centre, height, growth;
  StatedEvidence evidence;
  std::optional<std::uint64_t> dominates_from;  // what these numbers prove of the selected tokens' attention
};

// Nothing when a constant of the proof is not enclosed well enough to be stated.
std::optional<ForeverConclusion> state_conclusion(const RunGeometry& geometry,
                                                  const SelectionFacts<BallNumber>& facts,
                                                  const ForeverProof& proof);

// Appends a `forever-from-run` claim about run claim `run`, whose checkpoints must include proof.t0; when
// that is 0, a `forever-from-point` claim about the exact start W_0, which needs no run. Returns its number.
std::size_t write_forever_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                                std::size_t run, const ExactArray& start, const ForeverProof& proof,
                                const ForeverConclusion& conclusion);

}  // namespace attest
