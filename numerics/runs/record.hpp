// What accumulates along a validated run: checkpoints, least constants of rate shapes and of T9's path
// inequality, rows for plots; and where a run stands, so that another process can go on.
#pragma once

#include <cstdint>
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

// Takes lo <= c <= hi, the c that steps `from` to `to` need, into the least c that serves all of them; with
// `largest` into the largest.
void take_in(LeastConstant& constant, std::uint64_t from, std::uint64_t to, double lo, double hi,
             bool largest = false);

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

// Keeps every other row of more than `most`: those at multiples of the stride, which doubles.
template <class Row, class StepOf>
void thin_trace(std::vector<Row>& trace, std::uint64_t& stride, std::size_t most, StepOf step_of) {
  if (trace.size() <= most) return;
  stride *= 2;
  std::erase_if(trace, [&](const Row& row) { return step_of(row) % stride != 0; });
}

// Where a run stands: with it another process goes on as if nothing had happened.
struct SavedRun {
  FixedFormat format;
  Iteration::State state;  // of a step at most record.step
  RunRecord record;
};

// Is t a checkpoint: 0, {1,2,5} x 10^k, or the last step?
bool is_checkpoint(std::uint64_t t, std::uint64_t last);

}  // namespace attest
