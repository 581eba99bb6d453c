// The module attest-mpi: the few things of MPI that attest needs.
#include "certify/process/mpi_module.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

constexpr std::size_t largest_message = std::size_t{1} << 30;  // a count is an int

void join(int* rank, int* size) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);  // errors end the job
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
}

template <typename Transfer>
void in_messages(std::size_t size, Transfer transfer) {
  for (std::size_t at = 0; at < size; at += largest_message)
    transfer(at, static_cast<int>(std::min(largest_message, size - at)));
}

void gather(const char* own, std::size_t size, void (*take)(void*, const char*, std::size_t), void* to) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::uint64_t length = size;
  std::vector<std::uint64_t> lengths(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (rank != 0) {
    in_messages(
        size, [&](std::size_t at, int count) { MPI_Send(own + at, count, MPI_CHAR, 0, 0, MPI_COMM_WORLD); });
    return;
  }
  take(to, own, size);
  for (int from = 1; from < ranks; ++from) {
    std::string bytes(lengths[static_cast<std::size_t>(from)], '\0');
    in_messages(bytes.size(), [&](std::size_t at, int count) {
      MPI_Recv(bytes.data() + at, count, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    take(to, bytes.data(), bytes.size());
  }
}

void leave() {
  MPI_Finalize();
}

constexpr AttestMpi table{join, gather, leave};

}  // namespace

extern "C" __attribute__((visibility("default"))) const AttestMpi* attest_mpi_table() {
  return &table;
}
