// The progress line of a command.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace attest {

// One line on stderr, redrawn a few times a second and wiped at the end.
class ProgressLine {
 public:
  // Nothing is shown unless `wanted` or stderr is a terminal.
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { wipe(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // "guess  42%"
  void stage(std::string_view name, double fraction);
  // "step 1200 of 20000, about 3 s left"
  void step(std::uint64_t step, std::uint64_t steps);
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_, shown_ = false;
  std::uint64_t first_ = 0, latest_ = 0;
  Clock::time_point start_, last_;
};

}  // namespace attest
