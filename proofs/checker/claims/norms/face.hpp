// Claim kind norm-face: all solutions in the norms l1 and linf, of which there may be many: the dimension of
// the face that they are, and constraints with margin 1 at each (GRAMMAR.md section 4, SOUNDNESS.md section
// 8).
#pragma once

#include <cstdint>

#include "proofs/checker/claims/norms/optimum.hpp"

namespace attest_check {

struct NormFace : EvidenceOf<NormFace> {
  Norm norm;  // l1 or linf
  Citation from;
  std::size_t at_least = 0, at_most = 0;  // of the dimension
  std::vector<Constraint> listed;         // of margin 1 at every solution
  std::uint64_t modulus = 0;
  std::vector<std::size_t> entries;  // at_most of them, which tell a solution from all others; by rows
  std::vector<ExactMatrix> others;   // at_least solutions beside the matrix of the claim cited

  void read(Reader& in);
  std::unique_ptr<Fact> check(const Claim& claim) const override;
  void describe(const Claim& claim, Statement& say) const override;

 private:
  void require_tight(const Claim& claim, const NormOptimum& optimum) const;
  void require_determined(const Claim& claim, const NormOptimum& optimum) const;
  void require_others(const Claim& claim, const NormOptimum& optimum) const;
};

}  // namespace attest_check
