// What is feasible has a norm of at least 1 / bound: see claims/margin/at_most.hpp.
#include "proofs/checker/claims/margin/at_most.hpp"

namespace attest_check {

// <W(x), W> = sum x_c m_c(W) >= sum x_c over the rows >= 1 for every feasible W, so ||W|| >= sum x /
// ||W(x)||.
std::unique_ptr<Fact> MarginAtMost::check(const Claim& claim) const {
  const SpanElement w(claim.problem, combination);
  const ConstraintVector& x = w.vector();
  claim.require(bound > 0, "the bound is not positive");
  claim.require(x.size() > 0, "the vector is empty");
  claim.require(x.all_positive(claim.problem), "a numerator is negative");
  const Rational total = fraction(x.total(claim.problem), x.denominator);
  claim.require(total > 0, "no row of the vector asks for 1");
  claim.require_at_most(w.norm_squared(), bound * bound * total * total,
                        "squared norm of the combination against (bound x sum)^2");
  return std::make_unique<Fact>();
}

}  // namespace attest_check
