#include "numerics/runs/ball_run.hpp"

#include <algorithm>

namespace attest {

bool decided(const SeenSelection& seen) {
  return std::all_of(seen.begin(), seen.end(), [](const auto& token) { return token.has_value(); });
}

bool settled(const SeenSelection& seen, const Selection& selection) {
  return decided(seen) && std::equal(seen.begin(), seen.end(), selection.begin(), selection.end());
}

double GrowthPilot::left_at(std::uint64_t step) const {
  const std::size_t at = std::min<std::size_t>(step / stride, growth.size() - 1);
  return std::max(0.0, whole - growth[at]);
}

namespace {

constexpr std::size_t most_differences = 1500;
constexpr long most_bits = 60000, guard_bits = 64;

// For errors that grow by so many bits.
double bits_for(const StepBits& bits, double growth) {
  return static_cast<double>(bits.wanted + guard_bits) + bits.reserve * growth + (bits.reserve - 1) * 400;
}

}  // namespace

long StepBits::at(const GrowthPilot& pilot, std::uint64_t step) const {
  return fixed != 0 ? fixed : static_cast<long>(bits_for(*this, pilot.left_at(step)));
}

std::optional<long> StepBits::first(const GrowthPilot& pilot) const {
  const double most = fixed != 0 ? static_cast<double>(fixed) : bits_for(*this, pilot.whole) + 1;
  return most <= most_bits ? std::optional(static_cast<long>(most)) : std::nullopt;
}

std::optional<std::string> too_many_differences(const TokenData& data, const std::string& of,
                                                const std::string& instead) {
  const std::size_t differences = constraint_count(data);
  if (differences <= most_differences) return std::nullopt;
  return "size: " + std::to_string(differences) + " token differences; error bounds of " + of +
         " take at most " + std::to_string(most_differences) + "; fewer sequences, or " + instead +
         ", may be followed";
}

RunVerdict verdict_of(RunEnding ending) {
  return ending == RunEnding::reached      ? RunVerdict::complete
         : ending == RunEnding::stationary ? RunVerdict::stationary
                                           : RunVerdict::undecided;
}

std::string at_step(std::uint64_t step) {
  return " (at step " + std::to_string(step) + ")";
}

std::string too_few_bits(long bits, std::uint64_t step) {
  return "precision: " + std::to_string(bits) + " bits do not prove the step from " + std::to_string(step);
}

}  // namespace attest
