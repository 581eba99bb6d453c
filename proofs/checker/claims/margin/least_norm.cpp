// The least norm with given margins: see claims/margin/least_norm.hpp.
#include "proofs/checker/claims/margin/least_norm.hpp"

#include <algorithm>

#include "proofs/checker/problem/constraint_gram.hpp"

namespace attest_check {

bool lists(const std::vector<Constraint>& increasing, const Constraint& c) {
  return std::binary_search(increasing.begin(), increasing.end(), c);
}

void require_vanishing(const Claim& claim, const ConstraintVector& x) {
  const Rational norm_squared = SpanElement(claim.problem, x).norm_squared();
  if (norm_squared != 0) claim.fail("squared norm of the combination", norm_squared, "=", 0);
}

void require_on_spanning(const Claim& claim, const LeastNorm& part, const Constraint& c,
                         const ConstraintVector& x) {
  claim.require(lists(x.at, c), show(c) + " is neither spanning nor in its combination");
  for (const Constraint& at : x.at)
    claim.require(at == c || part.spans(at),
                  show(at) + " is in the combination of " + show(c) + " and is not spanning");
}

bool LeastNorm::spans(const Constraint& c) const {
  return lists(spanning, c);
}

void LeastNorm::read_spanning(Reader& in, std::size_t most, const char* of_what) {
  std::size_t bits = 0, count = 0;
  in.next("spanning", eigenvalue.bound, "bits", bits, count);
  if (bits < 29 || bits > 4096) in.bad("bits must be from 29 to 4096");
  if (count > most) in.bad(std::string("more spanning constraints than ") + of_what);
  eigenvalue.bits = static_cast<unsigned>(bits);
  spanning = in.constraints(count);
  coefficients = in.vector("coefficients");
}

void LeastNorm::require_form(const Claim& claim, const std::vector<Constraint>& equations) const {
  claim.require(radius >= 0, "the radius is negative");
  claim.require(!spanning.empty() || equations.empty(), "no spanning constraints are listed");
  claim.require(eigenvalue.bound > 0, "the bound of the smallest eigenvalue is not positive");
  for (const Constraint& c : spanning)
    claim.require(lists(equations, c), show(c) + " is listed as spanning and is not a constraint = 0");
}

// With l the margins asked for, G the Gram matrix of the spanning equations and x the coefficients: 2 l'x -
// x'Gx is at most the squared norm of the least W, and less by at most radius^2.
Interval LeastNorm::dual_value(const Claim& claim, const std::function<Interval(const Constraint&)>& margin,
                               unsigned bits) const {
  Interval dual;  // l'x
  for (std::size_t k = 0; k < coefficients.size(); ++k)
    dual += margin(coefficients.at[k]) *
            Interval(fraction(coefficients.numerator[k], coefficients.denominator), bits);
  return Interval(2) * dual - Interval(SpanElement(claim.problem, coefficients).norm_squared(), bits);
}

// r = l - G x is so short that the least W is within the radius of W(x).
void LeastNorm::require_near(const Claim& claim, const std::function<Interval(const Constraint&)>& margin,
                             unsigned bits) const {
  for (const Constraint& c : coefficients.at)
    claim.require(spans(c), "a coefficient is at a constraint that is not spanning");
  const SpanElement w(claim.problem, coefficients);
  const std::vector<Integer> margins = w.margins_at(spanning);
  const Rational squared = radius * radius;
  Interval residual;  // ||r||^2
  for (std::size_t j = 0; j < spanning.size(); ++j) {
    const Interval missing = margin(spanning[j]) - Interval(fraction(margins[j], w.scale()), bits);
    residual += missing * missing;
  }
  claim.require_at_most(residual.upper(), squared * eigenvalue.bound,
                        "sum of squared residuals against radius^2 S");
  const Interval lower = dual_value(claim, margin, bits);
  claim.require_at_most(lo, lower.lower(), "lower bound of norm-squared against the dual value");
  claim.require_at_most(lower.upper() + squared, hi,
                        "dual value plus radius^2 against the upper bound of norm-squared");
}

void LeastNorm::require_eigenvalue(const Claim& claim) const {
  if (spanning.empty()) return;
  claim.require(
      smallest_eigenvalue_at_least(constraint_gram(claim.problem, spanning), eigenvalue.bound,
                                   eigenvalue.bits),
      "the smallest eigenvalue of the Gram matrix of the spanning constraints is not proved to be at least " +
          show(eigenvalue.bound) + " with " + std::to_string(eigenvalue.bits) + " bits");
}

}  // namespace attest_check
