#include "numerics/runs/run_precision.hpp"

#include <algorithm>

namespace attest {

RunPrecision::RunPrecision(long correct_bits, long fixed, const FixedFormat* resumed)
    : correct_bits_(correct_bits), fixed_(fixed > 0), fraction_bits_(fixed > 0 ? fixed : correct_bits + 52) {
  if (resumed == nullptr) return;
  fraction_bits_ = resumed->fraction_bits;
  integer_bits_ = resumed->integer_bits();
}

FixedFormat RunPrecision::rounded() const {
  const long limbs = (fraction_bits_ + integer_bits_ + 63) / 64;
  return {static_cast<std::size_t>(limbs), 64 * limbs - integer_bits_};
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
  return true;
}

}  // namespace attest
