#include "numerics/runs/attempt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "numerics/numbers/clock.hpp"
#include "numerics/runs/path_inequality.hpp"
#include "numerics/runs/rate_shapes.hpp"

namespace attest {
namespace {

double log2_of(mag_srcptr value) {
  if (mag_is_zero(value)) return -std::numeric_limits<double>::infinity();
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
  thin_trace(record.trace, record.trace_stride, most, [](const TraceRow& old) { return old.step; });
}

RunEnding ending_of(const BudgetReached& reached) {
  return reached.reason.starts_with("interrupted") ? RunEnding::stopped : RunEnding::time;
}

std::vector<std::optional<std::size_t>> certified_selection(const EnclosedPoint& run) {
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

class Follower {
 public:
  Follower(const RunTask& task, const BitsPlan& bits, const RunHeading& heading, const SavedRun* resume)
      : task_(task),
        bits_(bits),
        heading_(heading),
        format_(bits.first),
        direction_(heading.direction),
        resume_(resume),
        saves_(task.listener.saves()),
        run_(make_iteration({task.geometry, task.spec, task.start, format_, &task.budget})) {
    observer_.emplace(*run_, direction_);
    attempt_.record.shapes = rate_shapes();
    attempt_.record.seen_from = heading.seen_from;
    attempt_.record.directed = direction_ != nullptr;
  }

  RunAttempt follow() {
    if (resume_ != nullptr) {
      if (run_->restore(resume_->state) != IterationStatus::ok) {
        attempt_.ending = RunEnding::range;
        return std::move(attempt_);
      }
      attempt_.record = resume_->record;
    }
    while (drop_bits() && evaluate() && observe() && !ends_here() && !turns() && advance()) {
    }
    if (broken_off_) {  // in the middle of a step: the last whole one stands
      attempt_.ending = *broken_off_;
      if (saves_ && observed_) task_.listener.save(state_format_, state_, attempt_.record, true);
    }
    // The last step observed is a checkpoint, whatever ended the run there: what was proved stands.
    std::vector<RunPoint>& checkpoints = attempt_.record.checkpoints;
    if (observed_ && point_.step == attempt_.record.step) {
      if (checkpoints.empty() || checkpoints.back().step < point_.step) checkpoints.push_back(point_);
      if (attempt_.selection.empty() && direction_ != nullptr)
        attempt_.selection = majorities(task_.geometry, point_, attempt_.record.seen_from);
    }
    attempt_.step = broken_off_ ? attempt_.record.step : run_->step();
    attempt_.amplification_bits = amplification_bits_ + run_->amplification_bits();
    return std::move(attempt_);
  }

 private:
  // Each of the following but ends_here() and turns() is false when the attempt ends with it.

  // What errors of the steps to come do not need is left out of the state.
  bool drop_bits() {
    const std::uint64_t t = run_->step();
    if (t == 0 || t % bits_.stretch != 0) return true;
    const FixedFormat planned = bits_.from(t);
    const FixedFormat format =
        format_of(planned.fraction_bits, std::max(planned.integer_bits(), format_.integer_bits()));
    if (format.limbs >= format_.limbs || !go_on_in(format)) return !broken_off_;
    attempt_.narrower.push_back({t, format.fraction_bits});
    return true;
  }

  // A number left the range: the run goes on from where it stands with twice the integer bits. False where
  // that does not help or is not offered; the attempt then ends.
  bool widen() {
    if (!run_->point().obstacle().empty()) return false;
    const FixedFormat format{format_.limbs + static_cast<std::size_t>((format_.integer_bits() + 63) / 64),
                             format_.fraction_bits};
    return format.limbs <= max_fixed_limbs && go_on_in(format);
  }

  // False where the state has no such form: the run is as it was, or is broken off.
  bool go_on_in(FixedFormat format) {
    const std::optional<Iteration::State> state = run_->state_in(format);
    if (!state) return false;
    try {
      std::unique_ptr<Iteration> other =
          make_iteration({task_.geometry, task_.spec, task_.start, format, &task_.budget});
      if (other->restore(*state) != IterationStatus::ok) return false;
      amplification_bits_ += run_->amplification_bits();
      run_ = std::move(other);
    } catch (const BudgetReached& reached) {
      broken_off_ = ending_of(reached);
      return false;
    }
    format_ = format;
    observer_.emplace(*run_, direction_);
    return true;
  }

  bool evaluate() {
    try {
      do {
        status_ = run_->evaluate();
      } while (status_ == IterationStatus::range && widen());
    } catch (const BudgetReached& reached) {
      broken_off_ = ending_of(reached);
    }
    if (broken_off_) return false;
    if (status_ == IterationStatus::range) {
      attempt_.ending = RunEnding::range;
      attempt_.obstacle = run_->point().obstacle();
    }
    if (status_ == IterationStatus::precision) {
      attempt_.ending = RunEnding::precision;
      attempt_.obstacle = run_->point().obstacle();
    }
    return status_ != IterationStatus::range && status_ != IterationStatus::precision;
  }

  bool observe() {
    const std::uint64_t t = run_->step();
    std::swap(point_, previous_);
    observer_->observe(point_, true);
    const PathPoint place = path_point(point_, run_->point().precision());
    const bool recorded = resume_ != nullptr && t <= resume_->record.step;
    if (!recorded && !record(place)) {
      std::swap(point_, previous_);
      return false;
    }
    previous_place_ = place;
    path_constant_.reset();
    if (direction_ != nullptr && is_checkpoint(t, task_.steps))
      path_constant_ = task_.listener.path_constant(*observer_, point_);
    observed_ = true;
    return true;
  }

  // Takes the point in, if there are bits enough to speak about it.
  bool record(const PathPoint& place) {
    RunRecord& record = attempt_.record;
    const std::uint64_t t = run_->step();
    const long correct_bits = t > 0 ? observer_->correct_bits(point_) : record.correct_bits;
    if (task_.least_correct_bits && correct_bits < *task_.least_correct_bits) {
      attempt_.ending = RunEnding::precision;
      attempt_.sharp = false;
      return false;
    }
    record.step = t;
    if (t > 0) record_step(place, correct_bits);
    record_trace(record, point_, run_->point().radius(), task_.max_trace_rows);
    try {
      task_.listener.watch(run_->point(), *observer_, point_);
    } catch (const BudgetReached& reached) {  // the step itself is whole and ends the run
      ended_by_ = ending_of(reached);
    }
    if (is_checkpoint(t, task_.steps) || status_ == IterationStatus::stationary ||
        task_.listener.keeps(point_)) {
      record.checkpoints.push_back(point_);
    }
    return true;
  }

  void record_step(const PathPoint& place, long correct_bits) {
    RunRecord& record = attempt_.record;
    record.correct_bits = std::min(record.correct_bits, correct_bits);
    if (direction_ != nullptr) {
      record_rate(record.shapes, point_.step, std::max(0.0, point_.one_minus_corr.lower_double()),
                  point_.one_minus_corr.upper_double());
    }
    if (!observed_) return;
    const std::uint64_t from = point_.step - 1;
    if (!record.first_loss_increase && !certainly_less(point_.loss_gap, previous_.loss_gap))
      record.first_loss_increase = from;
    if (direction_ == nullptr) return;
    const auto needed = record_path(record.path, from, previous_place_, place, run_->point().precision());
    if (needed && path_constant_) record.path.steps.push_back({from, *path_constant_, *needed});
  }

  bool ends_here() {
    const std::uint64_t t = run_->step();
    // A step that would not end in time is not begun: better a whole one less than one broken off.
    const double left = task_.budget.remaining_seconds();
    const bool late = left >= 0 && left <= last_step_seconds_;
    const bool stopped =
        ended_by_ == RunEnding::stopped || task_.budget.stop_requested() || task_.listener.stops();
    last_step_seconds_ = seconds_since(step_began_);
    step_began_ = Clock::now();
    if (saves_ && t % Iteration::refresh_period == 0) {
      state_ = run_->save();
      state_format_ = format_;
    }
    const bool stationary = status_ == IterationStatus::stationary, reached = t >= task_.steps;
    if (!stationary && !reached && !late && !stopped && !ended_by_) return false;
    attempt_.ending = stationary ? RunEnding::stationary
                      : reached  ? RunEnding::reached
                      : stopped  ? RunEnding::stopped
                                 : RunEnding::time;
    if (saves_ && !stationary && !reached) task_.listener.save(state_format_, state_, attempt_.record, true);
    attempt_.selection = certified_selection(run_->point());
    task_.listener.last(*observer_, point_);
    return true;
  }

  bool turns() {
    try {
      if (!heading_.turns(run_->step())) return false;
      attempt_.ending = RunEnding::turned;
    } catch (const BudgetReached& reached) {
      broken_off_ = ending_of(reached);
    }
    return true;
  }

  bool advance() {
    const std::uint64_t t = run_->step();
    if (saves_ && t % Iteration::refresh_period == 0)
      task_.listener.save(state_format_, state_, attempt_.record, false);
    task_.listener.progress(t, task_.steps);
    IterationStatus moved = IterationStatus::ok;
    try {
      moved = run_->advance();
      while (moved == IterationStatus::range && widen()) {
        if (!evaluate()) return false;
        moved = run_->advance();
      }
    } catch (const BudgetReached& reached) {
      broken_off_ = ending_of(reached);
    }
    if (broken_off_) return false;
    if (moved == IterationStatus::ok) return true;
    attempt_.ending = moved == IterationStatus::range ? RunEnding::range : RunEnding::precision;
    attempt_.obstacle = run_->point().obstacle();
    const bool evaluated = moved == IterationStatus::precision || !attempt_.obstacle.empty();
    if (evaluated) attempt_.selection = certified_selection(run_->point());
    return false;
  }

  const RunTask& task_;
  const BitsPlan& bits_;
  const RunHeading& heading_;
  FixedFormat format_;  // of run_
  const ReferenceDirection* direction_;
  const SavedRun* resume_;
  bool saves_;
  std::unique_ptr<Iteration> run_;
  std::optional<RunObserver> observer_;  // of run_
  double amplification_bits_ = 0;        // before its bits were dropped last
  RunAttempt attempt_;
  IterationStatus status_ = IterationStatus::ok;
  Iteration::State state_;  // the last one that can be resumed exactly
  FixedFormat state_format_;
  RunPoint point_, previous_;
  PathPoint previous_place_;
  std::optional<Ball> path_constant_;  // at the previous step
  bool observed_ = false;
  std::optional<RunEnding> ended_by_;    // the budget, with a whole step
  std::optional<RunEnding> broken_off_;  // by the budget, in the middle of one
  Clock::time_point step_began_ = Clock::now();
  double last_step_seconds_ = 0;
};

}  // namespace

RunAttempt follow_run(const RunTask& task, const BitsPlan& bits, const RunHeading& heading,
                      const SavedRun* resume) {
  return Follower(task, bits, heading, resume).follow();
}

}  // namespace attest
