// Claim kinds finite-part, no-finite-part: the W of least norm that shares the attention inside selected sets
// as given, or that there is none (GRAMMAR.md section 4, SOUNDNESS.md).
#pragma once

#include "proofs/checker/claims/margin/least_norm.hpp"

namespace attest_check {

// Attention s_{i,first}/s_it for constraints = 0.
struct Ratios {
  unsigned bits = 0;  // of their logarithms
  std::vector<Constraint> at;
  std::vector<Rational> value;

  void read(Reader& in);
  // Rejects unless all are positive, one for each constraint = 0, of which there are some.
  void require_complete(const Claim& claim) const;
  // Of one of these constraints.
  const Rational& of(const Constraint& c) const;
  Interval logarithm_of(const Constraint& c) const;
  void describe(Statement& say) const;
};

struct FinitePart : EvidenceOf<FinitePart> {
  LeastNorm part;
  Ratios ratios;
  std::vector<Integer> bases;                  // ratios are products of their powers
  std::vector<ConstraintVector> combinations;  // that vanish, one for each other equation

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

struct NoFinitePart : EvidenceOf<NoFinitePart> {
  Ratios ratios;
  ConstraintVector combination;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim&, Statement& say) const override { ratios.describe(say); }
};

}  // namespace attest_check
