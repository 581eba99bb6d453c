// Who is told of a validated run while it goes on, and may ask for more: the one way to observe a run.
//
// A run may take several attempts (more precision, another selection than was guessed), so begin() may be
// called more than once; what was gathered before belongs to an attempt given up. All of these may throw
// BudgetReached where that is said; what the run has recorded by then stands.
#pragma once

#include <cstdint>
#include <optional>

#include "numerics/margin/solution.hpp"
#include "numerics/runs/record.hpp"

namespace attest {

class RunListener {
 public:
  RunListener() = default;
  RunListener(const RunListener&) = delete;
  RunListener& operator=(const RunListener&) = delete;
  virtual ~RunListener() = default;

  // Before every attempt: the direction it is seen from and the solution that came from (null when there is
  // none). May throw.
  virtual void begin(const ReferenceDirection* /*direction*/, const MarginSolution* /*solution*/) {}
  // At every step after its observation. May throw: then the run ends with that step.
  virtual void watch(const EnclosedPoint& /*enclosed*/, const RunObserver& /*observer*/,
                     const RunPoint& /*point*/) {}
  // Asked after watch: true makes this step a checkpoint.
  virtual bool keeps(const RunPoint& /*point*/) { return false; }
  // T9's constant at a checkpoint, for the step from it, where somebody wants it compared with what that step
  // needs. Asked for points that a resumed run had recorded, too.
  virtual std::optional<Ball> path_constant(const RunObserver& /*observer*/, const RunPoint& /*point*/) {
    return std::nullopt;
  }
  // At the step an attempt ends at, recorded before or not, unless no number could be proved there or the
  // budget ended the run in the middle of the step after it.
  virtual void last(const RunObserver& /*observer*/, const RunPoint& /*point*/) {}

  // Asked at every step, and while the final selection is guessed; true ends the run there, with everything
  // proved so far.
  virtual bool stops() { return false; }
  virtual void progress(std::uint64_t /*step*/, std::uint64_t /*steps*/) {}

  // Is save() to be called? Asked once an attempt.
  virtual bool saves() const { return false; }
  // Every few steps, and, with `stopped`, when stops() or the budget ends the run. The arguments are a
  // SavedRun's fields.
  virtual void save(const FixedFormat& /*format*/, const Iteration::State& /*state*/,
                    const RunRecord& /*record*/, bool /*stopped*/) {}
};

}  // namespace attest
