#include "numerics/factored/entrywise_bits.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/runs/ball_run.hpp"

namespace attest {
namespace {

// The run of growth_pilot.
class FactorPilot {
 public:
  FactorPilot(const Features& features, const FactoredSpec& spec, const FactoredStart& start)
      : features_(features), run_(features, spec, start) {}

  std::uint64_t step() const { return run_.step(); }
  double growth_bits() const { return growth_bits_; }
  IterationStatus evaluate(long bits) { return run_.evaluate(bits); }

  IterationStatus advance_unproved(std::uint64_t stride) {
    if (run_.step() % stride == 0) {
      FactoredIteration near = run_;
      near.widen_entries();
      const double before = near.log2_entry_radius();
      if (near.evaluate(features_.bits) == IterationStatus::ok &&
          near.advance_entries() == IterationStatus::ok) {
        const double grown = near.log2_entry_radius() - before;
        if (grown > 0) growth_bits_ += static_cast<double>(stride) * grown;
      }
    }
    const IterationStatus status = run_.advance_entries();
    run_.drop_radii();
    return status;
  }

 private:
  const Features& features_;
  FactoredIteration run_;
  double growth_bits_ = 0;
};

// As a checker goes through the steps: with the bits that they have left.
bool stays_narrow(FactoredIteration run, const Features& features, std::uint64_t steps,
                  const Budget& budget) {
  constexpr double wanted = 120;
  run.enclose_entries();
  for (; run.step() <= steps;) {
    budget.poll();
    constexpr double spare = 64;
    const double left = run.log2_entry_size() - run.log2_entry_radius();
    if (!(left >= wanted)) return false;
    const double bits = std::min(static_cast<double>(features.bits), left + spare);
    const IterationStatus status = run.evaluate(static_cast<long>(bits));
    if (status == IterationStatus::stationary) return true;
    if (status != IterationStatus::ok || run.advance_entries() != IterationStatus::ok) return false;
  }
  return true;
}

}  // namespace

double entrywise_bits(const TokenData& data, const FactoredSpec& spec, const FactoredStart& start,
                      std::uint64_t steps, const Budget& budget, double most) {
  const Features guess(data, GrowthPilot::bits);
  FactorPilot pilot(guess, spec, start);
  double bits = 224 + 1.1 * growth_pilot(pilot, steps, budget).whole;
  for (; bits < most; bits *= 1.3) {
    const Features features(data, static_cast<long>(bits));
    if (stays_narrow(FactoredIteration(features, spec, start), features, steps, budget)) break;
  }
  return 1.1 * bits + 64;
}

}  // namespace attest
