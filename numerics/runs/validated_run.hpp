// A whole validated run: precision chosen and retried, the finally selected tokens and their max-margin
// direction, certified observations at every step, checkpoints, least constants of rate shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numerics/runs/point.hpp"

namespace attest {

// The claimed least constant c of 1 - corr_t <= c shape(t) on a stretch of steps: lo <= c <= hi.
struct LeastConstant {
  std::uint64_t from = 0, to = 0;
  double lo = 0, hi = 0;
};

struct RateShape {
  std::string name;                   // "1/t^2", ...
  LeastConstant whole;                // from the first step at which the shape is defined
  std::vector<LeastConstant> blocks;  // [2^k, 2^(k+1))
};

// A checkpoint t and the step from it: T9's constant there, if the theorem applies, and what the step needs.
struct PathStep {
  std::uint64_t step = 0;
  Ball theorem;  // not finite when T9 does not apply
  Ball needed;
};

// The longest stretch up to the last step along which y = <W,u> certainly grows at every step, and the least
// constant of T9's path inequality (path_inequality.hpp) there: `from` and `to` are the first and the last
// point.
struct PathRecord {
  LeastConstant whole;                // to = 0: no such step
  std::vector<LeastConstant> blocks;  // steps from t in [2^k, 2^(k+1))
  std::vector<PathStep> steps;
};

// One row for plots: midpoints as doubles, the band of 1 - corr rounded outward.
struct TraceRow {
  std::uint64_t step = 0;
  double norm = 0, along = 0, across = 0, one_minus_corr_lo = 0, one_minus_corr_hi = 0, loss_gap = 0,
         gradient_norm = 0, max_unselected = 0, log2_radius = 0;
};

enum class RunVerdict { complete, stationary, undecided };

// Everything that accumulates along a run: what an interrupted run needs to go on, and what its summary
// shows.
struct RunRecord {
  std::uint64_t step = 0;        // the last step recorded
  long correct_bits = 1L << 30;  // min over 1 <= t <= step, as of RunObserver::correct_bits
  std::optional<std::uint64_t> first_loss_increase;  // first t with L(W_t) < L(W_{t+1}) not excluded
  Selection seen_from;    // the predicted selection: everything is measured against its direction,
  bool directed = false;  //   when its SVM is solved
  std::vector<RunPoint> checkpoints;
  std::vector<RateShape> shapes;
  PathRecord path;
  std::vector<TraceRow> trace;
  std::uint64_t trace_stride = 1;
};

// Where a run stands: with it another process goes on as if nothing had happened.
struct SavedRun {
  FixedFormat format;
  Trajectory::State state;  // of a step at most record.step
  RunRecord record;
};

struct RunOptions {
  std::uint64_t steps = 0;
  long bits = 100;     // correct bits wanted
  long precision = 0;  // fraction bits to work with; 0: chosen, and raised when a bound fails
  std::size_t max_attempts =
      0;  // trajectories to compute at most while precision or range fails; 0: no bound
  const Budget* budget =
      nullptr;  // when it is reached the run ends with everything proved so far; may be null
  std::size_t max_trace_rows = 100000;
  std::function<bool()> stop;  // asked at every step; true ends the run there, with everything proved so far
  std::function<void(std::uint64_t step, std::uint64_t steps)> progress;  // may be empty
  // Called every few steps, and, with `stopped`, when stop or the budget ends the run; may be empty. The
  // arguments are a SavedRun's fields.
  std::function<void(const FixedFormat& format, const Trajectory::State& state, const RunRecord& record,
                     bool stopped)>
      save;
  // Called before every attempt at the run, with the direction it is seen from and the solution that came
  // from (null when there is none); may be empty. Whatever watch() gathered belongs to an attempt given up.
  std::function<void(const ReferenceDirection* direction, const MarginSolution* solution)> begin;
  // Called at every step after its observation; may be empty. For the theorems about all later steps.
  std::function<void(const Trajectory& trajectory, const RunObserver& observer, const RunPoint& point)> watch;
  // Called at the step an attempt ends at, recorded before or not, unless no number could be proved there or
  // the budget ended the run in the middle of the step after it; may be empty.
  std::function<void(const RunObserver& observer, const RunPoint& point)> last;
  // T9's constant at a checkpoint, for the step from it; may be empty. Asked for recorded points, too.
  std::function<Ball(const RunObserver& observer, const RunPoint& point)> path_constant;
  // Asked after watch: true makes this step a checkpoint; may be empty.
  std::function<bool(const RunPoint& point)> keep;
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
  double amplification_bits = 0;
  std::size_t attempts = 0;  // trajectories computed, the last one included
  double seconds = 0;
};

// Is t a checkpoint: 0, {1,2,5} x 10^k, or the last step?
bool is_checkpoint(std::uint64_t t, std::uint64_t last);

// Runs spec from `start` (as for Trajectory).
RunOutcome validated_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                         const RunOptions& options);

}  // namespace attest
