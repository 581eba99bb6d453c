// Work shared by the machine's cores. What each piece computes depends on its number alone, so results do not
// depend on how many threads there are.
#pragma once

#include <cstddef>
#include <functional>

namespace attest {

// Calls piece(k) for k = 0 .. count - 1, in no fixed order, on as many threads as the machine has cores.
// Pieces write to places of their own. Returns when all are done; when one throws, no further ones begin and
// its exception is rethrown here.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& piece);

// To live on the stack of a thread: at its end it gives back the memory that FLINT and MPFR keep for the
// thread.
struct ThreadCaches {
  ThreadCaches() = default;
  ThreadCaches(const ThreadCaches&) = delete;
  ThreadCaches& operator=(const ThreadCaches&) = delete;
  ~ThreadCaches();
};

}  // namespace attest
