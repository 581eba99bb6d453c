// What a theorem about all later steps has established, with every constant, and the bounds it gives at any
// later step (DYNAMICS.md sections 4 to 9). Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "numerics/forever/absorbing.hpp"
#include "numerics/forever/bounded_residual.hpp"
#include "numerics/forever/local_absorbing.hpp"
#include "numerics/forever/lock_in.hpp"
#include "numerics/forever/span_residual.hpp"

namespace attest {

// The theorems, each with its own constants; those of a family are tried in this order.
using ForeverTheorem =
    std::variant<LockIn, NormalisedLockIn, Absorbing, LocalAbsorbing, SpanResidual, BoundedResidual>;

struct ForeverProof {
  ForeverTheorem theorem;
  std::uint64_t t0 = 0;
  LaterSteps steps{OptimizerSpec{}, 0};

  // Height: y_{t+1} - y_t >= growth eta_t, or, when logarithmic, y_t >= (1/gamma) log(e^{gamma y_0} + growth
  // sum eta).
  bool logarithmic = false;
  BallNumber margin{0.0}, start_height{0.0}, growth{0.0};
  // Residual: ||w_t - y_t u - p||^2 <= path_offset + path_rate (y_t - y_0), ||p|| = centre_norm. The rate is
  // exact where it is a constant of the theorem's hypotheses.
  BallNumber centre_norm{0.0}, path_offset{0.0}, path_rate{0.0};
  // Margins: m_c(w_t) >= m_c(w_0) + gamma_c (y_t - y_0) - delta_c (start_distance + that residual bound), or,
  // in a region around, with sqrt(region_rate (y_t - y_0)) for it.
  BallNumber start_distance{0.0};
  std::optional<BallNumber> region_rate;
  std::vector<BallNumber> start_margins;
  // Outputs: f_i >= floors[i] for ever, where the theorem says so; else empty.
  std::vector<BallNumber> floors;

  // "T10", ...
  std::string name() const;
  // The least shape the conclusion gives for 1 - cos(w_t, u), such as "1/t" or "1/log(t)^2".
  std::string rate() const;
  // Its constants, if it is that theorem's proof.
  template <typename Theorem>
  const Theorem* by() const {
    return std::get_if<Theorem>(&theorem);
  }

  // Lower bound of y_t, t >= t0.
  BallNumber height_at(std::uint64_t t) const;
  // Upper bound of 1 - cos(w_t, u), at most 2.
  BallNumber one_minus_cos_at(std::uint64_t t) const;
  // Upper bound of ||w_s - y_s u - p|| when y_s is `height`.
  BallNumber residual_at_height(const BallNumber& height) const;
  // Lower bound of m_c(w_s) over all later steps s >= t.
  BallNumber margin_at(const SelectionFacts<BallNumber>& facts, std::size_t constraint,
                       std::uint64_t t) const;
  // m_c(w_s) >= margin_at(t) + this times the steps s - t, for every s >= t (DYNAMICS.md section 4): not
  // positive where heights need not grow linearly, or the bound of the margin may still fall.
  BallNumber margin_growth_at(const SelectionFacts<BallNumber>& facts, std::size_t constraint,
                              std::uint64_t t) const;
  // Upper bound of 1 - s_{i,alpha_i}(w_s) over all later steps s >= t; group of the facts.
  BallNumber unselected_at(const SelectionFacts<BallNumber>& facts, std::size_t group, std::uint64_t t) const;
  // Is every selected token's attention above 1/2 at all later steps s >= t? Certain, or false.
  bool dominates_after(const SelectionFacts<BallNumber>& facts, std::uint64_t t) const;
  // The least t >= t0, up to 10^17, for which that is proved.
  std::optional<std::uint64_t> dominates_from(const SelectionFacts<BallNumber>& facts) const;
};

// The first proof that a theorem of the family gives there; nothing when none does. Certified.
std::optional<ForeverProof> prove(TheoremFamily family, const TheoremPoint& point);

}  // namespace attest
