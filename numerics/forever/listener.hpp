// A validated run watched for theorems about all later steps: the one place that ties a ForeverScan to a run.
//
//   ForeverListener listener(geometry, spec, options.steps, budget);
//   validated_run(geometry, spec, start, options, &listener);
//   if (const ForeverProof* proof = listener.scan().earliest()) ...            // else
//   listener.scan().reason()
#pragma once

#include <optional>
#include <vector>

#include "numerics/forever/scan.hpp"
#include "numerics/runs/listener.hpp"

namespace attest {

// Whoever wants to see more of the run derives from it and calls these where it overrides them.
class ForeverListener : public RunListener {
 public:
  // `geometry` and `budget` (may be null) must outlive the listener; `last` is the run's last step.
  ForeverListener(const RunGeometry& geometry, const OptimizerSpec& spec, std::uint64_t last,
                  const Budget* budget = nullptr)
      : spec_(spec), scan_(geometry, spec, last, budget) {}

  // The first attempt goes on from the scan of an interrupted run (ForeverScan::starts).
  void resume(std::vector<StartPoint<BallNumber>> starts) { resumed_ = std::move(starts); }

  void begin(const ReferenceDirection* direction, const MarginSolution* solution) override;
  void watch(const EnclosedPoint& enclosed, const RunObserver& observer, const RunPoint& point) override;
  // The points that claims about all later steps start from.
  bool keeps(const RunPoint& point) override;
  std::optional<Ball> path_constant(const RunObserver& observer, const RunPoint& point) override;
  void last(const RunObserver& observer, const RunPoint& point) override;

  const ForeverScan& scan() const { return scan_; }
  // The last step's residual in the span of the support against its limit; nothing where there is none.
  const std::optional<ResidualLimit>& residual() const { return residual_; }

 private:
  OptimizerSpec spec_;
  ForeverScan scan_;
  std::vector<StartPoint<BallNumber>> resumed_;
  std::optional<ResidualLimit> residual_;
};

}  // namespace attest
