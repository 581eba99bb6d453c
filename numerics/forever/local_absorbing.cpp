#include "numerics/forever/local_absorbing.hpp"

#include "numerics/forever/absorbing_region.hpp"

namespace attest {

std::optional<ForeverProof> LocalAbsorbing::prove(const TheoremPoint& point) {
  if (!without_loss_gap(step_length(point.steps.spec))) return std::nullopt;
  for (const std::vector<bool>& inside : point.regions) {
    const auto constants = propose_region(point.guess, point.start_guess, point.steps, inside, false);
    if (!constants) continue;
    if (auto proof = prove_region(point.facts, point.start, point.steps, *constants, false)) return proof;
  }
  return std::nullopt;
}

}  // namespace attest
