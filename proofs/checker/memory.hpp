// Memory of GMP's numbers.
#pragma once

namespace attest_check {

// From here on blocks of small numbers are kept for the next ones (a replay makes and drops millions), and the program
// ends with exit 5 where memory runs out, instead of GMP's abort. Before the first number is made.
void manage_memory_of_numbers();

}  // namespace attest_check
