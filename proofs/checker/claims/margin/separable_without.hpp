// Claim kind separable-without: some W separates all groups but those named (GRAMMAR.md section 4,
// SOUNDNESS.md).
#pragma once

#include "proofs/checker/text/reader.hpp"

namespace attest_check {

struct SeparableWithout : EvidenceOf<SeparableWithout> {
  std::vector<std::size_t> left_out;  // groups, increasing
  ConstraintVector separator;

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;
};

}  // namespace attest_check
