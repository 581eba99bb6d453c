// Proofs for all later steps from one point: everything about a selection that the theorems need, enclosed
// once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/forever/proof.hpp"

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
  // What the sharp rates need, null when they cannot be proved for this selection.
  const SupportFacts<BallNumber>* support() const { return support_ ? &*support_ : nullptr; }
  // Could T15 be proved at some step? Not for Polyak steps, nor for steps that are and stay too long.
  bool sharp_possible() const { return sharp_possible_; }

  // Of this family, from this point on, certified, or nothing. `dominating`: of a lock-in, only if every
  // selected token keeps more than half of the attention. `around`: of an inner region, the region from the
  // same point.
  std::optional<ForeverProof> prove(TheoremFamily family, const StartPoint<BallNumber>& start,
                                    bool dominating = false, const ForeverProof* around = nullptr) const;
  // What is proved from this point, in the order tried.
  std::vector<ForeverProof> all(const StartPoint<BallNumber>& start) const;

 private:
  std::string better_tokens(const RunGeometry& geometry, const std::string& before, bool of_support) const;

  OptimizerSpec spec_;
  std::string obstacle_;
  std::optional<SelectionFacts<BallNumber>> facts_;
  SelectionFacts<double> guess_;
  std::optional<SupportFacts<BallNumber>> support_;
  SupportFacts<double> support_guess_;
  bool sharp_possible_ = false;
  std::vector<std::vector<bool>> regions_;  // P's to try
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

}  // namespace attest
