// T10: an absorbing region around the ray w_0 + R_+ u for selections of the unique best tokens (DYNAMICS.md
// section 5); any step rule.
#pragma once

#include <optional>

#include "numerics/forever/region_constants.hpp"
#include "numerics/forever/theorem.hpp"

namespace attest {

struct Absorbing {
  static constexpr TheoremFamily family = TheoremFamily::region;
  static constexpr const char* name = "T10";
  static constexpr bool sharp = false;
  static std::optional<ForeverProof> prove(const TheoremPoint& point);

  RegionConstants constants;
};

}  // namespace attest
