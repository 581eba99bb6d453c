// Claim kind optimal-enclosure: the solution of the margin problem within a distance (GRAMMAR.md section 4,
// SOUNDNESS.md).
#include "proofs/checker/problem/constraint_gram.hpp"
#include "proofs/checker/text/context.hpp"

namespace attest_check {
namespace {

// 2 sum x - ||W(x)||^2, a lower bound of ||W*||^2 for non-negative x.
Rational dual_value(const ConstraintVector& x, const Rational& norm_squared) {
  return 2 * fraction(x.total(), x.denominator) - norm_squared;
}

// What an optimal-enclosure claim says and shows, in either form.
struct Enclosed {
  Rational lo, hi;            // of ||W*||^2
  Rational distance_squared;  // form gap
  Rational radius, multiplier_radius;
  EigenvalueBound eigenvalue;
  ConstraintVector primal, dual;  // form lambda-min has its multipliers in primal
};

std::unique_ptr<Fact> check_gap(const Claim& claim, Enclosed& evidence) {
  auto fact = std::make_unique<GapSolution>(SpanElement(claim.problem, std::move(evidence.primal)));
  const SpanElement dual(claim.problem, std::move(evidence.dual));
  require_feasible(claim, fact->centre, [](const Constraint&, const Integer&) {});
  claim.require(dual.vector().all_positive(), "a dual numerator is negative");
  const Rational upper = fact->centre.norm_squared();
  const Rational lower = dual_value(dual.vector(), dual.norm_squared());
  claim.require_at_most(evidence.lo, lower, "lower bound of norm-squared against the dual value");
  claim.require_at_most(upper, evidence.hi, "primal value against the upper bound of norm-squared");
  claim.require_at_most(upper - lower, evidence.distance_squared, "duality gap against distance-squared");
  fact->distance_squared = evidence.distance_squared;
  fact->statement.says("form gap norm-squared", evidence.lo, evidence.hi, "distance-squared",
                       evidence.distance_squared, "primal", hash_words(fact->centre.vector()));
  return fact;
}

std::unique_ptr<Fact> check_lambda_min(const Claim& claim, Enclosed& evidence) {
  const auto& [bound, bits] = evidence.eigenvalue;
  const Rational &radius = evidence.radius, &multiplier_radius = evidence.multiplier_radius;
  auto fact = std::make_unique<EnclosedSolution>(SpanElement(claim.problem, std::move(evidence.primal)));
  const SpanElement& w = fact->centre;
  const ConstraintVector& x = w.vector();
  claim.require(x.size() > 0, "no constraints are listed");
  claim.require(radius >= 0 && multiplier_radius >= 0, "a radius is negative");
  claim.require(bound > 0, "the bound of the smallest eigenvalue is not positive");
  // multiplier > Q, in integers
  const Integer threshold = multiplier_radius.get_num() * x.denominator;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x.numerator[k] * multiplier_radius.get_den() <= threshold) {
      claim.fail("multiplier at " + show(x.at[k]), fraction(x.numerator[k], x.denominator), ">",
                 multiplier_radius);
    }
  }
  const Rational radius_squared = radius * radius;
  Integer defect, weighted;  // sum of (1 - m_c)^2 and of x_c m_c over the listed constraints
  std::size_t k = 0;
  for_each_margin(w, [&](const Constraint& c, const Integer& margin) {
    if (k < x.size() && x.at[k] == c) {
      const Integer residual = w.scale() - margin;
      defect += residual * residual;
      weighted += x.numerator[k++] * margin;
    } else if (!margin_exceeds_one_nearby(w, c, margin, radius_squared)) {
      claim.fail(
          "margin at " + show(c) + ", which is not listed, is not proved to exceed 1 within the radius",
          fraction(margin, w.scale()), ">", 1);
    }
  });
  const Rational residual_squared = fraction(defect, w.scale() * w.scale());
  claim.require_at_most(residual_squared, radius_squared * bound,
                        "sum of squared residuals against radius^2 S");
  claim.require_at_most(residual_squared, multiplier_radius * multiplier_radius * bound * bound,
                        "sum of squared residuals against multiplier-radius^2 S^2");
  const Rational lower = dual_value(x, fraction(weighted, x.denominator * w.scale()));
  claim.require_at_most(evidence.lo, lower, "lower bound of norm-squared against the dual value");
  claim.require_at_most(lower + radius_squared, evidence.hi,
                        "dual value plus radius^2 against the upper bound of norm-squared");
  claim.require(
      smallest_eigenvalue_at_least(constraint_gram(claim.problem, x.at), bound, bits),
      "the smallest eigenvalue of the Gram matrix of the listed constraints is not proved to be at least " +
          show(bound) + " with " + std::to_string(bits) + " bits");
  fact->radius = radius;
  fact->multiplier_radius = multiplier_radius;
  fact->statement.says("form lambda-min norm-squared", evidence.lo, evidence.hi, "radius", radius,
                       "multiplier-radius", multiplier_radius, "multipliers", hash_words(x), "constraints",
                       x.at);
  return fact;
}

}  // namespace

Check read_optimal_enclosure(const Claim& claim, Line& line, CertificateText& text) {
  Enclosed evidence;
  line.expect("form");
  const std::string form = line.word();
  if (form != "gap" && form != "lambda-min") line.bad("unknown form " + form);
  line.expect("norm-squared");
  evidence.lo = line.rational();
  evidence.hi = line.rational();
  if (form == "gap") {
    line.expect("distance-squared");
    evidence.distance_squared = line.rational();
    line.finish();
    evidence.primal = text.vector(claim.problem, "primal");
    evidence.dual = text.vector(claim.problem, "dual");
    return [&claim, evidence = std::move(evidence)]() mutable { return check_gap(claim, evidence); };
  }
  line.expect("radius");
  evidence.radius = line.rational();
  line.expect("multiplier-radius");
  evidence.multiplier_radius = line.rational();
  line.finish();
  Line eigenvalue = text.next();
  evidence.eigenvalue = eigenvalue.eigenvalue_bound();
  eigenvalue.finish();
  evidence.primal = text.vector(claim.problem, "multipliers");
  return [&claim, evidence = std::move(evidence)]() mutable { return check_lambda_min(claim, evidence); };
}

}  // namespace attest_check
