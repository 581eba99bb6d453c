// The state file of an interrupted run: exact iterate, radius, step and everything recorded so far, as text.
//
// It holds no proof and is trusted by nobody but the run that resumes from it; its first lines name the
// instance and the specification, so that a state is never continued under another run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "certify/audits/run_request.hpp"
#include "numerics/forever/start_point.hpp"
#include "numerics/runs/validated_run.hpp"

namespace attest {

// A saved run and the points from which theorems about all later steps were proved so far
// (ForeverScan::starts).
struct RunStateFile {
  SavedRun run;
  std::vector<StartPoint<BallNumber>> starts;
};

// `identity` is one line that determines the run: instance hash, optimiser, start.
std::string write_run_state(const std::string& identity, const FixedFormat& format,
                            const Iteration::State& state, const RunRecord& record,
                            const std::vector<StartPoint<BallNumber>>& starts);

// The saved run, or why the text cannot be continued.
std::variant<RunStateFile, std::string> read_run_state(std::string_view text, const std::string& identity);

// That of the request's state file, if its step is none that lies beyond the request's last one.
Result<RunStateFile> load_run_state(const RunRequest& request, const std::string& identity);

}  // namespace attest
