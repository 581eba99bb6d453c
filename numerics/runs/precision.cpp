#include "numerics/runs/precision.hpp"

#include <algorithm>
#include <cmath>

namespace attest {

RunPrecision::RunPrecision(long correct_bits, long fixed, const FixedFormat* resumed)
    : correct_bits_(correct_bits),
      fixed_(fixed > 0),
      resumed_(resumed != nullptr),
      fraction_bits_(fixed > 0 ? fixed : correct_bits + 52) {
  if (resumed == nullptr) return;
  fraction_bits_ = resumed->fraction_bits;
  integer_bits_ = resumed->integer_bits();
}

void RunPrecision::expect(GrowthProfile growth, std::uint64_t steps, std::uint64_t resumed_step) {
  if (fixed_ || growth.empty()) return;
  growth_ = std::move(growth);
  steps_ = steps;
  if (resumed_ && rounded(expected_bits(resumed_step / stretch * stretch)) != rounded()) {
    growth_ = {};
  } else {
    fraction_bits_ = expected_bits(0);
  }
  // What is a few times what any number has may do for most of the steps; more is no guess to begin with.
  if (fraction_bits_ > 4 * most_bits()) {
    growth_ = {};
    fraction_bits_ = correct_bits_ + 52;
  }
  fraction_bits_ = std::min(fraction_bits_, most_bits());
}

void RunPrecision::make_room(double coordinate) {
  constexpr int room = 8;  // for the steps between, images and logits
  int exponent = 0;
  std::frexp(coordinate, &exponent);
  while (!resumed_ && exponent + room >= integer_bits_) widen();
}

long RunPrecision::expected_bits(std::uint64_t t) const {
  // A tenth for the steps that were not looked at, and what roundings of some thousand steps come to.
  const double left = std::min(growth_.until(steps_) - growth_.until(t), 1e6);
  // Where single steps take many bits, a few of them more or less.
  const double single = 4 * std::clamp(growth_.most_from(t) - 4, 0.0, 28.0);
  return correct_bits_ + std::max(52L, static_cast<long>(1.1 * left + single) + 28);
}

FixedFormat RunPrecision::format_at(std::uint64_t t) const {
  if (growth_.empty()) return rounded();
  const long more = std::max(0L, fraction_bits_ - expected_bits(0));  // than expected, after a failed attempt
  return rounded(std::min(more + expected_bits(t / stretch * stretch), fraction_bits_));
}

FixedFormat RunPrecision::rounded(long fraction_bits) const {
  return format_of(fraction_bits, integer_bits_);
}

std::optional<FixedFormat> RunPrecision::format() const {
  const FixedFormat format = rounded();
  return format.limbs <= max_fixed_limbs ? std::optional(format) : std::nullopt;
}

void RunPrecision::widen() {
  keep();
  integer_bits_ *= 2;
}

bool RunPrecision::refine(const RunAttempt& failed, std::uint64_t steps) {
  const bool sharp = failed.sharp && failed.step > 0;
  if (sharp && stuck_at_ == failed.step) return false;
  stuck_at_ = sharp ? failed.step : 0;
  // What the amplification so far suggests for the whole run, but at least a quarter and one word more, and
  // at most four times.
  const double whole = failed.amplification_bits * static_cast<double>(steps) /
                       static_cast<double>(std::max<std::uint64_t>(failed.step, 1));
  const long predicted = correct_bits_ + 60 + static_cast<long>(std::min(whole, 1e6));
  const long had = rounded().fraction_bits;
  fraction_bits_ = std::clamp(predicted, had + std::max(64L, had / 4), 4 * had);
  // All there are, where they seem to do.
  if (fraction_bits_ > most_bits() && predicted <= most_bits() && had < most_bits())
    fraction_bits_ = most_bits();
  return true;
}

}  // namespace attest
