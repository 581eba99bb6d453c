#include "numerics/numbers/parallel.hpp"

#include <flint/flint.h>
#include <mpfr.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "numerics/numbers/cores.hpp"
#include "numerics/numbers/signal_stack.hpp"

namespace attest {
namespace {

constinit thread_local const ThreadLimit* limit = nullptr;  // the innermost one
constinit thread_local bool helper = false;

}  // namespace

// Threads that wait for work which another one shares with them.
class ThreadLimit::Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    const std::lock_guard lock(guard_);
    over_ = true;
    begun_.notify_all();
  }

  // Calls `work`, which throws nothing, here and on at most so many others; returns when it has everywhere.
  // One that comes too late is not waited for.
  void share(std::size_t others, const std::function<void()>& work) {
    {
      const std::lock_guard lock(guard_);
      grow(others);
      work_ = &work;
      welcome_ = others;
    }
    for (std::size_t k = 0; k < std::min(others, helpers_.size()); ++k) begun_.notify_one();
    work();
    std::unique_lock lock(guard_);
    welcome_ = 0;
    left_.wait(lock, [this] { return at_work_ == 0; });
  }

 private:
  // Without another thread (a limit on processes or memory) those there are do it all.
  void grow(std::size_t helpers) {
    try {
      while (helpers_.size() < helpers) helpers_.emplace_back([this] { help(); });
    } catch (const std::exception&) {
    }
  }

  void help() {
    const SignalStack stack;
    const ThreadCaches caches;
    helper = true;
    std::unique_lock lock(guard_);
    while (true) {
      begun_.wait(lock, [this] { return over_ || welcome_ > 0; });
      if (over_) return;
      --welcome_;
      ++at_work_;
      const std::function<void()>& work = *work_;
      lock.unlock();
      work();
      lock.lock();
      if (--at_work_ == 0) left_.notify_one();
    }
  }

  std::mutex guard_;  // of all below but helpers_
  std::condition_variable begun_, left_;
  const std::function<void()>* work_ = nullptr;
  std::size_t welcome_ = 0;  // how many more may help
  std::size_t at_work_ = 0;  // how many do
  bool over_ = false;
  std::vector<std::jthread> helpers_;  // end first
};

ThreadLimit::ThreadLimit(std::size_t most) : most_(most), outer_(limit) {
  limit = this;
}

ThreadLimit::~ThreadLimit() {
  limit = outer_;
}

ThreadLimit::Crew& ThreadLimit::crew() const {
  if (!crew_) crew_ = std::make_unique<Crew>();
  return *crew_;
}

std::size_t available_threads() {
  return limit != nullptr && limit->most() > 0 ? limit->most() : usable_cores();
}

bool on_helper_thread() {
  return helper;
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& piece) {
  const std::size_t wanted = std::min(available_threads(), count);
  if (wanted <= 1) {
    for (std::size_t k = 0; k < count; ++k) piece(k);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::mutex guard;
  std::size_t failed = count;  // the first piece that did
  std::exception_ptr failure;
  const auto work = [&] {
    const ThreadLimit alone(1);
    for (std::size_t k = next++; k < count; k = next++) {
      try {
        piece(k);
      } catch (...) {
        next = count;
        const std::lock_guard lock(guard);
        if (k < failed) failure = std::current_exception();
        failed = std::min(failed, k);
      }
    }
  };
  if (limit != nullptr) {
    limit->crew().share(wanted - 1, work);
  } else {
    ThreadLimit::Crew().share(wanted - 1, work);
  }
  if (failure) std::rethrow_exception(failure);
}

ThreadCaches::~ThreadCaches() {
  flint_cleanup();
  mpfr_free_cache();
}

}  // namespace attest
