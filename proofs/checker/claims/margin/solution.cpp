// Exact evidence about the solution: see claims/margin/solution.hpp.
#include "proofs/checker/claims/margin/solution.hpp"

#include <algorithm>

namespace attest_check {

std::unique_ptr<Fact> Feasible::check(const Claim& claim) const {
  const SpanElement w(claim.problem, separator);
  require_feasible(claim, w, [](const Constraint&, const Integer&) {});
  auto fact = std::make_unique<FeasibleFact>();
  fact->norm_squared = w.norm_squared();
  return fact;
}

// KKT conditions in exact arithmetic.
std::unique_ptr<Fact> Optimal::check(const Claim& claim) const {
  auto fact = std::make_unique<ExactSolution>(SpanElement(claim.problem, multipliers));
  const SpanElement& w = fact->centre;
  claim.require(multipliers.all_positive(claim.problem), "a multiplier is negative");
  require_feasible(claim, w, [&](const Constraint& c, const Integer& margin) {
    const Integer asked = w.asked(c);
    const bool tight = margin == asked;
    if (tight && claim.problem.sense(c) != Sense::equal_to_zero) fact->support.push_back(c);
    if (tight || !std::binary_search(multipliers.at.begin(), multipliers.at.end(), c)) return;
    claim.fail("margin at " + show(c) + ", where the multiplier is positive", fraction(margin, w.scale()),
               "=", fraction(asked, w.scale()));
  });
  fact->support = gathered(std::move(fact->support));
  // ||W||^2 = sum_c x_c m_c(W), and every listed margin is 1, or 0 where its row asks for that.
  const Rational norm_squared = fraction(multipliers.total(claim.problem), multipliers.denominator);
  if (stated != norm_squared) claim.fail("norm-squared", stated, "=", norm_squared);
  fact->norm_squared = norm_squared;
  return fact;
}

}  // namespace attest_check
