// A whole validated run: precision chosen and retried, the finally selected tokens and their max-margin
// direction, certified observations at every step, checkpoints, least constants of rate shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numerics/runs/attempt.hpp"
#include "numerics/runs/listener.hpp"
#include "numerics/runs/record.hpp"

namespace attest {

enum class RunVerdict { complete, stationary, undecided };

struct RunOptions {
  std::uint64_t steps = 0;
  long bits = 100;     // correct bits wanted
  long precision = 0;  // fraction bits to work with; 0: chosen, and raised when a bound fails
  std::size_t max_attempts =
      0;  // trajectories to compute at most while precision or range fails; 0: no bound
  const Budget* budget =
      nullptr;  // when it is reached the run ends with everything proved so far; may be null
  std::size_t max_trace_rows = 100000;
  // An exact solve for the direction that is predicted to take longer is not begun (pivoting takes many, and
  // the run is to begin): a direction known by a gap serves it, too, but no theorem about later steps.
  double longest_exact_seconds = 0.1;
  // Where an earlier run of the same specification stopped; null: from the start.
  const SavedRun* resume = nullptr;
};

struct RunOutcome {
  RunVerdict verdict = RunVerdict::undecided;
  std::string
      reason;  // when undecided: "precision", "time", "interrupted" or "range", with detail after a colon
  RunRecord record;
  std::vector<std::optional<std::size_t>>
      selection;  // per group of the data: certified dominating at the last step
  std::optional<ReferenceDirection>
      direction;                           // the one everything is measured against, when its SVM is solved
  std::optional<MarginSolution> solution;  // the one it came from
  bool settled = false;                    // that direction is the one of `selection`
  FixedFormat format;
  std::vector<RunWidth> narrower;  // that it went on with
  double amplification_bits = 0;
  std::size_t attempts = 0;  // trajectories computed, the last one included
  double seconds = 0;
};

// Runs spec from `start` (W_0, d x e exact entries, row-major; empty: zero); `listener` may be null.
RunOutcome validated_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                         const RunOptions& options, RunListener* listener = nullptr);

}  // namespace attest
