// How many bits a run is tried with, and what a failed attempt teaches.
#pragma once

#include <cstdint>
#include <optional>

#include "numerics/numbers/fixed_point.hpp"
#include "numerics/runs/run_attempt.hpp"

namespace attest {

class RunPrecision {
 public:
  // For so many correct bits at every step: with `fixed` fraction bits, or, when that is 0, with as many as
  // it takes. `resumed`: the format of the run that goes on, or null.
  RunPrecision(long correct_bits, long fixed, const FixedFormat* resumed);

  // Of the next attempt; nothing when no number has so many bits.
  std::optional<FixedFormat> format() const;
  bool is_fixed() const { return fixed_; }

  // The next attempt works with what the format of this one was rounded up to.
  void keep() { fraction_bits_ = rounded().fraction_bits; }
  // A coordinate left the range.
  void widen();
  // The bits did not prove a step of `failed`, of a run of `steps` steps. False when more of them do not
  // help: a step that fails with a sharp enclosure twice has numbers beyond all range.
  bool refine(const RunAttempt& failed, std::uint64_t steps);

 private:
  FixedFormat rounded() const;

  long correct_bits_;
  bool fixed_;
  long fraction_bits_, integer_bits_ = 32;
  std::uint64_t stuck_at_ = 0;  // the step at which the last attempt failed although its enclosure was sharp
};

}  // namespace attest
