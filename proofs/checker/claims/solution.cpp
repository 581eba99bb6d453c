// Claim kinds feasible, infeasible and optimal: exact evidence (GRAMMAR.md section 4, SOUNDNESS.md).
#include "proofs/checker/text/context.hpp"

namespace attest_check {

Check read_feasible(const Claim& claim, Line& line, CertificateText& text) {
  line.finish();
  return [&claim, separator = text.vector(claim.problem, "separator")]() mutable {
    const SpanElement w(claim.problem, std::move(separator));
    require_feasible(claim, w, [](const Constraint&, const Integer&) {});
    return proved();
  };
}

// Gordan: a non-trivial non-negative combination of the Delta_c that vanishes. ||W|| = 0 is checked as
// sum_c x_c m_c(W) = 0.
Check read_infeasible(const Claim& claim, Line& line, CertificateText& text) {
  line.finish();
  return [&claim, farkas = text.vector(claim.problem, "farkas")]() mutable {
    const SpanElement w(claim.problem, std::move(farkas));
    claim.require(w.vector().size() > 0, "the vector is empty");
    claim.require(w.vector().all_positive(), "a numerator is negative");
    const Rational norm_squared = w.norm_squared();
    if (norm_squared != 0) claim.fail("squared norm of the combination", norm_squared, "=", 0);
    return std::make_unique<InfeasibleFact>();
  };
}

// KKT conditions in exact arithmetic.
Check read_optimal(const Claim& claim, Line& line, CertificateText& text) {
  line.expect("norm-squared");
  Rational stated = line.rational();
  line.finish();
  return [&claim, stated = std::move(stated), listed = text.vector(claim.problem, "multipliers")]() mutable {
    auto fact = std::make_unique<ExactSolution>(SpanElement(claim.problem, std::move(listed)));
    const SpanElement& w = fact->optimum;
    const ConstraintVector& multipliers = w.vector();
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
    fact->statement.says("norm-squared", stated);
    return fact;
  };
}

}  // namespace attest_check
