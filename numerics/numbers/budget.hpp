// Time and memory budgets, polled inside every long loop.
//
// A budget is an object handed down, never a global. Long loops call poll(), which looks at the clock and,
// now and then, at the memory that the process holds; code about to allocate a large block calls reserve()
// with the predicted size; a computation that cannot be interrupted asks needs_seconds() first. Reaching a
// limit unwinds to whoever keeps what is proved so far: a solver's or a run's entry, a catalogue row, a
// command. These answer "undecided" with the reason. A budget may lie inside another one: reaching the outer
// limit is reaching this one, so a command's clock holds in everything it calls.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "numerics/numbers/process_memory.hpp"

namespace attest {

// What stopped the computation: "time", "memory" or "interrupted", with detail after a colon.
struct BudgetReached {
  std::string reason;
};

class Budget {
 public:
  using Progress = std::function<void(std::string_view stage, double fraction)>;
  using Stop = std::function<bool()>;

  Budget() = default;
  // A time limit of 0 means none, a memory limit of 0 that of the process. The clock starts now. `outer` may
  // be null, else it must outlive this budget.
  Budget(double time_limit_seconds, std::size_t memory_limit_bytes, Progress progress = {},
         const Budget* outer = nullptr)
      : time_limit_seconds_(time_limit_seconds),
        memory_limit_bytes_(memory_limit_bytes != 0 ? memory_limit_bytes : process_memory_limit()),
        progress_(std::move(progress)),
        outer_(outer) {}

  // Once `stop` says so, poll() ends the computation as the time limit does, with the reason "interrupted".
  void stop_when(Stop stop) { stop_ = std::move(stop); }

  double elapsed_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  // Seconds left, or a negative number when there is no limit.
  double remaining_seconds() const {
    const double outer = outer_ != nullptr ? outer_->remaining_seconds() : -1;
    if (time_limit_seconds_ <= 0) return outer;
    const double left = time_limit_seconds_ - elapsed_seconds();
    const double own = left > 0 ? left : 0;
    return outer < 0 || own < outer ? own : outer;
  }

  bool stop_requested() const {
    return (stop_ && stop_()) || (outer_ != nullptr && outer_->stop_requested());
  }

  // Would poll() throw?
  bool reached() const { return stop_requested() || remaining_seconds() == 0; }

  // Throws BudgetReached when a time limit has passed, a stop was asked for, or the process holds nearly as
  // much as it may.
  void poll() const {
    if (memory_limit_bytes_ != 0) poll_memory();
    if (stop_requested()) throw BudgetReached{"interrupted: stopped by a signal"};
    if (outer_ != nullptr) outer_->poll();
    if (time_limit_seconds_ > 0 && elapsed_seconds() >= time_limit_seconds_) {
      std::ostringstream reason;
      reason << "time: limit of " << time_limit_seconds_ << " s reached";
      throw BudgetReached{reason.str()};
    }
  }

  // Before a computation that cannot be interrupted: throws BudgetReached when what it is predicted to take
  // is not left.
  void needs_seconds(double seconds, std::string_view what) const {
    poll();
    const double left = remaining_seconds();
    if (left >= 0 && seconds > left) {
      std::ostringstream reason;
      reason << "time: " << what << " needs about " << static_cast<long long>(seconds) + 1 << " s, " << left
             << " s are left";
      throw BudgetReached{reason.str()};
    }
  }

  // Throws BudgetReached when a block of `bytes` beside all that the process holds would pass the memory
  // limit.
  void reserve(double bytes, std::string_view what) const {
    if (!affords(bytes)) {
      throw BudgetReached{"memory: " + std::string(what) + " needs about " +
                          std::to_string(static_cast<long long>(bytes / 1e6)) + " MB (--memory-limit)"};
    }
  }

  bool affords(double bytes) const {
    if (outer_ != nullptr && !outer_->affords(bytes)) return false;
    return memory_limit_bytes_ == 0 ||
           bytes + static_cast<double>(process_memory()) <= static_cast<double>(memory_limit_bytes_);
  }

  void report(std::string_view stage, double fraction) const {
    if (progress_) progress_(stage, fraction);
  }

 private:
  // Every millisecond at most: a system call.
  void poll_memory() const {
    const auto now = std::chrono::steady_clock::now();
    if (now - memory_seen_ < std::chrono::milliseconds(1)) return;
    memory_seen_ = now;
    if (process_memory() > memory_limit_bytes_ / 100 * 95) {
      throw BudgetReached{"memory: limit of " + std::to_string(memory_limit_bytes_) +
                          " bytes reached (--memory-limit)"};
    }
  }

  mutable std::chrono::steady_clock::time_point memory_seen_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double time_limit_seconds_ = 0;
  std::size_t memory_limit_bytes_ = 0;
  Progress progress_;
  Stop stop_;
  const Budget* outer_ = nullptr;
};

}  // namespace attest
