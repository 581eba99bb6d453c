#include "certify/commands/clock.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "certify/commands/command.hpp"

namespace attest {
namespace {

// How long a command may take to end by itself: inside the promised second or tenth of the limit.
double after_limit(double time_limit_seconds) {
  return std::max(0.8, 0.08 * time_limit_seconds);
}
constexpr double after_signal = 1;

}  // namespace

std::string undecided_answer(AnswerShape shape, const std::string& reason) {
  if (shape == AnswerShape::list) return "[]\n";
  if (shape == AnswerShape::text) return "c " + reason + "\ns UNDECIDED\n";
  const nlohmann::ordered_json value{{"verdict", "undecided"}, {"reason", reason}};
  return value.dump(2) + "\n";
}

CommandClock::CommandClock(double time_limit_seconds, AnswerShape shape)
    : shape_(shape),
      budget_(time_limit_seconds, 0),
      last_resort_(time_limit_seconds, after_limit(time_limit_seconds), after_signal,
                   undecided_answer(shape, "time: the limit was reached in the middle of a computation"),
                   undecided_answer(shape, "interrupted: stopped in the middle of a computation")) {
  budget_.stop_when(StopOnSignal::requested);
}

int CommandClock::unfinished(const BudgetReached& reached) {
  answering();
  std::fprintf(stderr, "attest: %s\n", reached.reason.c_str());
  std::fputs(undecided_answer(shape_, reached.reason).c_str(), stdout);
  return exit_undecided;
}

}  // namespace attest
