// The progress line of a run.
#pragma once

#include <chrono>
#include <cstdint>

namespace attest {

// "step 1200 of 20000, about 3 s left" on stderr, redrawn at most five times a second, wiped at the end.
class RunProgress {
 public:
  // Nothing is shown unless `wanted` or stderr is a terminal.
  explicit RunProgress(bool wanted);
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  void show(std::uint64_t step, std::uint64_t steps);

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_, shown_ = false;
  std::uint64_t first_ = 0, latest_ = 0;
  Clock::time_point start_, last_;
};

}  // namespace attest
