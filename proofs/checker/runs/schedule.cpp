// The registry of schedules.
#include "proofs/checker/runs/schedule.hpp"

namespace attest_check {
namespace {

constexpr ScheduleLaw laws[] = {
    {[](const Interval& first, const Interval&, unsigned) { return first; },
     [](const Interval& first, const Interval&, long steps) { return first * Interval(steps); }},
    {[](const Interval& first, const Interval& count, unsigned) { return first / count; },
     [](const Interval& first, const Interval& count, long steps) {
       return first * logarithm((count + Interval(steps)) / count);
     }},
    {[](const Interval& first, const Interval& count, unsigned bits) {
       return first / square_root(count * Interval::between(1, 1, 0, bits));
     },
     [](const Interval& first, const Interval& count, long steps) {
       return Interval(2) * first * (square_root(count + Interval(steps)) - square_root(count));
     }},
};

}  // namespace

const ScheduleLaw& schedule_law(Schedule schedule) {
  return laws[static_cast<std::size_t>(schedule)];
}

}  // namespace attest_check
