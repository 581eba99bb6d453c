// Work of one check on several threads. Which part of it a piece does depends on its number alone, and pieces
// write to places of their own, so nothing depends on how many threads there are or who does what.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace attest_check {

class MemoryBudget;

// While it lives, the thread that made it shares its work among so many threads, itself counted, 0: one for
// each core. Without one a thread works alone. The others wait in between; it ends before the memory budget
// that is in force when it is made.
class Threads {
 public:
  explicit Threads(std::size_t count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  friend void in_parts(std::size_t, std::size_t, const std::function<void(std::size_t, std::size_t)>&);
  class Crew;

  const Threads* const outer_;
  const std::size_t count_;
  MemoryBudget* const budget_;
  mutable std::unique_ptr<Crew> crew_;  // made when it is needed first
};

// piece(begin, end) for consecutive parts of 0, 1, ..., count - 1, each of at least `least` of them where
// there are so many. What the pieces hold counts into the memory budget of this thread (memory.hpp). They
// call nothing that belongs to a thread: no file is read, no process of a job asked. Returns when all are
// done; when some throw, the exception of the first part that did is thrown here.
void in_parts(std::size_t count, std::size_t least,
              const std::function<void(std::size_t begin, std::size_t end)>& piece);

}  // namespace attest_check
