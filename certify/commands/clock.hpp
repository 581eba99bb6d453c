// The time of one command: a budget that a limit or a signal ends, and the last resort behind it.
#pragma once

#include <string>

#include "certify/process/stop_on_signal.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

enum class AnswerShape {
  text,
  object,  // --json: {"verdict": "undecided", "reason": ...}
  list,    // --json of a command that answers with a list: an empty one
};

// What a command prints when it is stopped before anything is proved.
std::string undecided_answer(AnswerShape shape, const std::string& reason);

// Made first thing by a command, so that reading counts. SIGINT and SIGTERM end the command as its limit
// does.
class CommandClock {
 public:
  CommandClock(double time_limit_seconds, AnswerShape shape);

  const Budget& budget() const { return budget_; }
  // Something is proved that a last resort would lose: it waits ten seconds.
  void something_is_proved() { last_resort_.extend(10, 10); }
  // The computation is over; what is left is to write.
  void answering() { last_resort_.disarm(); }
  // Prints that the command stopped with nothing proved; the exit status is exit_undecided.
  int unfinished(const BudgetReached& reached);

 private:
  AnswerShape shape_;
  StopOnSignal guard_;
  Budget budget_;
  LastResort last_resort_;
};

}  // namespace attest
