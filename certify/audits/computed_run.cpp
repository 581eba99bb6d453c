#include "certify/audits/computed_run.hpp"

#include <cmath>
#include <limits>

#include "numerics/numbers/clock.hpp"
#include "numerics/runs/pilot.hpp"
#include "numerics/runs/plain_step.hpp"

namespace attest {
namespace {

TraceRow trace_row(const PlainObservation& seen) {
  return {seen.step,           seen.norm,
          seen.along,          seen.across,
          seen.one_minus_corr, seen.one_minus_corr,
          seen.loss_gap,       seen.gradient_norm,
          seen.max_unselected, -std::numeric_limits<double>::infinity()};
}

template <typename Real>
void follow(PlainRun<Real>& run, const RunGeometry& geometry, const ReferenceDirection* direction,
            const RunRequest& request, AuditWatch& watch, ComputedRun& result) {
  std::uint64_t stride = 1;
  while (request.steps / stride > 20000) stride *= 2;
  for (;;) {
    const std::uint64_t t = run.step();
    try {
      watch.budget().poll();
    } catch (const BudgetReached& reached) {
      result.stopped_by = reached.reason;
    }
    const bool stop = !result.stopped_by.empty();
    const bool checkpoint = is_checkpoint(t, request.steps) || stop;
    if (checkpoint || t % stride == 0) {
      const PlainObservation seen = run.observe(direction);
      if (checkpoint) result.observations.push_back(seen);
      result.trace.push_back(trace_row(seen));
    }
    watch.stepping(t, request.steps);
    if (t >= request.steps || stop) break;
    if (!run.advance()) {
      if (!checkpoint) result.observations.push_back(run.observe(direction));
      break;
    }
  }
  const std::vector<std::size_t> dominating = run.dominating();
  result.selection.assign(geometry.data->groups(), 0);
  for (std::size_t i = 0; i < geometry.groups.size(); ++i)
    result.selection[geometry.groups[i].original] = dominating[i];
}

}  // namespace

ComputedRun computed_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                         const RunRequest& request, AuditWatch& watch) {
  const Budget& budget = watch.budget();
  const Clock::time_point began = Clock::now();
  ComputedRun result;
  Pilot pilot(geometry, spec, start, budget);
  pilot.run(request.steps);
  const Selection selection = pilot.selection();
  std::optional<ReferenceDirection> direction;
  if (!geometry.groups.empty()) {
    MarginOptions margin;
    margin.precision_bits = 192;
    margin.outer = &budget;
    direction = reference_direction(geometry, selection,
                                    solve_margin_problem(*geometry.data, selection, margin), 256, budget);
  }
  const ReferenceDirection* u = direction ? &*direction : nullptr;
  if (request.arithmetic == "double") {
    result.bits = 53;
    PlainRun<double> run(geometry, spec, start, GradientForm::cancellation_free);
    follow(run, geometry, u, request, watch, result);
  } else {
    result.bits = request.precision == "auto" ? 256 : std::stol(request.precision);
    Mpfr::default_precision(static_cast<unsigned>(std::ceil(static_cast<double>(result.bits) * 0.30103)));
    PlainRun<Mpfr> run(geometry, spec, start, GradientForm::cancellation_free);
    follow(run, geometry, u, request, watch, result);
  }
  result.seconds = seconds_since(began);
  return result;
}

}  // namespace attest
