#include "numerics/runs/validated_run.hpp"

#include <algorithm>

#include "numerics/numbers/clock.hpp"
#include "numerics/runs/pilot.hpp"
#include "numerics/runs/precision.hpp"

namespace attest {
namespace {

std::optional<Selection> certain_tokens(const std::vector<std::optional<std::size_t>>& selection) {
  Selection all;
  for (const std::optional<std::size_t>& token : selection) {
    if (!token) return std::nullopt;
    all.push_back(*token);
  }
  return all;
}

// The attempts at a run, until one stands or no other is worth while.
class Attempts {
 public:
  Attempts(const RunTask& task, const RunOptions& options, RunOutcome& outcome)
      : task_(task),
        options_(options),
        outcome_(outcome),
        resume_(options.resume),
        precision_(options.bits, options.precision, resume_ != nullptr ? &resume_->format : nullptr),
        pilot_(task.geometry, task.spec, task.start, task.budget) {}

  // Throws BudgetReached where no step of the attempt at hand stands.
  void run() {
    choose_direction();
    while (attempt()) {
    }
  }

 private:
  // The direction must be known while the run goes on, and the bits it takes: a run in double precision
  // guesses both; a wrong guess costs another attempt.
  void choose_direction() {
    if (task_.geometry.groups.empty()) return;
    const auto stops = [&] { return task_.listener.stops(); };
    const std::uint64_t begun = resume_ != nullptr ? resume_->state.step : 0;
    GrowthProfile growth = pilot_.begin(task_.steps, stops);
    // Where W leaves the numbers there are, the pilot says when, not to the step.
    const std::uint64_t steps =
        pilot_.end() ? std::min(task_.steps, *pilot_.end() + *pilot_.end() / 8 + 2) : task_.steps;
    precision_.expect(std::move(growth), steps, begun);
    pilot_.go_on(begun, task_.steps, stops);
    const auto largest = pilot_.largest_coordinate();
    if (largest && !pilot_.end()) precision_.make_room(*largest);
    solve(resume_ != nullptr ? resume_->record.seen_from : pilot_.selection());
    if (resume_ != nullptr && !resume_->record.directed) outcome_.direction.reset();
  }

  void solve(const Selection& selection) {
    guessed_ = selection;
    const TokenData& data = *task_.geometry.data;
    MarginOptions margin;
    margin.precision_bits = std::max(192L, options_.bits + 64);
    margin.longest_exact_seconds = options_.longest_exact_seconds;
    margin.outer = &task_.budget;
    margin.form = Form::enclosure;  // ties and degenerate data are decided exactly all the same
    outcome_.solution = solve_margin_problem(data, selection, margin);
    outcome_.direction = reference_direction(task_.geometry, selection, *outcome_.solution,
                                             margin.precision_bits + 32, task_.budget);
  }

  // Another attempt; is one more to be made?
  bool attempt() {
    const std::optional<FixedFormat> format = resume_ != nullptr ? resume_->format : precision_.format();
    if (!format) {
      outcome_.verdict = RunVerdict::undecided;
      if (outcome_.reason.empty()) outcome_.reason = "precision";
      outcome_.reason += obstructed_
                             ? "; where it is exactly 0 no bits decide it: another W0, bias or --step may"
                             : "; all steps seem to take more than any number has: a smaller --step, or "
                               "fewer --steps, may do with fewer";
      return false;
    }
    outcome_.format = *format;
    ++outcome_.attempts;
    const ReferenceDirection* direction = outcome_.direction ? &*outcome_.direction : nullptr;
    task_.listener.begin(direction, direction != nullptr ? &*outcome_.solution : nullptr);
    const Clock::time_point began = Clock::now();
    const RunHeading heading{guessed_, direction, [&](std::uint64_t t) { return turns(t, began); }};
    // An attempt after the first one starts over.
    RunAttempt made = follow_run(
        task_, {*format, RunPrecision::stretch, [&](std::uint64_t t) { return precision_.format_at(t); }},
        heading, std::exchange(resume_, nullptr));
    // Another attempt that would not come as far as this one in the time left would only lose what is proved.
    const double left = task_.budget.remaining_seconds();
    no_time_ = task_.budget.stop_requested() || (left >= 0 && left < seconds_since(began));
    outcome_.record = std::move(made.record);
    outcome_.narrower = std::move(made.narrower);
    outcome_.amplification_bits = made.amplification_bits;
    outcome_.selection = std::move(made.selection);
    switch (made.ending) {
      case RunEnding::range:
        return after_range(made);
      case RunEnding::precision:
        return after_precision(made);
      case RunEnding::turned:
        solve(pilot_.selection());
        precision_.keep();
        return true;
      default:
        return after_steps(made);
    }
  }

  // At step t of an attempt: does the run, seen from further ahead, head for another selection, and is there
  // time to begin again?
  bool turns(std::uint64_t t, Clock::time_point began) {
    const auto stops = [&] { return task_.listener.stops(); };
    if (!pilot_.go_on(t, task_.steps, stops) || pilot_.selection() == guessed_) return false;
    const double left = task_.budget.remaining_seconds();
    return outcome_.attempts != options_.max_attempts && !(left >= 0 && left < seconds_since(began));
  }

  bool last_attempt() const { return outcome_.attempts == options_.max_attempts || no_time_; }

  bool after_range(const RunAttempt& made) {
    const std::string cause =
        made.obstacle.empty()
            ? "a coordinate left the " + std::to_string(outcome_.format.integer_bits()) + " integer bits"
            : made.obstacle;
    outcome_.reason = "range: " + cause + " at step " + std::to_string(made.step) + way_on();
    if (!made.obstacle.empty() || last_attempt()) return false;
    precision_.widen();
    return true;
  }

  // Of a run whose W leaves the range.
  std::string way_on() const {
    const std::vector<RunPoint>& seen = outcome_.record.checkpoints;
    if (!task_.spec.rule->uses_loss_gap() || seen.empty()) return "; a smaller --step may keep W within it";
    return "; L - L* is " + std::to_string(seen.back().loss_gap.approx_mid()) + " at step " +
           std::to_string(seen.back().step) +
           " while the gradient vanishes, and steps are as long as their quotient: a smaller --step, or "
           "--optimizer ngd, may keep W within it";
  }

  bool after_precision(const RunAttempt& made) {
    outcome_.reason = "precision: " + std::to_string(outcome_.format.fraction_bits) +
                      " fraction bits do not prove the step from " + std::to_string(outcome_.record.step);
    obstructed_ = !made.obstacle.empty();
    if (obstructed_) outcome_.reason += ": " + made.obstacle + " at step " + std::to_string(made.step);
    if (pilot_.stands_still()) {
      outcome_.reason += ": W moves by less than 2^-1000; a larger --step, or --optimizer ngd, moves it";
      return false;
    }
    if (precision_.is_fixed()) outcome_.reason += "; --precision auto, or more bits, may";
    if (precision_.is_fixed() || last_attempt()) return false;
    if (precision_.refine(made, task_.steps)) return true;
    outcome_.reason = "range: the step from " + std::to_string(outcome_.record.step) +
                      " is beyond every range of numbers" + way_on();
    return false;
  }

  // The last step stands; but the selection it ends with may be another one than was guessed.
  bool after_steps(const RunAttempt& made) {
    const std::optional<Selection> selected = certain_tokens(outcome_.selection);
    const bool cut_short = made.ending == RunEnding::time || made.ending == RunEnding::stopped;
    const bool other_selection = selected && !guessed_.empty() && *selected != guessed_;
    if (other_selection && !cut_short && !no_time_) {
      solve(*selected);
      precision_.keep();
      return true;
    }
    const std::string at_step = "stopped at step " + std::to_string(made.step);
    outcome_.reason.clear();
    outcome_.verdict = made.ending == RunEnding::stationary ? RunVerdict::stationary
                       : made.ending == RunEnding::reached  ? RunVerdict::complete
                                                            : RunVerdict::undecided;
    if (made.ending == RunEnding::stopped) outcome_.reason = "interrupted: " + at_step;
    if (made.ending == RunEnding::time) outcome_.reason = "time: " + at_step;
    if (other_selection && !cut_short) {
      outcome_.verdict = RunVerdict::undecided;
      outcome_.reason = "time: no time is left to see the run from the selection it ends with";
    }
    return false;
  }

  const RunTask& task_;
  const RunOptions& options_;
  RunOutcome& outcome_;
  const SavedRun* resume_;
  RunPrecision precision_;
  Pilot pilot_;
  Selection guessed_;
  bool no_time_ = false;
  bool obstructed_ = false;  // the last attempt, by what bits alone may not move
};

}  // namespace

RunOutcome validated_run(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                         const RunOptions& options, RunListener* listener) {
  const Clock::time_point began = Clock::now();
  const Budget unlimited;
  RunListener silent;
  const RunTask task{geometry,
                     spec,
                     start,
                     options.steps,
                     options.precision == 0 ? std::optional(options.bits) : std::nullopt,
                     options.max_trace_rows,
                     listener != nullptr ? *listener : silent,
                     options.budget != nullptr ? *options.budget : unlimited};
  RunOutcome outcome;
  try {
    Attempts(task, options, outcome).run();
  } catch (const BudgetReached& reached) {  // before the first step, or before that of another attempt
    outcome.verdict = RunVerdict::undecided;
    outcome.reason = reached.reason;
    outcome.record = {};
    outcome.direction.reset();
    outcome.selection.clear();
  }
  outcome.selection.resize(geometry.data->groups());
  outcome.settled = outcome.direction && certain_tokens(outcome.selection) == outcome.direction->selection;
  outcome.seconds = seconds_since(began);
  return outcome;
}

}  // namespace attest
