// T15: a sharp bound of the residual for all later steps, in its own region (DYNAMICS.md section 9, with dO =
// 0); gradient descent and normalised gradient descent. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "numerics/forever/region_constants.hpp"
#include "numerics/forever/theorem.hpp"

namespace attest {

struct BoundedResidual {
  static constexpr TheoremFamily family = TheoremFamily::sharp;
  static constexpr const char* name = "T15";
  static constexpr bool sharp = true;
  static std::optional<ForeverProof> prove(const TheoremPoint& point);

  RegionConstants constants;
  // e_0 = sum of pull times Delta_c over S (constraint numbers of the facts): with it and the next bound e_0
  // and p can be enclosed from rational numbers.
  std::vector<std::pair<std::size_t, BallNumber>> pull;
  BallNumber least_eigenvalue{0.0};  // at most that of S's Gram matrix
};

}  // namespace attest
