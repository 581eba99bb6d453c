// Claim kind conflicts: however few groups are left out, some conflict among the others remains (GRAMMAR.md
// section 4, SOUNDNESS.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// Conflicts that share no group, so that leaving out a group removes at most one of them.
struct Conflicts : EvidenceOf<Conflicts> {
  std::size_t at_least = 0;  // as many as there are conflicts
  std::vector<ConstraintVector> farkas;

  static void words(auto& say, auto& self) { say("at-least", self.at_least); }
  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
};

}  // namespace attest_check
