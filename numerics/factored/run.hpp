// A validated run on (K,Q): pilot, precision, trajectory, and what is observed of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numerics/factored/later_steps.hpp"
#include "numerics/factored/observer.hpp"
#include "numerics/runs/ball_run.hpp"

namespace attest {

// A row for plots: TraceRow of the Frobenius correlation, and the other one.
struct FactoredTraceRow {
  TraceRow row;
  double nuclear_lo = 0, nuclear_hi = 0;  // 1 - corr with the nuclear problem's matrix
};

struct FactoredRecord {
  std::uint64_t step = 0;
  long correct_bits = 1L << 30;
  std::vector<FactoredObservation> checkpoints;
  std::vector<FactoredTraceRow> trace;
  std::uint64_t trace_stride = 1;
};

// What is proved for all steps from t0 on.
struct FactoredProof {
  std::uint64_t t0 = 0;
  FactoredLaterSteps later;
};

struct FactoredOutcome {
  RunVerdict verdict = RunVerdict::undecided;
  std::string reason;
  FactoredRecord record;
  FactoredLimits limits;
  SeenSelection selection;                   // at the last step
  FactorColumns left, right;                 // K and Q at the last step
  std::optional<FactoredProof> proof;        // at the last checkpoint that has one
  std::optional<std::uint64_t> first_proof;  // and at the first
  std::string proof_reason;                  // the last checkpoint's, when there is no proof
  long precision_bits = 0;                   // at first; fewer and fewer later
  std::size_t attempts = 0;
  double growth_bits = 0, seconds = 0;

  bool settled() const;  // the selection at the last step is that of `limits`
};

struct FactoredOptions {
  std::uint64_t steps = 0;
  long bits = 100;     // correct bits at every step
  long precision = 0;  // working bits at every step; 0: as many as it takes
  std::size_t max_trace_rows = 2000;
  const Budget* budget = nullptr;
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

// `data` has a head of one output and no offsets.
FactoredOutcome factored_run(const TokenData& data, const FactoredSpec& spec, const FactoredStart& start,
                             const FactoredOptions& options);

}  // namespace attest
