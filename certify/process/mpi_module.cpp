// The module attest-mpi: the few things of MPI that attest needs.
#include "certify/process/mpi_module.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

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

void send(int rank, const char* bytes, size_t size) {
  const std::uint64_t length = size;
  MPI_Send(&length, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD);
  in_messages(size, [&](std::size_t at, int count) {
    MPI_Send(bytes + at, count, MPI_CHAR, rank, 0, MPI_COMM_WORLD);
  });
}

// MPI itself would turn round and round, on a core that another process of the machine needs.
void wait_for(int rank) {
  auto pause = std::chrono::microseconds(20);
  for (int there = 0;;) {
    MPI_Iprobe(rank, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there != 0) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(2000));
  }
}

void receive(int rank, void (*take)(void*, const char*, std::size_t), void* to) {
  wait_for(rank);
  std::uint64_t length = 0;
  MPI_Recv(&length, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::string bytes(std::min<std::size_t>(length, largest_message), '\0');
  in_messages(length, [&](std::size_t, int count) {
    MPI_Recv(bytes.data(), count, MPI_CHAR, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take(to, bytes.data(), static_cast<std::size_t>(count));
  });
}

void leave() {
  MPI_Finalize();
}

constexpr AttestMpi table{join, send, receive, leave};

}  // namespace

extern "C" __attribute__((visibility("default"))) const AttestMpi* attest_mpi_table() {
  return &table;
}
