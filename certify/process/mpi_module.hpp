// What the module attest-mpi provides, in C. `join` comes first and `leave` last, each at most once; when a
// process ends between the two, MPI ends the whole job.
#pragma once

#include <stddef.h>

extern "C" {

struct AttestMpi {
  // The number of this process and of all.
  void (*join)(int* rank, int* size);
  void (*send)(int rank, const char* bytes, size_t size);
  // Waits, without using its core, for what `rank` sends: the bytes for `take` together are one send's.
  void (*receive)(int rank, void (*take)(void* to, const char* bytes, size_t size), void* to);
  void (*leave)();
};

// What dlsym finds.
using AttestMpiTable = const AttestMpi* (*)();
inline constexpr const char* attest_mpi_symbol = "attest_mpi_table";
}
