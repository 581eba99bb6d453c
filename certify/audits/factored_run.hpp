// The use case `run` for the factors of W = K Q' (--parameterization kq): a validated trajectory, singular
// values, correlation with the solutions in the Frobenius and the nuclear norm, and what is proved about all
// later steps. No certificate format holds such a run, and the answer says so.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/run_request.hpp"
#include "certify/pictures/plot.hpp"
#include "numerics/factored/factored_run.hpp"

namespace attest {

struct FactoredRunAnswer {
  std::string instance_path, optimizer;
  std::string start;  // in words
  FactoredSpec spec;
  std::vector<TokenClass> merged;
  FactoredOutcome outcome;
  std::string certificate_note;  // why none is written, where one was asked for
  double total_seconds = 0;

  bool decided() const { return outcome.verdict != RunVerdict::undecided; }
};

// Is it one of this use case's?
bool trains_factors(const RunRequest& request);

// The rows of its trace as those of other runs: the Frobenius correlation.
std::vector<TraceRow> trace_rows(const FactoredRecord& record);

// Throws BudgetReached when the end comes before the first step.
Result<FactoredRunAnswer> factored_run(const RunRequest& request, AuditWatch& watch);

}  // namespace attest
