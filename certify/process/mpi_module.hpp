// What the module attest-mpi provides, in C. One process calls each function at most once, in this order; in
// between, and when a process ends without attest_mpi_leave, MPI ends the whole job.
#pragma once

#include <stddef.h>

extern "C" {

struct AttestMpi {
  // The number of this process and of all.
  void (*join)(int* rank, int* size);
  // Sends bytes to rank 0, where `take` is told everybody's in the order of ranks.
  void (*gather)(const char* own, size_t size, void (*take)(void* to, const char* bytes, size_t size),
                 void* to);
  void (*leave)();
};

// What dlsym finds.
using AttestMpiTable = const AttestMpi* (*)();
inline constexpr const char* attest_mpi_symbol = "attest_mpi_table";
}
