// Claim kind infeasible: no W has all margins >= 1 (GRAMMAR.md section 4, SOUNDNESS.md).
#pragma once

#include <variant>

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// Rejects unless no W has margins >= 1 at the listed constraints: some are listed, all numerators are
// positive, and their combination is 0.
void require_conflict(const Claim& claim, const ConstraintVector& farkas);

// A combination that vanishes.
struct FarkasEvidence {
  ConstraintVector farkas;
};

// A combination so short, beside its values on constraints that span all of it, that one near it vanishes and
// is positive where it is.
struct SpanningEvidence {
  ConstraintVector combination;
  EigenvalueBound eigenvalue;  // of the Gram matrix of `spanning`
  std::vector<Constraint> spanning;
};

struct Infeasible : EvidenceOf<Infeasible> {
  std::variant<FarkasEvidence, SpanningEvidence> form;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
