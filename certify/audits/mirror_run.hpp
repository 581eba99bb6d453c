// The use case `run` for mirror descent (--optimizer md or nmd): a validated trajectory, its correlation with
// the solution in the potential's norm, and what is proved about all later steps. A certificate holds the run
// at its checkpoints (mirror-run), and for P <= 2 its later steps (mirror-forever).
#pragma once

#include <string>

#include "certify/audits/followed_run.hpp"
#include "numerics/mirror/run.hpp"

namespace attest {

struct MirrorRunAnswer : FollowedRunAnswer {
  MirrorSpec spec;
  MirrorOutcome outcome;

  bool decided() const { return outcome.verdict != RunVerdict::undecided; }
};

// Is it one of this use case's?
// P of --potential.
Result<Rational> potential_of(const RunRequest& request);

bool is_mirror_descent(const std::string& optimizer);

// `page` draws the report of a request that wants one. Throws BudgetReached when the end comes before the
// first step.
Result<MirrorRunAnswer> mirror_run(const RunRequest& request, AuditWatch& watch,
                                   const PageOf<MirrorRunAnswer>& page = {});

}  // namespace attest
