// Work shared by the machine's cores. What each piece computes depends on its number alone, so results do not
// depend on how many threads there are.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace attest {

// Calls piece(k) for k = 0 .. count - 1, on as many threads as the machine has cores; on fewer where a
// ThreadLimit says so, and on this one alone inside a piece. Pieces begin in their order and write to places
// of their own. Returns when all are done; when some throw, no further ones begin and the exception of the
// first of them is rethrown here.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& piece);

// While it lives, each parallel_for of the thread that made it uses at most so many threads, itself counted;
// 0: as many as there are cores. They nest. The other threads begin with the first parallel_for that wants
// them and wait for the next ones until it ends; without any limit each parallel_for has threads of its own.
class ThreadLimit {
 public:
  class Crew;

  explicit ThreadLimit(std::size_t most);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

  std::size_t most() const { return most_; }
  Crew& crew() const;

 private:
  const std::size_t most_;
  const ThreadLimit* const outer_;
  mutable std::unique_ptr<Crew> crew_;
};

// How many threads a parallel_for of this one takes at most.
std::size_t available_threads();

// Does this thread work for a parallel_for of another one? That one alone polls its budget (budget.hpp).
bool on_helper_thread();

// To live on the stack of a thread: at its end it gives back the memory that FLINT and MPFR keep for the
// thread.
struct ThreadCaches {
  ThreadCaches() = default;
  ThreadCaches(const ThreadCaches&) = delete;
  ThreadCaches& operator=(const ThreadCaches&) = delete;
  ~ThreadCaches();
};

}  // namespace attest
