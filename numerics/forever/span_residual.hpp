// T14: a bounded residual around the natural centre, for a run in the region of T10 or T11 (DYNAMICS.md
// section 8, with dO = 0); any of its step rules. Unlike T15 it has no condition on the length of the steps;
// its constants are looser.
#pragma once

#include <optional>
#include <variant>

#include "numerics/forever/absorbing.hpp"
#include "numerics/forever/local_absorbing.hpp"
#include "numerics/forever/theorem.hpp"

namespace attest {

struct SpanResidual {
  static constexpr TheoremFamily family = TheoremFamily::inner_region;
  static constexpr const char* name = "T14";
  static constexpr bool sharp = true;
  static std::optional<ForeverProof> prove(const TheoremPoint& point);

  std::variant<Absorbing, LocalAbsorbing> region;
  double least_eigenvalue = 0;  // at most that of S's Gram matrix: an exact number, on which the bound rests

  const RegionConstants& constants() const {
    return std::visit([](const auto& around) -> const RegionConstants& { return around.constants; }, region);
  }
};

}  // namespace attest
