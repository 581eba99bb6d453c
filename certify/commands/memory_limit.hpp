// The memory limit of the program: the system refuses what is beyond it, and what cannot go on without ends
// the program with a documented status.
#pragma once

#include <cstddef>

namespace attest {

// Half of the machine's memory, at most 4 GiB.
std::size_t default_memory_limit();

// From here on the process holds at most that many bytes (0: the default). C++ code sees std::bad_alloc;
// GMP's and FLINT's, through which no exception may pass, end the program by out_of_memory(). `json`: what
// the command prints.
void limit_process_memory(std::size_t bytes, bool json);

// The instance has been read: what is not possible now is undecided, no longer an input that cannot be held.
void reading_is_over();

// Removes an unfinished output file, says why on standard error (and as one JSON value where that was asked
// for) and ends the program: 5 while reading, 30 afterwards.
[[noreturn]] void out_of_memory();

}  // namespace attest
