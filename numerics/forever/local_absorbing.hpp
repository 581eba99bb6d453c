// T11: an absorbing region around the ray w_0 + R_+ u for locally optimal selections (DYNAMICS.md section 6);
// gradient descent and normalised gradient descent.
#pragma once

#include <optional>

#include "numerics/forever/region_constants.hpp"
#include "numerics/forever/theorem.hpp"

namespace attest {

struct LocalAbsorbing {
  static constexpr TheoremFamily family = TheoremFamily::region;
  static constexpr const char* name = "T11";
  static constexpr bool sharp = false;
  static std::optional<ForeverProof> prove(const TheoremPoint& point);

  RegionConstants constants;
};

}  // namespace attest
