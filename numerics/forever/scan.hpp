// Proofs for all later steps of a validated run, from the earliest of the steps they are tried at
// (listener.hpp has the run watched): all to 128, then 64 or more between t and 2 t, and the last. So
// t0 is at most one part in 64 late; trying at every step took a third of a run's time.
//
// The theorems speak about the exact iteration. T12 and T12n are tried first, then T10 and T11, then T14 and
// T15 for the sharp rate; each family keeps the first step at which one of its theorems is proved. T14 holds
// where T10 or T11 does, with constants that improve along the run: until T15 is proved it is tried again at
// powers of two, and replaced when its bound is less than half as large. A lock-in can be proved long before
// its tokens hold half of the attention: until some proof has them hold it from its own step on, one that
// does is looked for.
#pragma once

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "numerics/forever/forever.hpp"
#include "numerics/forever/margin_shortfall.hpp"
#include "numerics/runs/point.hpp"

namespace attest {

// Watches a validated run. One scan serves all attempts of a run: begin() forgets everything before.
class ForeverScan {
 public:
  // `geometry` and `budget` (may be null) must outlive the scan; `last` is the run's last step.
  ForeverScan(const RunGeometry& geometry, const OptimizerSpec& spec, std::uint64_t last,
              const Budget* budget = nullptr)
      : geometry_(&geometry), spec_(spec), last_(last), budget_(budget) {}

  // A new attempt with this direction (null when there is none) and the solution it came from. Throws
  // BudgetReached, and so do watch() and resume(); what was found before stays.
  void begin(const ReferenceDirection* direction, const MarginSolution* solution);
  // The observer's iteration is evaluated at its current step; `point` is its full observation there.
  void watch(const RunObserver& observer, const RunPoint& point);
  // The points at which proofs were found so far, in order of their steps: what an interrupted scan is
  // resumed from.
  const std::vector<StartPoint<BallNumber>>& starts() const { return starts_; }
  // Goes on from an earlier scan of the same run, seen from the same direction: every proof is found again.
  // After begin().
  void resume(const std::vector<StartPoint<BallNumber>>& starts);

  // All, in the order of their steps.
  std::vector<const ForeverProof*> proofs() const;
  // The first of each family; of the lock-ins not the one that was looked for because of its attention.
  std::vector<const ForeverProof*> first_proofs() const;
  // The one of that family, null when there is none.
  const ForeverProof* first(TheoremFamily family) const;
  // The one with the least t0, null when nothing is proved.
  const ForeverProof* earliest() const;
  // Every theorem family that can be proved on this kind of run has been (T14 may still improve).
  bool complete() const;
  // Why nothing is proved.
  std::string reason() const;
  // Where no obstacle but margins is known: what is too small at the last step that was tried. Measured;
  // nothing where that is not found, or no time is left for it.
  std::optional<MarginShortfall> shortfall() const;
  const ForeverProver* prover() const { return prover_ ? &*prover_ : nullptr; }

 private:
  void consider(const StartPoint<BallNumber>& start);
  // T14 from this point, when it is new or halves the bound known.
  std::optional<ForeverProof> better_inner(const StartPoint<BallNumber>& start,
                                           const ForeverProof& region) const;
  // Is anything to be tried at this step?
  bool due(std::uint64_t step) const;
  // Is T14 to be tried again at this step?
  bool improves_at(std::uint64_t step) const { return region_ && !sharp_ && std::has_single_bit(step); }

  const RunGeometry* geometry_;
  OptimizerSpec spec_;
  std::uint64_t last_;
  const Budget* budget_;
  std::optional<ForeverProver> prover_;
  std::vector<StartPoint<BallNumber>> starts_;
  std::optional<StartPoint<double>> open_;  // the last point, while nothing is proved
  std::optional<ForeverProof> lock_in_, dominating_lock_in_, region_, inner_, sharp_;
  bool dominating_ = false;  // some proof keeps every selected token above 1/2 from its own step on
};

}  // namespace attest
