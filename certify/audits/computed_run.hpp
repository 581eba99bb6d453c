// A run in plain double or MPFR arithmetic: nothing it finds is proved, and all of it is labelled `computed`.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/run_request.hpp"
#include "numerics/runs/plain_run.hpp"
#include "numerics/runs/validated_run.hpp"

namespace attest {

struct ComputedRun {
  std::vector<PlainObservation> observations;  // at the checkpoints
  std::vector<TraceRow> trace;
  std::vector<std::size_t> selection;  // per group of the data
  long bits = 0;                       // of the arithmetic
  std::string stopped_by;              // "time: ..." or "interrupted: ..." when it was ended from outside
  double seconds = 0;
};

ComputedRun computed_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                         const RunRequest& request, AuditWatch& watch);

}  // namespace attest
