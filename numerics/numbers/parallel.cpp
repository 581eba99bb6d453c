#include "numerics/numbers/parallel.hpp"

#include <flint/flint.h>
#include <mpfr.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace attest {
namespace {

constinit thread_local std::size_t most_threads = 0;  // 0: as many as there are cores
constinit thread_local bool helper = false;

}  // namespace

std::size_t available_threads() {
  return most_threads > 0 ? most_threads : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

ThreadLimit::ThreadLimit(std::size_t most) : outer_(most_threads) {
  most_threads = most;
}

ThreadLimit::~ThreadLimit() {
  most_threads = outer_;
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
  {
    std::vector<std::jthread> helpers;
    for (std::size_t k = 1; k < wanted; ++k) {
      // Without another thread (a limit on processes or memory) this one does it all.
      try {
        helpers.emplace_back([&work] {
          const ThreadCaches caches;
          helper = true;
          work();
        });
      } catch (const std::exception&) {
        break;
      }
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

ThreadCaches::~ThreadCaches() {
  flint_cleanup();
  mpfr_free_cache();
}

}  // namespace attest
