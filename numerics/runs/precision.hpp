// How many bits a run is tried with, and what a failed attempt teaches.
#pragma once

#include <cstdint>
#include <optional>

#include "numerics/numbers/fixed_point.hpp"
#include "numerics/runs/attempt.hpp"
#include "numerics/runs/growth_profile.hpp"

namespace attest {

class RunPrecision {
 public:
  // For so many correct bits at every step: with `fixed` fraction bits, or, when that is 0, with as many as
  // it takes. `resumed`: the format of the run that goes on, or null.
  RunPrecision(long correct_bits, long fixed, const FixedFormat* resumed);

  // Errors of the run's steps are thought to grow like this: an attempt begins with room for that and drops
  // bits that the steps to come do not need. Bits that were asked for stay, and so do those of a run that had
  // others at the step it goes on from.
  void expect(GrowthProfile growth, std::uint64_t steps, std::uint64_t resumed_step);

  // Coordinates are thought to become as large as that: an attempt begins with room for them, unless it goes
  // on with the numbers of another.
  void make_room(double coordinate);

  // Of the next attempt's start; nothing when no number has so many bits.
  std::optional<FixedFormat> format() const;
  // Of its steps from t on: never more than before. It changes at multiples of `stretch` only.
  FixedFormat format_at(std::uint64_t t) const;
  static constexpr std::uint64_t stretch = 64;
  bool is_fixed() const { return fixed_; }

  // The next attempt works with what the format of this one was rounded up to.
  void keep() { fraction_bits_ = rounded().fraction_bits; }
  // A coordinate left the range.
  void widen();
  // The bits did not prove a step of `failed`, of a run of `steps` steps. False when more of them do not
  // help: a step that fails with a sharp enclosure twice has numbers beyond all range.
  bool refine(const RunAttempt& failed, std::uint64_t steps);

 private:
  FixedFormat rounded() const { return rounded(fraction_bits_); }
  FixedFormat rounded(long fraction_bits) const;
  // With these integer bits no number has more.
  long most_bits() const { return 64 * static_cast<long>(max_fixed_limbs) - integer_bits_; }
  // The fraction bits that the steps from t on take, if errors grow as expected.
  long expected_bits(std::uint64_t t) const;

  long correct_bits_;
  bool fixed_, resumed_;
  long fraction_bits_, integer_bits_ = 32;
  GrowthProfile growth_;  // empty: bits are the same at every step
  std::uint64_t steps_ = 0;
  std::uint64_t stuck_at_ = 0;  // the step at which the last attempt failed although its enclosure was sharp
};

}  // namespace attest
