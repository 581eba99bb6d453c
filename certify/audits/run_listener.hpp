// The run of the use case: beside theorems about all later steps, the state file and the end that was asked
// for, and the recorded run that it is compared with.
#pragma once

#include <optional>
#include <string>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/comparison.hpp"
#include "certify/audits/run_request.hpp"
#include "certify/audits/watched_sets.hpp"
#include "certify/process/output_files.hpp"
#include "numerics/forever/listener.hpp"
#include "numerics/numbers/clock.hpp"

namespace attest {

class AuditedRun : public ForeverListener {
 public:
  // All of these must outlive the listener.
  AuditedRun(const RunGeometry& geometry, const OptimizerSpec& spec, const RunRequest& request,
             const OutputFiles& files, AuditWatch& watch)
      : ForeverListener(geometry, spec, request.steps, &watch.budget()),
        geometry_(geometry),
        request_(request),
        files_(files),
        watch_(watch) {}

  // The run's state is kept in its file, under this identity.
  void save_under(std::string identity) { identity_ = std::move(identity); }
  // A recorded run is compared at its steps.
  void compare_with(std::shared_ptr<const Trajectory> trajectory, const Rational& share) {
    comparer_.emplace(geometry_, std::move(trajectory), share, watch_.budget());
  }
  const Comparison& comparison() const { return comparer_->comparison(); }
  // The run is seen from several selected tokens at checkpoints, too; they must outlive the listener.
  void watch_sets(WatchedSets* sets) { sets_ = sets; }
  // Has the run come to the end that --until-forever asks for?
  bool settled() const { return settled_; }

  void begin(const ReferenceDirection* direction, const MarginSolution* solution) override;
  void watch(const EnclosedPoint& enclosed, const RunObserver& observer, const RunPoint& point) override;
  bool stops() override { return settled_; }
  void progress(std::uint64_t step, std::uint64_t steps) override { watch_.stepping(step, steps); }
  bool saves() const override { return identity_.has_value(); }
  void save(const FixedFormat& format, const Iteration::State& state, const RunRecord& record,
            bool stopped) override;

 private:
  const RunGeometry& geometry_;
  const RunRequest& request_;
  const OutputFiles& files_;
  AuditWatch& watch_;
  std::optional<std::string> identity_;
  std::optional<TrajectoryComparer> comparer_;
  WatchedSets* sets_ = nullptr;  // may be null
  const ReferenceDirection* direction_ = nullptr;
  bool settled_ = false, stepping_ = false;
  Clock::time_point saved_ = Clock::now();
  double pause_ = 2;  // seconds between two states
};

}  // namespace attest
