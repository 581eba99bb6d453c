// The state file of an interrupted run: exact iterate, radius, step and everything recorded so far, as text.
//
// It holds no proof and is trusted by nobody but the run that resumes from it; its first lines name the instance and the
// specification, so that a state is never continued under another run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "numerics/validated_run.hpp"

namespace attest {

struct SavedRun {
  Trajectory::State state;
  RunRecord record;
  FixedFormat format;
};

// `identity` is one line that determines the run: instance hash, optimiser, start.
std::string write_run_state(const std::string& identity, const Trajectory& trajectory, const RunRecord& record);

// The saved run, or why the text cannot be continued.
std::variant<SavedRun, std::string> read_run_state(std::string_view text, const std::string& identity);

}  // namespace attest
