// Bounds as certificates state them: with a relative slack of 2^-20, which covers a checker's own rounding
// and the widened bands of the run's point.
#pragma once

#include <optional>
#include <string>

#include "certify/certificates/text.hpp"
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

// Above or below all members, which are positive, and by so much that a checker's own rounding is covered.
inline constexpr unsigned claim_bits = 56;
inline Rational claimed_above(const Ball& x) {
  return dyadic_above(x.upper() * (1 + power_of_two(-40)), claim_bits);
}
inline Rational claimed_below(const Ball& x) {
  return dyadic_below(x.lower() * (1 - power_of_two(-40)), claim_bits);
}
inline std::string number_above(const Ball& x) {
  return certificate_number(claimed_above(x));
}
inline std::string number_below(const Ball& x) {
  return certificate_number(claimed_below(x));
}

// " WORD LO HI" of a number that a checker encloses by itself: the ball and 2^-50 of its size to either side,
// and 2^-100; of what may become tiny, and is not negative, 2^-2000 instead.
inline std::string stated_band(const std::string& word, const Ball& x, bool tiny = false) {
  constexpr unsigned band_bits = 64;
  const Rational size = std::max(abs(x.lower()), abs(x.upper()));
  const Rational room = size * power_of_two(-50) + power_of_two(tiny ? -2000 : -100);
  return ' ' + word + ' ' + certificate_number(dyadic_below(x.lower() - room, band_bits)) + ' ' +
         certificate_number(dyadic_above(x.upper() + room, band_bits));
}

}  // namespace attest
