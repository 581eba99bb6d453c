// The program `attest-check-job`: attest-check as one of the processes that mpirun or srun started together.
// The checker is the same library; only here it meets MPI, through the module attest-mpi.
#include <cstdint>
#include <cstring>
#include <iostream>

#include "certify/process/ranks.hpp"
#include "proofs/checker/base/job.hpp"
#include "proofs/checker/command_line.hpp"

namespace {

using attest::Ranks;

class RankJob final : public attest_check::Job {
 public:
  explicit RankJob(Ranks& ranks) : ranks_(ranks) {}
  std::size_t rank() const override { return ranks_.rank(); }
  std::size_t size() const override { return ranks_.size(); }

  // All tell the first one, which tells all: every text after its length.
  std::vector<std::string> gather(std::string own) override {
    std::string all;
    for (const std::string& text : ranks_.gather(std::move(own))) {
      const std::uint64_t length = text.size();
      all.append(reinterpret_cast<const char*>(&length), sizeof length) += text;
    }
    all = ranks_.from_first(std::move(all));
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < all.size();) {
      std::uint64_t length = 0;
      std::memcpy(&length, &all[at], sizeof length);
      texts.push_back(all.substr(at + sizeof length, length));
      at += sizeof length + length;
    }
    return texts;
  }

 private:
  Ranks& ranks_;
};

}  // namespace

int main(int argc, char** argv) {
  auto joined = attest::join_ranks();
  if (const auto* error = std::get_if<attest::InputError>(&joined)) {
    if (attest::started_ranks().rank == 0) std::cerr << "attest-check: " << error->text() << "\n";
    return 2;
  }
  Ranks& ranks = *std::get<std::unique_ptr<Ranks>>(joined);
  RankJob job(ranks);
  const int status = attest_check::run_checker(argc, argv, job);
  ranks.leave();
  return status;
}
