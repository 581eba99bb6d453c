// The use case `run` for mirror descent (--optimizer md or nmd): a validated trajectory, its correlation with
// the solution in the potential's norm, and what is proved about all later steps. No certificate format holds
// such a run yet, and the answer says so.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/run_request.hpp"
#include "certify/pictures/plot.hpp"
#include "numerics/mirror/mirror_run.hpp"

namespace attest {

struct MirrorRunAnswer {
  std::string instance_path, optimizer;
  MirrorSpec spec;
  std::vector<TokenClass> merged;
  MirrorOutcome outcome;
  std::string certificate_note;  // why none is written, where one was asked for
  double total_seconds = 0;

  bool decided() const { return outcome.verdict != RunVerdict::undecided; }
};

// Is it one of this use case's?
bool is_mirror_descent(const std::string& optimizer);

// Throws BudgetReached when the end comes before the first step.
Result<MirrorRunAnswer> mirror_run(const RunRequest& request, AuditWatch& watch);

}  // namespace attest
