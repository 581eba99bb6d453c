// Schedules: the step sizes eta_t of a run, decreasing in t.
#pragma once

#include "proofs/checker/base/interval.hpp"

namespace attest_check {

// Places in the registry (runs/schedule.cpp).
enum class Schedule { constant, inverse, inverse_root };
inline constexpr const char* schedule_names[] = {"constant", "inverse", "invsqrt"};

struct ScheduleLaw {
  // eta_t, from eta_0 and t + 1.
  Interval (*size)(const Interval& first, const Interval& count, unsigned bits);
  // At most the sum of so many step sizes after eta_t, from eta_0 and t + 1; encloses a number not below it.
  Interval (*total)(const Interval& first, const Interval& count, long steps);
};
const ScheduleLaw& schedule_law(Schedule schedule);

}  // namespace attest_check
