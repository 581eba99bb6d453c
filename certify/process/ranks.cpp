#include "certify/process/ranks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "certify/process/mpi_module.hpp"

namespace attest {
namespace {

// A variable of the environment that is a number; 0 if it is not there.
std::size_t number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
}

// The module beside the program in a build, in the library folder of an installation.
const AttestMpi* load_module() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"attest-mpi.so", "../" ATTEST_MODULE_FOLDER "/attest-mpi.so"}) {
    void* const module = dlopen((program / place).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) continue;
    // POSIX says that the pointer may be a function's.
    const auto found = reinterpret_cast<AttestMpiTable>(dlsym(module, attest_mpi_symbol));
    if (found != nullptr) return found();
  }
  return nullptr;
}

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(const AttestMpi& mpi) : mpi_(mpi) {
    int rank = 0, size = 1;
    mpi_.join(&rank, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  std::string from_first(std::string own) override {
    if (rank_ > 0) return receive(0);
    for (std::size_t to = 1; to < size_; ++to) mpi_.send(static_cast<int>(to), own.data(), own.size());
    return own;
  }

  std::vector<std::string> gather(std::string own) override {
    if (rank_ > 0) {
      mpi_.send(0, own.data(), own.size());
      return {};
    }
    std::vector<std::string> all{std::move(own)};
    for (std::size_t from = 1; from < size_; ++from) all.push_back(receive(from));
    return all;
  }

  void leave() override { mpi_.leave(); }

 private:
  std::string receive(std::size_t from) const {
    std::string bytes;
    mpi_.receive(
        static_cast<int>(from),
        [](void* to, const char* part, std::size_t size) {
          static_cast<std::string*>(to)->append(part, size);
        },
        &bytes);
    return bytes;
  }

  const AttestMpi& mpi_;
  std::size_t rank_ = 0, size_ = 1;
};

}  // namespace

StartedRanks started_ranks() {
  constexpr std::pair<const char*, const char*> variables[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // Open MPI's mpirun
      {"PMIX_RANK", "SLURM_NTASKS"},                     // srun --mpi=pmix
      {"PMI_RANK", "PMI_SIZE"}};                         // MPICH's mpirun, srun --mpi=pmi2
  for (const auto& [rank, size] : variables) {
    if (std::getenv(rank) == nullptr) continue;
    if (const std::size_t all = number_in_environment(size); all > 1)
      return {number_in_environment(rank), all};
  }
  return {};
}

std::size_t cores_of_rank(std::size_t usable, std::size_t machine) {
  if (started_ranks().size == 1) return usable;
  for (const char* here : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE"}) {
    // SLURM's "8(x4)" begins with the number.
    if (const std::size_t ranks = number_in_environment(here); ranks > 0)
      return std::clamp<std::size_t>(machine / ranks, 1, usable);
  }
  return usable;
}

Result<std::unique_ptr<Ranks>> join_ranks() {
  if (started_ranks().size == 1) return std::make_unique<Ranks>();
  const AttestMpi* const mpi = load_module();
  if (mpi == nullptr) {
    return InputError{InputError::Kind::malformed,
                      {},
                      {},
                      {},
                      "started as several processes, but the module attest-mpi is not here: install MPI "
                      "(certify/scripts/setup.sh --mpi), then configure and build again"};
  }
  return std::make_unique<MpiRanks>(*mpi);
}

}  // namespace attest
