// What the program attest-check owes whoever waits for it: an end after a given time, and a line that shows
// how far it is. Part of the program, not of the library: there is one terminal and one alarm of a process.
#pragma once

#include <chrono>
#include <optional>

#include "proofs/checker/base/progress.hpp"

namespace attest_check {

// "claim 6 (run): step 1200 of 20000" on standard error when that is a terminal, a few times a second.
class Terminal : public Progress {
 public:
  Terminal();
  ~Terminal() override { wipe(); }
  void step(const std::string& claim, std::size_t step, std::size_t steps) override;
  // Leaves a clean line to a last message.
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;
  const bool enabled_;
  Clock::time_point last_ = Clock::now();
};

// While it lives the program ends with exit 5 and a message once that many seconds (of the clock on the wall)
// have passed, whatever it does. One at a time.
class TimeLimit {
 public:
  explicit TimeLimit(unsigned seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

// Ends the program with exit 5 and the reason, after a clean line.
[[noreturn]] void end_for_want(const char* why);

}  // namespace attest_check
