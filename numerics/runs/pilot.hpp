// A run in double precision ahead of the validated one: where it heads and how much it amplifies errors, so
// that an attempt has the right direction and bits enough. Guesses: a wrong one costs another attempt.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/selection_problem.hpp"
#include "numerics/runs/geometry.hpp"
#include "numerics/runs/growth_profile.hpp"
#include "numerics/runs/optimizer.hpp"
#include "numerics/runs/plain_run.hpp"

namespace attest {

class Pilot {
 public:
  // All of these must outlive the pilot.
  Pilot(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
        const Budget& budget);

  // Its first stretch, at most `steps` of them: as many as take a second or two, so that the validated run
  // begins at once whatever its length. Says how errors grow on it: looked at on some steps, ever rarer ones,
  // and taken to change evenly in between. It ends early when `stop` (asked at every step, may be empty) says
  // so, or when it has taken a tenth of the time left. Throws BudgetReached on a stop that the budget knows
  // of.
  GrowthProfile begin(std::uint64_t steps, const std::function<bool()>& stop);

  // The validated run has come to step t. Where that is as far as this one went it goes on to four times its
  // first stretch, 16 times, ..., the next of these beyond t, at most `steps`: what begins again by it is a
  // third of the run at most, and so is what it takes itself. Did it go on? Ends early and throws as begin().
  bool go_on(std::uint64_t t, std::uint64_t steps, const std::function<bool()>& stop);

  // To step `steps`; ends early and throws as begin() does.
  void run(std::uint64_t steps) { advance(steps, {}, {}); }

  // That the run has at the pilot's step, of all groups of the data.
  Selection selection();
  // The step that it could not go on from: W, or what its next step takes, is beyond double precision there.
  std::optional<std::uint64_t> end() const { return end_; }
  // Have its steps left W where it was, as far as doubles tell?
  bool stands_still() const;
  // Of W's coordinates at the pilot's step; nothing where one is no number.
  std::optional<double> largest_coordinate() const;

 private:
  void advance(std::uint64_t steps, const std::function<bool()>& stop,
               const std::function<void(const PlainRun<double>&)>& visit);

  const RunGeometry& geometry_;
  const OptimizerSpec& spec_;
  const ExactArray& start_;
  const Budget& budget_;
  PlainRun<double> run_;
  std::uint64_t horizon_ = 0;
  std::optional<std::uint64_t> end_;
};

}  // namespace attest
