// A run watched for several selected tokens (papers.md B.gen): their margin problem, the finite part, and how
// near W_t is to W_fin + c W_mm at checkpoints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certify/audits/run_request.hpp"
#include "certify/certificates/margin.hpp"
#include "numerics/runs/finite_part_observer.hpp"

namespace attest {

struct SelectedSetsRun {
  SelectedSets sets;                     // equal tokens are one
  MarginSolution solution;               // of their rows
  std::optional<FinitePart> finite;      // from given ratios; without them each point has that of its own
  std::optional<FinitePartProof> proof;  // of that one, for the certificate
  std::vector<FinitePartPoint> points;
  RunFiniteParts stated;  // what the certificate says of them: always with ratios of their own
};

class WatchedSets {
 public:
  // The sets of the file, or the instance's own, solved, and the request's ratios. `geometry` must outlive
  // the object.
  static Result<std::unique_ptr<WatchedSets>> read(const RunRequest& request, const std::string& sets,
                                                   const Instance& instance, const RunGeometry& geometry,
                                                   const Budget& budget);

  WatchedSets(const WatchedSets&) = delete;
  WatchedSets& operator=(const WatchedSets&) = delete;

  // What another attempt at the run has seen is given up.
  void begin() {
    seen_.points.clear();
    seen_.stated.points.clear();
  }
  void watch(const EnclosedPoint& enclosed, std::uint64_t step);
  const SelectedSetsRun& seen() const { return seen_; }

 private:
  WatchedSets(const RunGeometry& geometry, SelectedSets sets, const MarginOptions& options,
              const Budget& budget);
  void state(const EnclosedPoint& enclosed, const FinitePartPoint& seen);

  SelectedSetsRun seen_;
  FiniteEquations equations_;
  FinitePartProver prover_;
  std::optional<FinitePartObserver> observer_, own_;  // own_: of the ratios of W_t, where others are given
};

}  // namespace attest
