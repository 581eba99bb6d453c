// The regularisation path in another norm for every radius: see claims/norms/path.hpp.
#include "proofs/checker/claims/norms/path.hpp"

#include "proofs/checker/claims/paths/rate.hpp"

namespace attest_check {

void NormPath::read(Reader& in) {
  norm.read(in);
  in("from", from, "from-radius", radius, "rate-constant", constant);
}

// The ray goes through the matrix given, whose margins are at least 1 and whose norm is at most hi; the
// weights are those of the dual matrix over the bound of its dual norm.
std::unique_ptr<Fact> NormPath::check(const Claim& claim) const {
  require_path(claim, radius);
  claim.require(claim.problem.features->outputs() == nullptr, "not known of heads of several outputs");
  const NormOptimum& optimum = cited_optimum(claim, norm, from);
  if (optimum.lo <= 0) claim.fail("lower bound of the least norm", optimum.lo, ">", 0);
  const ConstraintVector& multipliers = optimum.multipliers;
  std::vector<Interval> weight;
  for (const Integer& numerator : multipliers.numerator)
    weight.emplace_back(fraction(numerator, multipliers.denominator) / optimum.dual_bound, path_bits);
  const Interval margin = Interval(1) / Interval(optimum.hi, path_bits);
  const Interval rate = PathTheorem(claim, margin, radius).rate(multipliers.at, weight);
  claim.require_at_most(rate.upper(), constant, "rate constant of the theorem against rate-constant");
  return std::make_unique<Fact>();
}

void NormPath::describe(const Claim&, Statement& say) const {
  say(norm, "from", from, "from-radius", radius, "rate-constant", constant);
}

}  // namespace attest_check
