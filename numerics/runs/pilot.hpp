// A run in double precision ahead of the validated one: where it ends and how much it amplifies errors, so
// that the first attempt has the right direction and bits enough. Guesses: a wrong one costs another attempt.
#pragma once

#include <cstdint>
#include <functional>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/selection_problem.hpp"
#include "numerics/runs/geometry.hpp"
#include "numerics/runs/growth_profile.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

struct Pilot {
  Selection selection;  // that the run ends with, of all groups of the data
  GrowthProfile growth;
};

// It ends early when `stop` (asked at every step, may be empty) says so, or when it has taken a tenth of the
// time left. The growth is looked at on some steps, ever rarer ones, and taken to change evenly in between.
// Throws BudgetReached on a stop that the budget knows of.
Pilot pilot_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                std::uint64_t steps, const std::function<bool()>& stop, const Budget& budget);

}  // namespace attest
