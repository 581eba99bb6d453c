// A validated run on (K,Q): pilot, precision, trajectory, and what is observed of it.
#pragma once

#include <cstdint>
#include <optional>
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

using FactoredRecord = BallRunRecord<FactoredObservation, FactoredTraceRow>;

// What is proved for all steps from t0 on.
struct FactoredProof {
  std::uint64_t t0 = 0;
  FactoredLaterSteps later;
};

struct FactoredOutcome : BallRunOutcome {
  FactoredRecord record;
  FactoredLimits limits;
  FactorColumns left, right;                 // K and Q at the last step
  std::optional<FactoredProof> proof;        // at the last checkpoint that has one
  std::optional<std::uint64_t> first_proof;  // and at the first

  bool settled() const;  // the selection at the last step is that of `limits`
};

// `data` has a head of one output and no offsets.
FactoredOutcome factored_run(const TokenData& data, const FactoredSpec& spec, const FactoredStart& start,
                             const BallRunOptions& options);

}  // namespace attest
