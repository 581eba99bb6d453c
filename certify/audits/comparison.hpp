// A recorded floating-point run beside the exact iteration: at its steps, how far its W is from the exact W_t
// and which tokens it selects. The recorded numbers are taken exactly, so all of this is proved; only how
// they came about is not known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certify/audits/trajectory.hpp"
#include "numerics/numbers/ball.hpp"
#include "numerics/runs/record.hpp"

namespace attest {

// A sequence where the recorded matrix V selects another token than W_t: each has there one token with the
// largest logit.
struct OtherToken {
  std::size_t group = 0, recorded = 0, exact = 0;
};

struct ComparedStep {
  std::uint64_t step = 0;
  bool finite = true;     // V has no entry that is no number; otherwise nothing of it is compared
  Ball distance;          // ||V - W_t||
  Ball norm, exact_norm;  // ||V||, ||W_t||
  std::vector<OtherToken> others;
  std::size_t open = 0;  // sequences where one of the two has no token that certainly has the largest logit
};

struct Comparison {
  std::string path;                               // empty: in memory
  Rational share;                                 // of ||W_t||
  bool states_run = false, states_start = false;  // the trajectory names its rule and step; holds W_0
  std::vector<ComparedStep> steps;
  std::size_t recorded = 0;  // steps of the trajectory, whether or not the run came to them

  // Is ||V - W_t|| > share ||W_t||? Nothing where the enclosures do not decide it. What is no number is
  // beyond.
  std::optional<bool> beyond(const ComparedStep& step) const;
  // The last compared step up to which none is beyond.
  std::optional<std::uint64_t> within_until() const;
  // The first compared step that is; and the first from which on all are.
  std::optional<std::uint64_t> first_beyond() const;
  std::optional<std::uint64_t> beyond_from() const;
  // The same for other tokens.
  std::optional<std::uint64_t> first_other() const;
  std::optional<std::uint64_t> other_from() const;
};

// Told of every point of a validated run.
class TrajectoryComparer {
 public:
  // All outlive the comparer.
  TrajectoryComparer(const RunGeometry& geometry, std::shared_ptr<const Trajectory> trajectory,
                     const Rational& share, const Budget& budget);

  // A run begins anew: what was compared is forgotten.
  void begin();
  // Throws BudgetReached.
  void watch(const EnclosedPoint& enclosed, const RunPoint& point);

  const Comparison& comparison() const { return comparison_; }

 private:
  // Fills others and open.
  void compare_tokens(ComparedStep& step, const ExactArray& recorded, const EnclosedPoint& enclosed) const;
  // The token of a group of the geometry whose logit at `recorded` is certainly the largest.
  std::optional<std::size_t> selected(const std::vector<Ball>& recorded, std::size_t group) const;

  const RunGeometry& geometry_;
  std::shared_ptr<const Trajectory> trajectory_;
  const Budget& budget_;
  std::size_t next_ = 0;  // of the trajectory
  Comparison comparison_;
};

}  // namespace attest
