// The memory limit of a command: the system refuses what is beyond it, and what cannot go on without ends the
// program with a documented status.
#pragma once

#include <atomic>
#include <cstddef>

#include "certify/process/signals.hpp"

namespace attest {

// Half of the machine's memory, at most 4 GiB.
std::size_t default_memory_limit();

// From its making on the process holds at most so many bytes. C++ code sees std::bad_alloc; GMP's and
// FLINT's, through which no exception may pass, end the program by the exceeded() of the one limit that
// lives.
class MemoryLimit {
 public:
  // 0 bytes: the default. `json`: what the command prints.
  MemoryLimit(ProcessSignals& signals, std::size_t bytes, bool json);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  // The input has been read: what is not possible now is undecided, no longer an input that cannot be held.
  void reading_is_over() { reading_ = false; }

  // Removes an unfinished output file, says why on standard error (and as one JSON value where that was asked
  // for) and ends the program: 5 while reading, 30 afterwards.
  [[noreturn]] void exceeded() const;

 private:
  ProcessSignals& signals_;
  std::size_t bytes_;
  bool json_;
  std::atomic<bool> reading_{true};  // other threads than the one that reads may run out of memory
};

}  // namespace attest
