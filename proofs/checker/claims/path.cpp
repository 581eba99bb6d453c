// Claim kind path-inequality: T9 along a run, at every step (RUNS.md sections 1 and 3).
#include "proofs/checker/runs/fact.hpp"

namespace attest_check {

Check read_path_inequality(const Claim& claim, Line& line, CertificateText&) {
  const std::size_t run = claim.read_citation(line, "run");
  line.expect("from");
  const std::size_t from = line.index();
  line.expect("until");
  const std::size_t until = line.index();
  if (from >= until) line.bad("no step between them");
  line.expect("constant");
  const Rational constant = line.rational();
  line.finish();
  claim.ask_for_path(run);
  return [=, &claim] {
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
    return proved("run", run, "from", from, "until", until, "constant", constant, fact.run());
  };
}

}  // namespace attest_check
