// Enclosures of the solution: see claims/margin/enclosure.hpp.
#include "proofs/checker/claims/margin/enclosure.hpp"

#include "proofs/checker/problem/constraint_gram.hpp"

namespace attest_check {
namespace {

// 2 sum x over the rows >= 1, less ||W(x)||^2: a lower bound of ||W*||^2 for non-negative x.
Rational dual_value(const Problem& problem, const ConstraintVector& x, const Rational& norm_squared) {
  return 2 * fraction(x.total(problem), x.denominator) - norm_squared;
}

std::unique_ptr<Fact> check_form(const Claim& claim, const GapEvidence& evidence) {
  auto fact = std::make_unique<GapSolution>(SpanElement(claim.problem, evidence.primal));
  const SpanElement dual(claim.problem, evidence.dual);
  require_feasible(claim, fact->centre, [](const Constraint&, const Integer&) {});
  claim.require(dual.vector().all_positive(claim.problem), "a dual numerator is negative");
  const Rational upper = fact->centre.norm_squared();
  const Rational lower = dual_value(claim.problem, dual.vector(), dual.norm_squared());
  claim.require_at_most(evidence.lo, lower, "lower bound of norm-squared against the dual value");
  claim.require_at_most(upper, evidence.hi, "primal value against the upper bound of norm-squared");
  claim.require_at_most(upper - lower, evidence.distance_squared, "duality gap against distance-squared");
  fact->distance_squared = evidence.distance_squared;
  fact->norm_squared = evidence.hi;
  return fact;
}

std::unique_ptr<Fact> check_form(const Claim& claim, const BallEvidence& evidence) {
  const auto& [bound, bits] = evidence.eigenvalue;
  const Rational &radius = evidence.radius, &multiplier_radius = evidence.multiplier_radius;
  auto fact = std::make_unique<EnclosedSolution>(SpanElement(claim.problem, evidence.multipliers));
  const SpanElement& w = fact->centre;
  const ConstraintVector& x = w.vector();
  claim.require(x.size() > 0, "no constraints are listed");
  claim.require(radius >= 0 && multiplier_radius >= 0, "a radius is negative");
  claim.require(bound > 0, "the bound of the smallest eigenvalue is not positive");
  // multiplier > Q, in integers
  const Integer threshold = multiplier_radius.get_num() * x.denominator;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (claim.problem.sense(x.at[k]) == Sense::equal_to_zero) continue;
    if (x.numerator[k] * multiplier_radius.get_den() <= threshold)
      claim.fail("multiplier at " + show(x.at[k]), fraction(x.numerator[k], x.denominator), ">",
                 multiplier_radius);
  }
  const Rational radius_squared = radius * radius;
  Integer defect, inner;  // sum of (asked - m_c)^2 and of x_c m_c over the listed constraints
  std::size_t k = 0;
  for_each_margin(w, [&](const Constraint& c, const Integer& margin) {
    while (k < x.size() && x.at[k] < c) ++k;
    if (k < x.size() && x.at[k] == c) {
      const Integer residual = w.asked(c) - margin;
      defect += residual * residual;
      inner += x.numerator[k] * margin;
    } else if (claim.problem.sense(c) == Sense::equal_to_zero ||
               !is_slack_nearby(w, c, margin, radius_squared)) {
      const Rational asked = fraction(w.asked(c), w.scale());
      claim.fail("margin at " + show(c) + ", which is not listed, is not proved to exceed " + show(asked) +
                     " within the radius",
                 fraction(margin, w.scale()), ">", asked);
    }
  });
  const Rational residual_squared = fraction(sum_of_all(defect), w.scale() * w.scale());
  claim.require_at_most(residual_squared, radius_squared * bound,
                        "sum of squared residuals against radius^2 S");
  claim.require_at_most(residual_squared, multiplier_radius * multiplier_radius * bound * bound,
                        "sum of squared residuals against multiplier-radius^2 S^2");
  const Rational lower = dual_value(claim.problem, x, fraction(sum_of_all(inner), x.denominator * w.scale()));
  claim.require_at_most(evidence.lo, lower, "lower bound of norm-squared against the dual value");
  claim.require_at_most(lower + radius_squared, evidence.hi,
                        "dual value plus radius^2 against the upper bound of norm-squared");
  claim.require(
      smallest_eigenvalue_at_least(constraint_gram(claim.problem, x.at), bound, bits),
      "the smallest eigenvalue of the Gram matrix of the listed constraints is not proved to be at least " +
          show(bound) + " with " + std::to_string(bits) + " bits");
  fact->radius = radius;
  fact->multiplier_radius = multiplier_radius;
  fact->norm_squared = evidence.hi;
  return fact;
}

}  // namespace

void OptimalEnclosure::read(Reader& in) {
  std::string word;
  in("form", word);
  if (word == "gap") {
    GapEvidence& gap = form.emplace<GapEvidence>();
    in(gap);
    gap.primal = in.vector("primal");
    gap.dual = in.vector("dual");
  } else if (word == "lambda-min") {
    BallEvidence& ball = form.emplace<BallEvidence>();
    in(ball);
    in.next(ball.eigenvalue);
    ball.multipliers = in.vector("multipliers");
  } else {
    in.bad("unknown form " + word);
  }
}

std::unique_ptr<Fact> OptimalEnclosure::check(const Claim& claim) const {
  return std::visit([&](const auto& evidence) { return check_form(claim, evidence); }, form);
}

void OptimalEnclosure::describe(const Claim&, Statement& say) const {
  if (const auto* gap = std::get_if<GapEvidence>(&form)) {
    say("form gap", *gap, "primal", hash_words(gap->primal));
  } else {
    const auto& ball = std::get<BallEvidence>(form);
    say("form lambda-min", ball, "multipliers", hash_words(ball.multipliers), "constraints",
        ball.multipliers.at);
  }
}

}  // namespace attest_check
