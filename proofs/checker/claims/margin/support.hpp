// Claim kinds support, strictly-complementary and not-strictly-complementary (GRAMMAR.md section 4,
// SOUNDNESS.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// The listed constraints are exactly those with margin 1 at W*, as the cited solution has established them.
struct Support : EvidenceOf<Support> {
  Citation from;
  std::vector<Constraint> support;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

// Rejects unless W(multipliers) = W* and none is negative.
void require_multipliers(const Claim& claim, const ExactSolution& exact, const ConstraintVector& multipliers);

struct StrictlyComplementary : EvidenceOf<StrictlyComplementary> {
  Citation from;
  std::optional<ConstraintVector> multipliers;  // none: those of the cited solution

  static void words(auto& say, auto& self) { say("from", self.from); }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

struct NotStrictlyComplementary : EvidenceOf<NotStrictlyComplementary> {
  Citation from;
  Constraint at;
  ConstraintVector direction;

  static void words(auto& say, auto& self) { say("from", self.from, "at", self.at); }
  void read(Reader& in) {
    words(in, *this);
    direction = in.vector("direction");
  }
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
