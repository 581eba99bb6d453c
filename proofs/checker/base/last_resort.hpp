// How a program ends when nothing has foreseen it: with a line on standard error and a status of its
// contract, never with one that says something about its input.
#pragma once

namespace attest_check {

// From here on what would abort (an exception that nothing catches or that leaves a destructor, GMP's abort,
// a fault of the processor) ends the program with `status` and "PROGRAM: internal error"; memory that is used
// up is `out_of_memory`. Descriptors 0, 1 and 2 are taken, so that no file the program opens is mistaken for
// its output.
void install_last_resort(const char* program, int status, int out_of_memory);

}  // namespace attest_check
