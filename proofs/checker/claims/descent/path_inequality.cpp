// The path inequality along a run: see claims/descent/path_inequality.hpp.
#include "proofs/checker/claims/descent/path_inequality.hpp"

#include "proofs/checker/runs/fact.hpp"

namespace attest_check {

void PathInequality::read(Reader& in) {
  in("run", run, "from", from, "until", until);
  if (from >= until) in.bad("no step between them");
  in("constant", constant);
  in.asked(run).path_asked = true;
}

std::unique_ptr<Fact> PathInequality::check(const Claim& claim) const {
  const auto& fact = claim.cite_as<RunFact>(run, "run");
  claim.require(until <= fact.steps, "the run ends at step " + std::to_string(fact.steps));
  for (std::size_t t = from; t < until; ++t) {
    const PathPoint &here = fact.path[t], &next = fact.path[t + 1];
    const std::string where = " at step " + std::to_string(t);
    claim.require(certainly_less(here.height, next.height), "along does not certainly grow" + where);
    claim.require(certainly_less(next.residual_squared - here.residual_squared,
                                 Interval(constant, 64) * (next.height - here.height)),
                  "the path inequality is not certain" + where);
  }
  return std::make_unique<Fact>();
}

void PathInequality::describe(const Claim& claim, Statement& say) const {
  words(say, *this);
  say(claim.cite_as<RunFact>(run, "run"));
}

}  // namespace attest_check
