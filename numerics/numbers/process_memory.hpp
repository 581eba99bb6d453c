// How much memory this process holds, and how much the system lets it hold.
#pragma once

#include <cstddef>

namespace attest {

// Bytes of memory that are this process's own (without files it maps); 0 where the system does not tell.
// Costs a few microseconds.
std::size_t process_memory();

// The limit of the process's data (RLIMIT_DATA), 0 when there is none. Beyond it every allocation fails.
std::size_t process_memory_limit();

}  // namespace attest
