// The memory budget of the process: what GMP's numbers and (in the program, allocation.cpp) C++'s objects
// hold, counted where it is taken, so that the check ends with exit 5 before the machine suffers.
#pragma once

#include <cstddef>
#include <string>

namespace attest_check {

// From here on blocks of small numbers are kept for the next ones (a replay makes and drops millions), their
// memory is counted, and the program ends with exit 5 where memory runs out, instead of GMP's abort. Before
// the first number is made.
void manage_memory_of_numbers();

// Half of the machine's memory, at most 4 GiB.
std::size_t default_memory_limit();
// Ends the program with exit 5 once more than that many bytes are held. No limit before the first call.
void limit_memory(std::size_t bytes);
// What is being done, for the message: "claim 6 (run)".
void memory_is_for(const std::string& work);

// Exit 5 when that many bytes more would pass the limit: what is large is refused before it is begun.
void require_memory(std::size_t bytes, const std::string& what);

// Counts a block that is taken or given back.
void take_memory(std::size_t bytes);
void give_memory_back(std::size_t bytes);

}  // namespace attest_check
