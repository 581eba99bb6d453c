// Who is told how far a long check is. A claim about a run may ask for any number of steps, so no bound of
// the time follows from the certificate's size.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

class Progress {
 public:
  virtual ~Progress() = default;
  // Step `step` of `steps` of a claim, "claim 6 (run)", begins. What this throws ends the check.
  virtual void step(const std::string& claim, std::size_t step, std::size_t steps) = 0;
};

// Ends a check with exit 5 once its time has passed, looked at between steps.
class Deadline : public Progress {
 public:
  explicit Deadline(std::chrono::milliseconds time) : end_(Clock::now() + time) {}
  void step(const std::string& claim, std::size_t, std::size_t) override {
    if (Clock::now() >= end_) too_large("time: " + claim + " is not decided within the limit");
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end_;
};

}  // namespace attest_check
