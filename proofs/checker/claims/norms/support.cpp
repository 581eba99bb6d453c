// Which constraints can have margin 1 at the solution: see claims/norms/support.hpp.
#include "proofs/checker/claims/norms/support.hpp"

namespace attest_check {
namespace {

const NormOptimum& cited_solution(const Claim& claim, const Norm& norm, const Citation& from) {
  const NormOptimum& solution = cited_optimum(claim, norm, from);
  claim.require(solution.distance.has_value(), "the claim cited does not say how far the solution is");
  return solution;
}

Integer sum_of_magnitudes(const std::vector<Integer>& vector) {
  Integer sum;
  for (const Integer& x : vector) sum += abs(x);
  return sum;
}

// |m_c(W*) - m_c(W)| <= distance ||Delta_c||_q, and ||Delta_c||_q <= ||Delta_c||_1 = ||dx_c||_1 ||z_i||_1.
void require_above_one(const Claim& claim, const NormOptimum& solution,
                       const std::vector<Constraint>& constraints, const char* which) {
  const Features& features = *claim.problem.features;
  const Integer scale = solution.primal.scale(claim.problem);
  const Integer unit = features.tokens().denominator() * features.queries().denominator();
  std::vector<Integer> margins;
  Integer query;
  std::size_t group = SIZE_MAX;
  for (const Constraint& c : constraints) {
    if (group != c.group) {
      margins = solution.primal.margins(claim.problem, group = c.group);
      query = sum_of_magnitudes(features.queries().row(group));
    }
    const Rational reach =
        *solution.distance * fraction(sum_of_magnitudes(claim.problem.difference(c)) * query, unit);
    const Rational margin = fraction(margins[c.token], scale);
    if (margin - reach <= 1) claim.fail("least margin at " + show(c) + ", " + which, margin - reach, ">", 1);
  }
}

}  // namespace

void NormSupportWithin::read(Reader& in) {
  norm.read(in);
  std::size_t count = 0;
  in("from", from, "size", count);
  listed = in.constraints(count);
}

std::unique_ptr<Fact> NormSupportWithin::check(const Claim& claim) const {
  const NormOptimum& solution = cited_solution(claim, norm, from);
  std::vector<Constraint> others;
  auto next = listed.begin();
  for_each_constraint(claim.problem, [&](const Constraint& c) {
    if (next != listed.end() && *next == c) {
      ++next;
    } else {
      others.push_back(c);
    }
  });
  require_above_one(claim, solution, others, "which is not listed");
  auto fact = std::make_unique<NormSupportFact>();
  fact->said = this;
  return fact;
}

void NormSupportWithin::describe(const Claim&, Statement& say) const {
  say(norm, "from", from, "size", listed.size(), "constraints", listed);
}

void NormLocallyOptimal::read(Reader& in) {
  norm.read(in);
  in("from", from);
}

std::unique_ptr<Fact> NormLocallyOptimal::check(const Claim& claim) const {
  const NormOptimum& solution = cited_solution(claim, norm, from);
  std::vector<Constraint> suspects;
  for_each_constraint(claim.problem, [&](const Constraint& c) {
    if (claim.problem.gap_sign(c) <= 0) suspects.push_back(c);
  });
  require_above_one(claim, solution, suspects, "whose score gap is not positive");
  return std::make_unique<Fact>();
}

void NormLocallyOptimal::describe(const Claim&, Statement& say) const {
  say(norm, "from", from);
}

}  // namespace attest_check
