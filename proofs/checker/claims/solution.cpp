// Exact evidence about the solution: see claims/solution.hpp.
#include "proofs/checker/claims/solution.hpp"

namespace attest_check {

std::unique_ptr<Fact> Feasible::check(const Claim& claim) const {
  const SpanElement w(claim.problem, separator);
  require_feasible(claim, w, [](const Constraint&, const Integer&) {});
  auto fact = std::make_unique<FeasibleFact>();
  fact->norm_squared = w.norm_squared();
  return fact;
}

// Gordan: a non-trivial non-negative combination of the Delta_c that vanishes. ||W|| = 0 is checked as
// sum_c x_c m_c(W) = 0.
void require_conflict(const Claim& claim, const ConstraintVector& farkas) {
  const SpanElement w(claim.problem, farkas);
  claim.require(w.vector().size() > 0, "the vector is empty");
  claim.require(w.vector().all_positive(), "a numerator is negative");
  const Rational norm_squared = w.norm_squared();
  if (norm_squared != 0) claim.fail("squared norm of the combination", norm_squared, "=", 0);
}

std::unique_ptr<Fact> Infeasible::check(const Claim& claim) const {
  require_conflict(claim, farkas);
  return std::make_unique<InfeasibleFact>();
}

// KKT conditions in exact arithmetic.
std::unique_ptr<Fact> Optimal::check(const Claim& claim) const {
  auto fact = std::make_unique<ExactSolution>(SpanElement(claim.problem, multipliers));
  const SpanElement& w = fact->centre;
  claim.require(multipliers.all_positive(), "a multiplier is negative");
  std::size_t k = 0;
  require_feasible(claim, w, [&](const Constraint& c, const Integer& margin) {
    const bool tight = margin == w.scale();
    if (tight) fact->support.push_back(c);
    if (k == multipliers.size() || multipliers.at[k] != c) return;
    ++k;
    if (!tight) {
      claim.fail("margin at " + show(c) + ", where the multiplier is positive", fraction(margin, w.scale()),
                 "=", 1);
    }
  });
  // ||W||^2 = sum_c x_c m_c(W), and every listed margin is 1.
  const Rational norm_squared = fraction(multipliers.total(), multipliers.denominator);
  if (stated != norm_squared) claim.fail("norm-squared", stated, "=", norm_squared);
  fact->norm_squared = norm_squared;
  return fact;
}

}  // namespace attest_check
