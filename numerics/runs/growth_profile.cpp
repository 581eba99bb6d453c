#include "numerics/runs/growth_profile.hpp"

#include <algorithm>

namespace attest {

void GrowthProfile::sample(std::uint64_t t, double bits) {
  const double grown = std::max(0.0, bits);
  double before = 0;
  if (!samples_.empty()) {
    const Sample& last = samples_.back();
    before = last.before + 0.5 * (last.bits + grown) * static_cast<double>(t - last.step);
  }
  samples_.push_back({t, grown, before});
}

double GrowthProfile::until(std::uint64_t t) const {
  const auto after =
      std::upper_bound(samples_.begin(), samples_.end(), t,
                       [](std::uint64_t step, const Sample& sample) { return step < sample.step; });
  if (after == samples_.begin()) return 0;
  const Sample& at = *(after - 1);
  double steps = static_cast<double>(t - at.step);
  double bits = at.bits;
  if (after == samples_.end()) {
    steps = std::min(steps, 3 * static_cast<double>(at.step) + 8);
  } else {
    bits += 0.5 * (after->bits - at.bits) * steps / static_cast<double>(after->step - at.step);
  }
  return at.before + bits * steps;
}

double GrowthProfile::most_from(std::uint64_t t) const {
  double most = samples_.empty() ? 0 : samples_.back().bits;
  for (auto at = samples_.rbegin(); at != samples_.rend() && at->step >= t; ++at)
    most = std::max(most, at->bits);
  return most;
}

}  // namespace attest
