// The evidence of a theorem about all later steps as certificate text (proofs/statements/RUNS.md): the words
// that are the theorem's own, between the first and the last line of its claim. One function a theorem.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "certify/certificates/text.hpp"
#include "numerics/forever/proof.hpp"
#include "numerics/runs/geometry.hpp"

namespace attest {

struct StatedEvidence {
  struct Vector {
    std::string name;
    ConstraintVector values;
  };
  std::string theorem;  // the grammar's word
  std::vector<std::variant<std::string, Vector, std::vector<Constraint>>> lines;

  void write(CertificateText& text) const;
};

// `floors`: those of the proof's conclusion, as they are stated. Nothing when a constant is not enclosed well
// enough to be stated.
std::optional<StatedEvidence> state_evidence(const RunGeometry& geometry,
                                             const SelectionFacts<BallNumber>& facts,
                                             const ForeverProof& proof, const std::vector<Rational>& floors);

}  // namespace attest
