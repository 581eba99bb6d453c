// The memory budget of one check: what GMP's numbers and (in the program, allocation.cpp) C++'s objects hold,
// counted where it is taken, so that the check ends with exit 5 before the machine suffers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

namespace attest_check {

// GMP's allocation functions are process-wide by nature. From here on they count into the budget of the
// thread that calls them, or nowhere when it has none. Before the first number is made.
void manage_memory_of_numbers();

// Half of the machine's memory, at most 4 GiB.
std::size_t default_memory_limit();

// From its construction to its end the budget of the thread that made it; budgets of a thread nest. Blocks of
// small numbers are kept for the next ones (a replay makes and drops millions).
class MemoryBudget {
 public:
  // Told why when more than the limit would be held. A program ends here: GMP's callers are C, through which
  // no exception may pass. Without one the block is granted, and the check fails at its next piece of work.
  using Exhausted = void (*)(const char* why);

  explicit MemoryBudget(std::size_t limit, Exhausted exhausted = nullptr);
  // Of a thread that helps that of `shared` (parallel.hpp): what it holds counts there. Only blocks of small
  // numbers are its own.
  explicit MemoryBudget(MemoryBudget& shared);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // The thread's, or null.
  static MemoryBudget* current();

  // Another limit from here on.
  void limit(std::size_t bytes) { limit_ = bytes; }
  std::size_t limit() const { return limit_; }
  // What is being done, for the message: "claim 6 (run)". Exit 5 where the limit has been passed.
  void is_for(const std::string& work);
  // Exit 5 where the limit has been passed.
  void require_kept() const;
  // Exit 5 when that many bytes more would pass the limit: what is large is refused before it is begun.
  void require(std::size_t bytes, const std::string& what) const;

  // Counts a block that is taken or given back.
  void take(std::size_t bytes);
  void give_back(std::size_t bytes);
  // A block of this many grains that is kept, or null; keeps one, unless a sixteenth of the limit is kept.
  void* reuse(std::size_t grains);
  void keep(void* memory, std::size_t grains);
  // Ends the program: a block of the system's could not be had.
  [[noreturn]] static void system_has_no_more();
  static constexpr std::size_t classes = 64;  // blocks of more grains are the system's

 private:
  void tell(const char* more_than) const;

  struct Block {
    Block* next;
  };
  std::array<Block*, classes> kept_{};  // by their grains
  std::size_t kept_bytes_ = 0;
  MemoryBudget* const counts_;  // where blocks are counted
  std::atomic<std::size_t> held_{0};
  std::size_t limit_;
  std::atomic<bool> passed_{false};
  char work_[160] = "the check";
  Exhausted exhausted_;
  MemoryBudget* const outer_;
};

// The same for the thread's budget, if it has one; without one there is no limit.
std::size_t memory_limit();
void memory_is_for(const std::string& work);
void require_memory(std::size_t bytes, const std::string& what);
void require_memory_kept();
void take_memory(std::size_t bytes);
void give_memory_back(std::size_t bytes);

}  // namespace attest_check
