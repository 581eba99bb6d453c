// Proofs for all later steps: from one point, or from the earliest step of a validated run at which they
// succeed (forever_listener.hpp has the run watched).
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

#include "numerics/forever/bounded_residual.hpp"
#include "numerics/forever/forever_proof.hpp"
#include "numerics/forever/span_residual.hpp"

namespace attest {

// Everything about one selection that the theorems need, enclosed once.
class ForeverProver {
 public:
  // The solution must be of direction.selection. When the facts cannot be enclosed, ready() is false. Throws
  // BudgetReached.
  ForeverProver(const RunGeometry& geometry, const ReferenceDirection& direction,
                const MarginSolution& solution, const OptimizerSpec& spec, const Budget& budget = Budget());

  bool ready() const { return facts_.has_value(); }
  // Why no theorem can apply at any step; empty when one may.
  const std::string& obstacle() const { return obstacle_; }
  const SelectionFacts<BallNumber>& facts() const { return *facts_; }
  // What T14 and T15 need, null when they cannot apply to this selection.
  const SupportFacts<BallNumber>* support() const { return support_ ? &*support_ : nullptr; }
  // Could T15 be proved at some step? Not for Polyak steps, nor for steps that are and stay too long.
  bool residual_possible() const { return residual_possible_; }

  // T12 or T12n (with `dominating`: and every selected token keeps more than half of the attention); T10 or
  // T11; T14 in the region of such a proof from the same point; T15, from this point on. Certified, or
  // nothing.
  std::optional<ForeverProof> lock_in(const StartPoint<BallNumber>& start, bool dominating = false) const;
  std::optional<ForeverProof> region(const StartPoint<BallNumber>& start) const;
  std::optional<ForeverProof> span_residual(const StartPoint<BallNumber>& start,
                                            const ForeverProof& region) const;
  std::optional<ForeverProof> residual(const StartPoint<BallNumber>& start) const;
  // What is proved from this point, in the order tried.
  std::vector<ForeverProof> all(const StartPoint<BallNumber>& start) const;

 private:
  OptimizerSpec spec_;
  std::string obstacle_;
  std::optional<SelectionFacts<BallNumber>> facts_;
  SelectionFacts<double> guess_;
  std::optional<SupportFacts<BallNumber>> support_;
  SupportFacts<double> support_guess_;
  bool residual_possible_ = false;
  std::vector<std::vector<bool>> sets_;  // P's to try
};

// The outcome for an exact W (no run behind it): the proofs that succeed, in the order tried.
struct ForeverFromPoint {
  std::vector<ForeverProof> proofs;
  std::optional<SelectionFacts<BallNumber>> facts;
  std::string reason;  // when there is no proof
};

// From every W with ||W - entries||_F <= radius (entries d x e exact, radius >= 0), the first step being step
// 0 of the specification. `bits`: accuracy of the margin problem's solution.
ForeverFromPoint forever_from_point(const RunGeometry& geometry, const OptimizerSpec& spec,
                                    const Selection& selection, const ExactArray& entries,
                                    const Rational& radius, long bits = 192);

// Watches a validated run. One scan serves all attempts of a run: begin() forgets everything before.
class ForeverScan {
 public:
  // `geometry` and `budget` (may be null) must outlive the scan.
  ForeverScan(const RunGeometry& geometry, const OptimizerSpec& spec, const Budget* budget = nullptr)
      : geometry_(&geometry), spec_(spec), budget_(budget) {}

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

  const std::optional<ForeverProof>& lock_in() const { return lock_in_; }
  const std::optional<ForeverProof>& region() const { return region_; }
  const std::optional<ForeverProof>& span_residual() const { return span_residual_; }
  const std::optional<ForeverProof>& residual() const { return residual_; }
  // All, in the order of their steps.
  std::vector<const ForeverProof*> proofs() const;
  // The one with the least t0, null when nothing is proved.
  const ForeverProof* earliest() const;
  // Every theorem family that can be proved on this kind of run has been (T14 may still improve).
  bool complete() const;
  // Why nothing is proved.
  std::string reason() const;
  const ForeverProver* prover() const { return prover_ ? &*prover_ : nullptr; }

 private:
  void consider(const StartPoint<BallNumber>& start);
  // T14 from this point, when it is new or halves the bound known.
  std::optional<ForeverProof> better_span_residual(const StartPoint<BallNumber>& start,
                                                   const ForeverProof& region) const;
  // Is T14 to be tried again at this step?
  bool improves_at(std::uint64_t step) const { return region_ && !residual_ && std::has_single_bit(step); }

  const RunGeometry* geometry_;
  OptimizerSpec spec_;
  const Budget* budget_;
  std::optional<ForeverProver> prover_;
  std::vector<StartPoint<BallNumber>> starts_;
  std::optional<ForeverProof> lock_in_, dominating_lock_in_, region_, span_residual_, residual_;
  bool dominating_ = false;  // some proof keeps every selected token above 1/2 from its own step on
};

}  // namespace attest
