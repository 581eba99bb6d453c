#include "numerics/runs/validated_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "numerics/runs/path_inequality.hpp"
#include "numerics/runs/plain_run.hpp"
#include "numerics/runs/rate_shapes.hpp"

namespace attest {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A run may be asked for far more steps than it takes until a theorem settles the rest.
constexpr std::uint64_t most_guessed_steps = 100000;

double log2_of(mag_srcptr value) {
  if (mag_is_zero(value)) return -INFINITY;
  Magnitude mantissa;
  mag_set(mantissa, value);
  fmpz_zero(MAG_EXPREF(static_cast<mag_ptr>(mantissa)));
  return std::log2(mag_get_d(mantissa)) + fmpz_get_d(MAG_EXPREF(value));
}

void record_trace(RunRecord& record, const RunPoint& point, mag_srcptr radius, std::size_t most) {
  if (point.step % record.trace_stride != 0) return;
  TraceRow row;
  row.step = point.step;
  row.norm = point.norm.approx_mid();
  row.along = point.along.approx_mid();
  row.across = point.across.approx_mid();
  row.one_minus_corr_lo = std::max(0.0, point.one_minus_corr.lower_double());
  row.one_minus_corr_hi = point.one_minus_corr.upper_double();
  row.loss_gap = point.loss_gap.approx_mid();
  row.gradient_norm = point.gradient_norm.approx_mid();
  row.max_unselected = point.max_unselected.approx_mid();
  row.log2_radius = log2_of(radius);
  record.trace.push_back(row);
  if (record.trace.size() <= most) return;
  record.trace_stride *= 2;
  std::erase_if(record.trace, [&](const TraceRow& old) { return old.step % record.trace_stride != 0; });
}

enum class Ending { reached, stationary, precision, range, time, stopped };

Ending ending_of(const BudgetReached& reached) {
  return reached.reason.starts_with("interrupted") ? Ending::stopped : Ending::time;
}

struct Attempt {
  Ending ending = Ending::reached;
  bool sharp = true;  // the last enclosure has the correct bits wanted
  std::uint64_t step = 0;
  double amplification_bits = 0;
  RunRecord record;
  std::vector<std::optional<std::size_t>> selection;
};

std::vector<std::optional<std::size_t>> certified_selection(const Trajectory& run) {
  const RunGeometry& geometry = run.geometry();
  std::vector<std::optional<std::size_t>> selection(geometry.data->groups(), std::size_t{0});
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    std::optional<std::size_t>& token = selection[geometry.groups[i].original];
    token.reset();
    if (run.dominates(i)) token = run.reference()[i];
  }
  return selection;
}

// The tokens of `selection` that certainly hold more than half of their groups' attention.
std::vector<std::optional<std::size_t>> majorities(const RunGeometry& geometry, const RunPoint& point,
                                                   const Selection& selection) {
  std::vector<std::optional<std::size_t>> tokens(geometry.data->groups(), std::size_t{0});
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const std::size_t group = geometry.groups[i].original;
    tokens[group].reset();
    if (certainly_less(point.unselected[i], Ball(0.5))) tokens[group] = selection[group];
  }
  return tokens;
}

Attempt follow(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
               const RunOptions& options, RunListener& listener, FixedFormat format,
               const Selection& seen_from, const ReferenceDirection* direction, const SavedRun* resume,
               const Budget& budget) {
  Attempt attempt;
  Trajectory run(geometry, spec, start, format, &budget);
  const RunObserver observer(run, direction);
  attempt.record.shapes = rate_shapes();
  attempt.record.seen_from = seen_from;
  attempt.record.directed = direction != nullptr;
  if (resume != nullptr) {
    if (run.restore(resume->state) != TrajectoryStatus::ok) {
      attempt.ending = Ending::range;
      return attempt;
    }
    attempt.record = resume->record;
  }
  const bool saves = listener.saves();
  Trajectory::State state;  // the last one that can be resumed exactly
  RunPoint point, previous;
  PathPoint previous_place;
  std::optional<Ball> path_constant;  // at the previous step
  bool observed = false;
  std::optional<Ending> ended;  // by the budget
  Clock::time_point step_began = Clock::now();
  double last_step_seconds = 0;
  for (;;) {
    TrajectoryStatus status = TrajectoryStatus::ok;
    try {
      status = run.evaluate();
    } catch (const BudgetReached& reached) {
      ended = ending_of(reached);
      break;
    }
    if (status == TrajectoryStatus::precision || status == TrajectoryStatus::range) {
      attempt.ending = status == TrajectoryStatus::range ? Ending::range : Ending::precision;
      break;
    }
    const std::uint64_t t = run.step();
    std::swap(point, previous);
    observer.observe(point, true);
    const bool recorded = resume != nullptr && t <= resume->record.step;
    const PathPoint place = path_point(point, run.precision());
    if (!recorded) {
      RunRecord& record = attempt.record;
      const long correct_bits = t > 0 ? observer.correct_bits(point) : record.correct_bits;
      if (correct_bits < options.bits && options.precision == 0) {  // not a step to speak about
        attempt.ending = Ending::precision;
        attempt.sharp = false;
        std::swap(point, previous);
        break;
      }
      record.step = t;
      if (t > 0) {
        record.correct_bits = std::min(record.correct_bits, correct_bits);
        if (direction != nullptr) {
          record_rate(record.shapes, t, std::max(0.0, point.one_minus_corr.lower_double()),
                      point.one_minus_corr.upper_double());
        }
        if (observed && !record.first_loss_increase && !certainly_less(point.loss_gap, previous.loss_gap)) {
          record.first_loss_increase = t - 1;
        }
        if (observed && direction != nullptr) {
          const auto needed = record_path(record.path, t - 1, previous_place, place, run.precision());
          if (needed && path_constant) record.path.steps.push_back({t - 1, *path_constant, *needed});
        }
      }
      record_trace(record, point, run.radius(), options.max_trace_rows);
      try {
        listener.watch(run, observer, point);
      } catch (const BudgetReached& reached) {  // the step itself is whole and ends the run
        ended = ending_of(reached);
      }
      if (is_checkpoint(t, options.steps) || status == TrajectoryStatus::stationary ||
          listener.keeps(point)) {
        record.checkpoints.push_back(point);
      }
    }
    previous_place = place;
    path_constant.reset();
    if (direction != nullptr && is_checkpoint(t, options.steps))
      path_constant = listener.path_constant(observer, point);
    observed = true;
    // A step that would not end in time is not begun: better a whole one less than one broken off.
    const double left = budget.remaining_seconds();
    const bool late = left >= 0 && left <= last_step_seconds;
    const bool stopped = ended == Ending::stopped || budget.stop_requested() || listener.stops();
    last_step_seconds = seconds_since(step_began);
    step_began = Clock::now();
    if (saves && t % Trajectory::refresh_period == 0) state = run.save();
    if (status == TrajectoryStatus::stationary || t >= options.steps || late || stopped || ended) {
      attempt.ending = status == TrajectoryStatus::stationary ? Ending::stationary
                       : t >= options.steps                   ? Ending::reached
                       : stopped                              ? Ending::stopped
                                                              : Ending::time;
      const bool cut_short = attempt.ending == Ending::stopped || attempt.ending == Ending::time;
      if (saves && cut_short) listener.save(format, state, attempt.record, true);
      attempt.selection = certified_selection(run);
      listener.last(observer, point);
      ended.reset();
      break;
    }
    if (saves && t % Trajectory::refresh_period == 0) listener.save(format, state, attempt.record, false);
    listener.progress(t, options.steps);
    TrajectoryStatus moved = TrajectoryStatus::ok;
    try {
      moved = run.advance();
    } catch (const BudgetReached& reached) {
      ended = ending_of(reached);
      break;
    }
    if (moved != TrajectoryStatus::ok) {
      attempt.ending = moved == TrajectoryStatus::range ? Ending::range : Ending::precision;
      if (moved == TrajectoryStatus::precision) attempt.selection = certified_selection(run);
      break;
    }
  }
  if (ended) {  // in the middle of a step: the last whole one stands
    attempt.ending = *ended;
    if (saves && observed) listener.save(format, state, attempt.record, true);
  }
  // The last step observed is a checkpoint, whatever ended the run there: what was proved stands.
  std::vector<RunPoint>& checkpoints = attempt.record.checkpoints;
  if (observed && point.step == attempt.record.step) {
    if (checkpoints.empty() || checkpoints.back().step < point.step) checkpoints.push_back(point);
    if (attempt.selection.empty() && direction != nullptr)
      attempt.selection = majorities(geometry, point, seen_from);
  }
  attempt.step = ended ? attempt.record.step : run.step();
  attempt.amplification_bits = run.amplification_bits();
  return attempt;
}

std::optional<Selection> decided(const std::vector<std::optional<std::size_t>>& selection) {
  Selection all;
  for (const std::optional<std::size_t>& token : selection) {
    if (!token) return std::nullopt;
    all.push_back(*token);
  }
  return all;
}

FixedFormat format_for(long fraction_bits, long integer_bits) {
  const long limbs = (fraction_bits + integer_bits + 63) / 64;
  return {static_cast<std::size_t>(limbs), 64 * limbs - integer_bits};
}

// The attempts at a run. Throws BudgetReached where no step of the attempt at hand stands.
void follow_with_enough_bits(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                             const RunOptions& options, RunListener& listener, const Budget& budget,
                             RunOutcome& outcome) {
  long fraction_bits = options.precision > 0 ? options.precision : options.bits + 52;
  long integer_bits = 32;
  const SavedRun* resume = options.resume;  // an attempt after the first one starts over
  if (resume != nullptr) {
    fraction_bits = resume->format.fraction_bits;
    integer_bits = resume->format.integer_bits();
  }

  // The direction must be known while the run goes on: guess the final selection in double precision first; a
  // wrong guess costs a second run.
  Selection guessed;
  const auto solve = [&](const Selection& selection) {
    guessed = selection;
    MarginOptions margin;
    margin.precision_bits = std::max(192L, options.bits + 64);
    margin.outer = &budget;
    margin.form = Form::enclosure;
    outcome.solution = solve_margin_problem(*geometry.data, selection, margin);
    if (!outcome.solution->exact && !outcome.solution->enclosed) {
      margin.form = Form::automatic;  // ties and degenerate data are decided exactly
      outcome.solution = solve_margin_problem(*geometry.data, selection, margin);
    }
    outcome.direction =
        reference_direction(geometry, selection, *outcome.solution, margin.precision_bits + 32, budget);
  };
  if (!geometry.groups.empty()) {
    solve(resume != nullptr ? resume->record.seen_from
                            : guess_selection(
                                  geometry, spec, start, std::min(options.steps, most_guessed_steps),
                                  [&] { return listener.stops(); }, budget));
    if (resume != nullptr && !resume->record.directed) outcome.direction.reset();
  }

  std::uint64_t stuck_at = 0;  // the step at which the last attempt failed although its enclosure was sharp
  for (;;) {
    const FixedFormat format = format_for(fraction_bits, integer_bits);
    if (format.limbs > max_fixed_limbs) {
      outcome.verdict = RunVerdict::undecided;
      if (outcome.reason.empty()) outcome.reason = "precision";
      break;
    }
    outcome.format = format;
    ++outcome.attempts;
    listener.begin(outcome.direction ? &*outcome.direction : nullptr,
                   outcome.direction ? &*outcome.solution : nullptr);
    const Clock::time_point began = Clock::now();
    Attempt attempt = follow(geometry, spec, start, options, listener, format, guessed,
                             outcome.direction ? &*outcome.direction : nullptr, resume, budget);
    resume = nullptr;
    outcome.record = std::move(attempt.record);
    outcome.amplification_bits = attempt.amplification_bits;
    outcome.selection = std::move(attempt.selection);
    // Another attempt that would not come as far as this one in the time left would only lose what is proved.
    const double left = budget.remaining_seconds();
    const bool no_time = budget.stop_requested() || (left >= 0 && left < seconds_since(began));
    const bool last_attempt = outcome.attempts == options.max_attempts || no_time;
    if (attempt.ending == Ending::range) {
      outcome.reason = "range: a coordinate left the " + std::to_string(integer_bits) +
                       " integer bits at step " + std::to_string(attempt.step);
      if (last_attempt) break;
      integer_bits *= 2;
      fraction_bits = format.fraction_bits;
      continue;
    }
    if (attempt.ending == Ending::precision) {
      outcome.reason = "precision: " + std::to_string(format.fraction_bits) +
                       " fraction bits do not prove the step from " + std::to_string(outcome.record.step);
      if (options.precision > 0 || last_attempt) break;
      // More bits do not help a step that fails with a sharp enclosure twice: its numbers are beyond all
      // range.
      const bool sharp = attempt.sharp && attempt.step > 0;
      if (sharp && stuck_at == attempt.step) {
        outcome.reason = "range: the step from " + std::to_string(outcome.record.step) +
                         " is beyond every range of numbers";
        break;
      }
      stuck_at = sharp ? attempt.step : 0;
      // What the amplification so far suggests for the whole run, but at least a quarter and one word more,
      // and at most four times.
      const double whole = attempt.amplification_bits * static_cast<double>(options.steps) /
                           static_cast<double>(std::max<std::uint64_t>(attempt.step, 1));
      const long predicted = options.bits + 60 + static_cast<long>(std::min(whole, 1e6));
      fraction_bits = std::clamp(predicted, format.fraction_bits + std::max(64L, format.fraction_bits / 4),
                                 4 * format.fraction_bits);
      continue;
    }
    const std::optional<Selection> selected = decided(outcome.selection);
    const bool cut_short = attempt.ending == Ending::time || attempt.ending == Ending::stopped;
    const bool other_selection = selected && !guessed.empty() && *selected != guessed;
    if (other_selection && !cut_short && !no_time) {
      solve(*selected);
      fraction_bits = format.fraction_bits;
      continue;
    }
    outcome.reason.clear();
    outcome.verdict = attempt.ending == Ending::stationary ? RunVerdict::stationary
                      : attempt.ending == Ending::reached  ? RunVerdict::complete
                                                           : RunVerdict::undecided;
    if (attempt.ending == Ending::stopped) {
      outcome.reason = "interrupted: stopped at step " + std::to_string(attempt.step);
    }
    if (other_selection && !cut_short) {
      outcome.verdict = RunVerdict::undecided;
      outcome.reason = "time: no time is left to see the run from the selection it ends with";
    }
    if (attempt.ending == Ending::time)
      outcome.reason = "time: stopped at step " + std::to_string(attempt.step);
    break;
  }
}

}  // namespace

bool is_checkpoint(std::uint64_t t, std::uint64_t last) {
  if (t == 0 || t == last) return true;
  while (t % 10 == 0) t /= 10;
  return t == 1 || t == 2 || t == 5;
}

RunOutcome validated_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                         const RunOptions& options, RunListener* listener) {
  const Clock::time_point began = Clock::now();
  const Budget unlimited;
  const Budget& budget = options.budget != nullptr ? *options.budget : unlimited;
  RunListener silent;
  RunOutcome outcome;
  try {
    follow_with_enough_bits(geometry, spec, start, options, listener != nullptr ? *listener : silent, budget,
                            outcome);
  } catch (const BudgetReached& reached) {  // before the first step, or before that of another attempt
    outcome.verdict = RunVerdict::undecided;
    outcome.reason = reached.reason;
    outcome.record = {};
    outcome.direction.reset();
    outcome.selection.clear();
  }
  outcome.selection.resize(geometry.data->groups());
  outcome.settled = outcome.direction && decided(outcome.selection) == outcome.direction->selection;
  outcome.seconds = seconds_since(began);
  return outcome;
}

}  // namespace attest
