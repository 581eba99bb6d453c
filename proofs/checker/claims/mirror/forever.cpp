// Where mirror descent goes: see claims/mirror/forever.hpp.
#include "proofs/checker/claims/mirror/forever.hpp"

#include "proofs/checker/base/powers.hpp"
#include "proofs/checker/problem/constraint_gram.hpp"

namespace attest_check {

void MirrorForever::read(Reader& in) {
  norm.read(in);
  in("support", support, "run", run, "at", step, conclusion);
  in.asked(run).points_asked.push_back(step);
  multipliers = in.vector("multipliers");
  in.next(eigenvalue);
  std::size_t count = 0;
  in.next("floors", count);
  if (count != in.problem.constraint_count()) in.bad("the floors are not one for each constraint");
  while (plan.floors.size() < count) in(plan.floors.emplace_back());
  in.next("pieces", count, "last-slope", plan.last_slope);
  while (plan.pieces.size() < count) in.next(plan.pieces.emplace_back());
}

void MirrorForever::describe(const Claim& claim, Statement& say) const {
  const auto& fact = claim.cite_as<MirrorRunFact>(run, "mirror-run");
  say(norm, "support", support, "run", run, "at", step, conclusion, fact.steps, words_of(fact.start));
}

// mu of sum mu_c Delta_c = gamma n, which has none but these constraints: where the residual of numbers near
// it has norm r, it is within r/sqrt(S) of them.
std::vector<Interval> MirrorForever::enclosed_multipliers(const Claim& claim,
                                                          const MirrorDirection& direction) const {
  constexpr unsigned bits = t17::bits;
  std::vector<Interval> residual, result;
  for (const Interval& u : direction.entries)
    residual.push_back(signed_power(u, norm.exponent - 1, bits) / direction.norm);
  for (std::size_t k = 0; k < multipliers.size(); ++k) {
    result.push_back(Interval::ratio(multipliers.numerator[k], multipliers.denominator, bits));
    const std::vector<Interval> row = constraint_entries(claim.problem, multipliers.at[k], bits);
    for (std::size_t j = 0; j < row.size(); ++j) residual[j] += -(result[k] * row[j]);
  }
  Interval squares;
  for (const Interval& x : residual) squares += absolute(x) * absolute(x);
  const Interval radius = square_root(squares / Interval(eigenvalue.bound, bits)).upper_end();
  for (Interval& mu : result) mu = maximum(Interval::hull(mu - radius, mu + radius), Interval(0));
  return result;
}

std::unique_ptr<Fact> MirrorForever::check(const Claim& claim) const {
  const auto& tight = claim.cite_as<NormSupportFact>(support, "norm-support-within");
  const auto& fact = claim.cite_as<MirrorRunFact>(run, "mirror-run");
  const NormOptimum& optimum = cited_optimum(claim, norm, tight.said->from);
  claim.require(fact.exponent == norm.exponent, "the run has another potential");
  const auto dual = fact.duals.find(step);
  claim.require(dual != fact.duals.end(), "step " + std::to_string(step) + " is not a checkpoint of the run");
  claim.require(multipliers.at == tight.said->listed, "the multipliers are not at the support cited");
  claim.require(eigenvalue.bound > 0, "the bound of the smallest eigenvalue is not positive");
  claim.require(smallest_eigenvalue_at_least(constraint_gram(claim.problem, multipliers.at), eigenvalue.bound,
                                             eigenvalue.bits),
                "the smallest eigenvalue of the Gram matrix of the support is not proved to be at least " +
                    show(eigenvalue.bound));
  const MirrorDirection direction(claim, optimum, t17::bits);
  MirrorPoint point{claim,
                    norm.exponent,
                    fact.steps.rule == MirrorRule::nmd,
                    fact.steps.step_size(step, t17::bits),
                    direction,
                    {},
                    multipliers.at,
                    enclosed_multipliers(claim, direction)};
  for (const Interval& z : dual->second) point.dual.push_back(z.rounded(t17::bits));
  require_mirror_region(point, plan, conclusion);
  return std::make_unique<Fact>();
}

}  // namespace attest_check
