// Bounds as certificates state them: with a relative slack of 2^-20, which covers a checker's own rounding
// and the widened bands of the run's point.
#pragma once

#include <optional>

#include "numerics/forever/ball_number.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {

inline std::optional<Rational> stated_above(const BallNumber& x) {
  const auto ends = interval_of(x.ball());
  if (!ends || ends->hi == 0) return ends ? std::optional(ends->hi) : std::nullopt;
  return dyadic_above(ends->hi + abs(ends->hi) * power_of_two(-20), 64);
}

inline std::optional<Rational> stated_below(const BallNumber& x) {
  const auto ends = interval_of(x.ball());
  if (!ends || ends->lo == 0) return ends ? std::optional(ends->lo) : std::nullopt;
  return dyadic_below(ends->lo - abs(ends->lo) * power_of_two(-20), 64);
}

}  // namespace attest
