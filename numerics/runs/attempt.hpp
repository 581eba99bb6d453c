// One attempt at a validated run: a trajectory followed with a given number of bits, seen from a given
// direction, until it ends for whatever reason.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "numerics/runs/listener.hpp"

namespace attest {

enum class RunEnding {
  reached,
  stationary,
  precision,
  range,
  time,
  stopped,
  turned  // it heads for another selection than the one it is seen from
};

// From a step on the state had that many fraction bits.
struct RunWidth {
  std::uint64_t step;
  long fraction_bits;
};

struct RunAttempt {
  RunEnding ending = RunEnding::reached;
  bool sharp = true;       // the last enclosure has the correct bits wanted
  std::uint64_t step = 0;  // at which it ended
  double amplification_bits = 0;
  std::string obstacle;  // what stood in the way of a proof, where it is more than precision
  RunRecord record;
  std::vector<RunWidth> narrower;                     // each with fewer bits than the one before
  std::vector<std::optional<std::size_t>> selection;  // per group of the data: certified there
};

// What every attempt at a run has in common. Everything pointed to outlives it.
struct RunTask {
  const RunGeometry& geometry;
  const OptimizerSpec& spec;
  const ExactArray& start;  // W_0, d x e exact entries, row-major; empty: zero
  std::uint64_t steps;
  std::optional<long> least_correct_bits;  // that an attempt must have at every step it speaks about
  std::size_t max_trace_rows;
  RunListener& listener;
  const Budget& budget;
};

// The bits of an attempt: those it begins with, and, looked up at every multiple of `stretch`, those its
// steps from t on take; they never become more.
struct BitsPlan {
  FixedFormat first;
  std::uint64_t stretch;
  std::function<FixedFormat(std::uint64_t)> from;
};

// What an attempt is seen from: the selection it is thought to head for and its direction, null when there is
// none; `turns`, asked at every step, says that it heads elsewhere: the attempt ends there. It may throw
// BudgetReached.
struct RunHeading {
  const Selection& seen_from;
  const ReferenceDirection* direction;
  std::function<bool(std::uint64_t)> turns;
};

// `resume` (may be null): where it goes on from.
RunAttempt follow_run(const RunTask& task, const BitsPlan& bits, const RunHeading& heading,
                      const SavedRun* resume);

}  // namespace attest
