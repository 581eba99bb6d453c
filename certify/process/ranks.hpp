// The processes of one job: those that `mpirun` or `srun` started together (MPI calls them ranks). A process
// by itself is a job of one. MPI is not linked: the module attest-mpi, built where MPI is found, is loaded
// when there is more than one, so that a process by itself starts as fast as without.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "certify/process/input_error.hpp"

namespace attest {

// How many processes the environment says were started together, and which of them this is.
struct StartedRanks {
  std::size_t rank = 0, size = 1;
};
StartedRanks started_ranks();

// How many cores are this process's: `usable` ones that its affinity mask has (bound to cores by mpirun or
// srun, or all), and of a machine of so many no more than its share, as the environment says how many
// processes of the job are there.
std::size_t cores_of_rank(std::size_t usable, std::size_t machine);

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }

  // Rank 0's text, at all others; waits for it.
  virtual std::string from_first(std::string own) { return own; }

  // Everybody's text, by rank, at rank 0, and nothing at the others.
  virtual std::vector<std::string> gather(std::string own) { return {std::move(own)}; }

  // This process has done its part of the work. When one ends before, the whole job ends, with an error.
  virtual void leave() {}
};

// Waits for the others. An error when there are others and no way to reach them.
Result<std::unique_ptr<Ranks>> join_ranks();

}  // namespace attest
