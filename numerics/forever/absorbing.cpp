#include "numerics/forever/absorbing.hpp"

#include "numerics/forever/absorbing_region.hpp"

namespace attest {

std::optional<ForeverProof> Absorbing::prove(const TheoremPoint& point) {
  if (!point.facts.globally_optimal) return std::nullopt;
  const std::vector<bool> everything(point.facts.constraints.size(), true);
  const auto constants = propose_region(point.guess, point.start_guess, point.steps, everything, true);
  if (!constants) return std::nullopt;
  return prove_region(point.facts, point.start, point.steps, *constants, true);
}

}  // namespace attest
