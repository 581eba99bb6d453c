// What runs share whose states are balls, of fewer and fewer bits: a pilot that tells how errors grow, the
// bits of each step, the loop over the steps and that over attempts, and what is asked and answered of each.
// Mirror descent, training of (K,Q) and joint training bring their iterations and what they observe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/clock.hpp"
#include "numerics/problem/selection_problem.hpp"
#include "numerics/runs/enclosed_point.hpp"
#include "numerics/runs/validated_run.hpp"

namespace attest {

// The tokens that are certain, per group of the data.
using SeenSelection = std::vector<std::optional<std::size_t>>;

// All of `seen` is certain.
bool decided(const SeenSelection& seen);
// It is, and the same as `selection`.
bool settled(const SeenSelection& seen, const Selection& selection);

// No margin of a group's `seen` dominant token is in doubt.
template <class Weights>
bool certainly_dominates(const Weights& seen) {
  for (std::size_t t = 0; t < seen.margin.size(); ++t)
    if (t != seen.dominant && !certainly_positive(seen.margin[t])) return false;
  return true;
}

struct BallRunOptions {
  std::uint64_t steps = 0;
  long bits = 100;     // correct bits at every step
  long precision = 0;  // working bits at every step; 0: as many as it takes
  std::size_t max_trace_rows = 2000;
  const Budget* budget = nullptr;
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

// What accumulates along a run.
template <class Point, class Row>
struct BallRunRecord {
  std::uint64_t step = 0;
  long correct_bits = 1L << 30;
  std::vector<Point> checkpoints;
  std::vector<Row> trace;
  std::uint64_t trace_stride = 1;
};

struct BallRunOutcome {
  RunVerdict verdict = RunVerdict::undecided;
  std::string reason;
  SeenSelection selection;   // at the last step
  std::string proof_reason;  // the last attempt's at a proof, when there is none
  long precision_bits = 0;   // at first; where they fall, fewer and fewer later
  std::size_t attempts = 0;
  double growth_bits = 0, seconds = 0;
};

// Why a run is not followed on data with too many token differences, as bounds of its step's derivative take
// the cube of them: `of` is what is run, `instead` what may be followed.
std::optional<std::string> too_many_differences(const TokenData& data, const std::string& of,
                                                const std::string& instead);

// What becomes of follow(budget, outcome), and how long it took. A budget that is reached leaves the outcome
// undecided.
template <class Outcome, class Follow>
Outcome timed_run(const TokenData& data, const BallRunOptions& options, Follow follow) {
  const Clock::time_point began = Clock::now();
  const Budget unlimited;
  Outcome outcome;
  try {
    follow(options.budget != nullptr ? *options.budget : unlimited, outcome);
  } catch (const BudgetReached& reached) {
    outcome.verdict = RunVerdict::undecided;
    outcome.reason = reached.reason;
  }
  outcome.seconds = seconds_since(began);
  outcome.selection.resize(data.groups());
  return outcome;
}

// How many bits errors grow by, at most, before each multiple of `stride`, and where the run heads: a guess.
struct GrowthPilot {
  static constexpr std::uint64_t stride = 8;
  static constexpr long bits = 128;  // that it works with
  std::vector<double> growth;
  double whole = 0;
  Selection selection;

  // From that step to the last.
  double left_at(std::uint64_t step) const;
};

// Follows `run` through `steps` steps unproved. What it heads for is left to the caller.
template <class Run>
GrowthPilot growth_pilot(Run& run, std::uint64_t steps, const Budget& budget) {
  GrowthPilot pilot;
  while (true) {
    if (run.step() % GrowthPilot::stride == 0) {
      budget.poll();
      pilot.growth.push_back(run.growth_bits());
    }
    if (run.evaluate(GrowthPilot::bits) != IterationStatus::ok || run.step() == steps) break;
    if (run.advance_unproved(GrowthPilot::stride) != IterationStatus::ok) break;
  }
  pilot.whole = run.growth_bits();
  return pilot;
}

// The working bits of an attempt's steps: `fixed` of them, or, when that is 0, those wanted and what errors
// are thought to grow by from there to the end, times `reserve`.
struct StepBits {
  long wanted, fixed;
  double reserve = 1.1;

  long at(const GrowthPilot& pilot, std::uint64_t step) const;
  // At the first step; nothing when no run takes so many.
  std::optional<long> first(const GrowthPilot& pilot) const;
};

// " (at step N)".
std::string at_step(std::uint64_t step);

// Follows `run` until it ends: reached (all steps, or `enough`), stationary, precision, range or time;
// outcome.reason says more of the last. Before each step `evaluate`, then `observe`, which is false where the
// bits do not suffice.
template <class Run, class Options, class Outcome, class Evaluate, class Observe, class Enough>
RunEnding follow_steps(Run& run, const Options& options, const Budget& budget, Outcome& outcome,
                       Evaluate evaluate, Observe observe, Enough enough) {
  try {
    while (true) {
      const IterationStatus status = evaluate();
      if (status == IterationStatus::precision || !observe()) return RunEnding::precision;
      if (status == IterationStatus::range) return RunEnding::range;
      if (status == IterationStatus::stationary) return RunEnding::stationary;
      if (run.step() == options.steps || enough()) return RunEnding::reached;
      budget.poll();
      if (run.step() % 16 == 0 && options.progress) options.progress(run.step(), options.steps);
      if (run.advance() != IterationStatus::ok) return RunEnding::precision;
    }
  } catch (const BudgetReached& reached) {
    outcome.reason = reached.reason + at_step(outcome.record.step);
    return RunEnding::time;
  }
}

// Of an attempt whose steps take the bits that its pilot's errors ask for; says what left the range, and
// calls `finish` unless it ended for want of bits.
template <class Run, class Options, class Outcome, class Observe, class Enough, class Finish>
RunEnding follow_planned(Run& run, const GrowthPilot& pilot, const StepBits& bits, const Options& options,
                         const Budget& budget, Outcome& outcome, Observe observe, Enough enough,
                         Finish finish) {
  const RunEnding ending = follow_steps(
      run, options, budget, outcome, [&] { return run.evaluate(bits.at(pilot, run.step())); }, observe,
      enough);
  outcome.growth_bits = run.growth_bits();
  if (ending == RunEnding::precision) return ending;
  if (ending == RunEnding::range) outcome.reason = "range: " + run.obstacle() + at_step(run.step());
  finish();
  return ending;
}

// The verdict of an attempt that did not end for want of bits.
RunVerdict verdict_of(RunEnding ending);
// What is said of one that did.
std::string too_few_bits(long bits, std::uint64_t step);

// Attempts until one stands, seen from the selection it leads to. `attempt` is given the bits of its steps
// and says how it ended; `head_for` a selection that the next one is seen from. `outcome` says what became of
// the last.
template <class Options, class Outcome, class Attempt, class HeadFor>
void repeat_attempts(GrowthPilot& pilot, const Options& options, Outcome& outcome, Attempt attempt,
                     HeadFor head_for) {
  constexpr std::size_t most_attempts = 8;
  StepBits bits{options.bits, options.precision};
  head_for(pilot.selection);
  while (true) {
    const std::optional<long> first = bits.first(pilot);
    if (!first) {
      outcome.reason = "precision: errors seem to grow by more bits than a run takes";
      return;
    }
    outcome.precision_bits = *first;
    ++outcome.attempts;
    outcome.record = {};
    outcome.proof.reset();
    outcome.proof_reason.clear();
    outcome.reason.clear();
    const RunEnding ending = attempt(bits);
    if (ending == RunEnding::precision) {
      outcome.reason = too_few_bits(outcome.precision_bits, outcome.record.step);
      if (options.precision != 0 || outcome.attempts == most_attempts) return;
      bits.reserve *= 1.3;
      continue;
    }
    outcome.verdict = verdict_of(ending);
    if (ending != RunEnding::reached || !decided(outcome.selection) || outcome.settled() ||
        outcome.attempts == most_attempts)
      return;
    for (std::size_t i = 0; i < pilot.selection.size(); ++i) pilot.selection[i] = *outcome.selection[i];
    head_for(pilot.selection);
  }
}

}  // namespace attest
