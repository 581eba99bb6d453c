// Work of one check on several threads: see parallel.hpp.
#include "proofs/checker/base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "proofs/checker/base/memory.hpp"

namespace attest_check {
namespace {

constexpr std::size_t most_parts = 64;

constinit thread_local std::size_t threads = 1;

// Those of the process's affinity mask, as taskset and batch systems set it.
std::size_t cores() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0)
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&mask)));
  return std::max(1U, std::thread::hardware_concurrency());
}

// Where a thread's handlers of faults run (last_resort.hpp) when its own stack is used up.
class SignalStack {
 public:
  SignalStack() {
#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer has its own
    stack_t alternative{};
    alternative.ss_sp = room_.data();
    alternative.ss_size = room_.size();
    sigaltstack(&alternative, nullptr);
  }
  ~SignalStack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
#endif
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::array<char, 1 << 16> room_;
};

}  // namespace

Threads::Threads(std::size_t count) : outer_(threads) {
  threads = count > 0 ? count : cores();
}

Threads::~Threads() {
  threads = outer_;
}

void in_parts(std::size_t count, std::size_t least,
              const std::function<void(std::size_t begin, std::size_t end)>& piece) {
  if (count == 0) return;
  const std::size_t parts = std::clamp<std::size_t>(count / std::max<std::size_t>(least, 1), 1, most_parts);
  const std::size_t together = std::min(threads, parts);
  if (together <= 1) return piece(0, count);
  std::atomic<std::size_t> next{0};
  std::mutex guard;
  std::size_t failed = parts;  // the first part that did
  std::exception_ptr failure;
  // Parts begin in their order, so all before one that fails are done, too.
  const auto work = [&] {
    const Threads alone(1);
    for (std::size_t k = next++; k < parts; k = next++) {
      try {
        piece(count * k / parts, count * (k + 1) / parts);
      } catch (...) {
        next = parts;
        const std::lock_guard lock(guard);
        if (k < failed) failure = std::current_exception();
        failed = std::min(failed, k);
      }
    }
  };
  {
    MemoryBudget* const shared = MemoryBudget::current();
    std::vector<std::jthread> helpers;
    for (std::size_t k = 1; k < together; ++k) {
      try {
        helpers.emplace_back([&work, shared] {
          const SignalStack stack;
          // Ends with the thread, after all that the thread holds.
          static thread_local std::optional<MemoryBudget> budget;
          if (shared != nullptr) budget.emplace(*shared);
          work();
        });
      } catch (const std::exception&) {
        break;  // no other thread can be had: this one does it all
      }
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace attest_check
