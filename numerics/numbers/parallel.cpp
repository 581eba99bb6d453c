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

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& piece) {
  std::atomic<std::size_t> next{0};
  std::mutex guard;
  std::exception_ptr failure;  // the first one
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < count; k = next++) piece(k);
    } catch (...) {
      next = count;
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    const std::size_t cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    for (std::size_t k = 1; k < std::min(cores, count); ++k) {
      // Without another thread (a limit on processes or memory) this one does it all.
      try {
        helpers.emplace_back([&work] {
          const ThreadCaches caches;
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
