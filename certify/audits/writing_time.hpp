// Time that is kept for what comes after a computation.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "numerics/numbers/budget.hpp"

namespace attest {

// Called when the input is read, with the budget that began before: hash and certificate of the same data
// take about twice as long. The budget of what is computed until then, which leaves that time, or half of
// what is left. Nothing where there is no limit, or reading took less than a hundredth of it.
inline std::optional<Budget> without_writing(const Budget& whole) {
  const double left = whole.remaining_seconds(), reading = whole.elapsed_seconds();
  if (left <= 0 || reading < 0.01 * (left + reading)) return std::nullopt;
  const double computing = std::max(left - 2 * reading, left / 2);
  return Budget(std::ceil(100 * computing) / 100, 0, {}, &whole);
}

}  // namespace attest
