// Time and memory budgets, polled inside every long loop.
//
// A budget is an object handed down, never a global. Long loops call poll(); code about to allocate a large block
// calls reserve() with the predicted size. Reaching a limit unwinds to the solver's entry, which answers "undecided"
// with the reason; nothing else ever catches BudgetReached.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace attest {

// What stopped the computation: "time" or "memory", with detail after a colon.
struct BudgetReached {
  std::string reason;
};

class Budget {
 public:
  using Progress = std::function<void(std::string_view stage, double fraction)>;

  Budget() = default;
  // Limits of 0 mean none. The clock starts now.
  Budget(double time_limit_seconds, std::size_t memory_limit_bytes, Progress progress = {})
      : time_limit_seconds_(time_limit_seconds),
        memory_limit_bytes_(memory_limit_bytes),
        progress_(std::move(progress)) {}

  double elapsed_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  // Seconds left, or a negative number when there is no limit.
  double remaining_seconds() const {
    if (time_limit_seconds_ <= 0) return -1;
    const double left = time_limit_seconds_ - elapsed_seconds();
    return left > 0 ? left : 0;
  }

  // Throws BudgetReached when the time limit has passed.
  void poll() const {
    if (time_limit_seconds_ > 0 && elapsed_seconds() > time_limit_seconds_) {
      throw BudgetReached{"time: limit of " + std::to_string(time_limit_seconds_) + " s reached"};
    }
  }

  // Throws BudgetReached when a block of `bytes` beside the rest of the computation would pass the memory limit.
  void reserve(double bytes, std::string_view what) const {
    if (!affords(bytes)) {
      throw BudgetReached{"memory: " + std::string(what) + " needs about " +
                          std::to_string(static_cast<long long>(bytes / 1e6)) + " MB"};
    }
  }

  bool affords(double bytes) const {
    return memory_limit_bytes_ == 0 || bytes <= static_cast<double>(memory_limit_bytes_);
  }

  void report(std::string_view stage, double fraction) const {
    if (progress_) progress_(stage, fraction);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double time_limit_seconds_ = 0;
  std::size_t memory_limit_bytes_ = 0;
  Progress progress_;
};

}  // namespace attest
