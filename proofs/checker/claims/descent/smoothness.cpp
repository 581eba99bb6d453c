// A Lipschitz constant of the gradient: see claims/descent/smoothness.hpp.
#include "proofs/checker/claims/descent/smoothness.hpp"

#include "proofs/checker/problem/smoothness.hpp"

namespace attest_check {

std::unique_ptr<Fact> Smoothness::check(const Claim& claim) const {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  claim.require(head_kind(claim.problem.loss) != HeadKind::units, "not known of ReLU units");
  claim.require_at_most(smoothness_bound(claim.problem), beta,
                        "upper bound of the smoothness sum against beta");
  return std::make_unique<Fact>();
}

}  // namespace attest_check
