// Work of one check on several threads. Which part of it a piece does depends on its number alone, and pieces
// write to places of their own, so nothing depends on how many threads there are or who does what.
#pragma once

#include <cstddef>
#include <functional>

namespace attest_check {

// While it lives, the thread that made it shares its work among so many threads, itself counted, 0: one for
// each core. Without one a thread works alone.
class Threads {
 public:
  explicit Threads(std::size_t count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  const std::size_t outer_;
};

// piece(begin, end) for consecutive parts of 0, 1, ..., count - 1, each of at least `least` of them where
// there are so many. What the pieces hold counts into the memory budget of this thread (memory.hpp). They
// call nothing that belongs to a thread: no file is read, no process of a job asked. Returns when all are
// done; when some throw, the exception of the first part that did is thrown here.
void in_parts(std::size_t count, std::size_t least,
              const std::function<void(std::size_t begin, std::size_t end)>& piece);

}  // namespace attest_check
