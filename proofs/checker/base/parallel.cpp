// Work of one check on several threads: see parallel.hpp.
#include "proofs/checker/base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
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

constinit thread_local const Threads* threads = nullptr;  // the innermost one

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

// Threads that wait for work. What they hold counts into `shared`, where there is one.
class Threads::Crew {
 public:
  explicit Crew(MemoryBudget* shared) : shared_(shared) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    const std::lock_guard lock(guard_);
    ends_ = true;
    asked_.notify_all();
  }

  // Calls `work`, which throws nothing, here and on up to so many others that are awake before all is done.
  void call(const std::function<void()>& work, std::size_t others) {
    // Where no more threads can be had the others do it all.
    try {
      while (members_.size() < others) members_.emplace_back([this] { wait_for_work(); });
    } catch (const std::exception&) {
    }
    {
      const std::lock_guard lock(guard_);
      work_ = &work;
      wanted_ = others;
    }
    for (std::size_t k = 0; k < others; ++k) asked_.notify_one();
    work();
    std::unique_lock lock(guard_);
    wanted_ = 0;
    done_.wait(lock, [this] { return working_ == 0; });
  }

 private:
  void wait_for_work() {
    const SignalStack stack;
    // Ends with the thread, after all that the thread holds.
    static thread_local std::optional<MemoryBudget> budget;
    if (shared_ != nullptr) budget.emplace(*shared_);
    for (std::unique_lock lock(guard_);;) {
      asked_.wait(lock, [this] { return ends_ || wanted_ > 0; });
      if (ends_) return;
      --wanted_;
      ++working_;
      lock.unlock();
      (*work_)();
      lock.lock();
      if (--working_ == 0) done_.notify_one();
    }
  }

  MemoryBudget* const shared_;
  std::mutex guard_;  // of what follows but the members
  std::condition_variable asked_, done_;
  const std::function<void()>* work_ = nullptr;
  std::size_t wanted_ = 0, working_ = 0;
  bool ends_ = false;
  std::vector<std::jthread> members_;  // end first
};

Threads::Threads(std::size_t count)
    : outer_(threads), count_(count > 0 ? count : cores()), budget_(MemoryBudget::current()) {
  threads = this;
}

Threads::~Threads() {
  threads = outer_;
}

void in_parts(std::size_t count, std::size_t least,
              const std::function<void(std::size_t begin, std::size_t end)>& piece) {
  if (count == 0) return;
  const std::size_t parts = std::clamp<std::size_t>(count / std::max<std::size_t>(least, 1), 1, most_parts);
  const std::size_t together = threads == nullptr ? 1 : std::min(threads->count_, parts);
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
  if (MemoryBudget::current() == threads->budget_) {
    if (!threads->crew_) threads->crew_ = std::make_unique<Threads::Crew>(threads->budget_);
    threads->crew_->call(work, together - 1);
  } else {
    Threads::Crew(MemoryBudget::current()).call(work, together - 1);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace attest_check
