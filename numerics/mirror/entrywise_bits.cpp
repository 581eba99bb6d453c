#include "numerics/mirror/entrywise_bits.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/entry_errors.hpp"
#include "numerics/runs/ball_run.hpp"

namespace attest {
namespace {

// The run of growth_pilot.
class EntrywisePilot {
 public:
  EntrywisePilot(const Features& features, const MirrorSpec& spec, const ExactArray& start)
      : features_(features), spec_(spec), potential_(spec.exponent), dual_(features.d * features.e) {
    for (std::size_t j = 0; j < start.size(); ++j)
      dual_[j] = potential_.gradient(Ball(start.exact(j), features.bits), features.bits);
  }

  std::uint64_t step() const { return step_; }
  double growth_bits() const { return growth_bits_; }

  IterationStatus evaluate(long bits) {
    std::vector<Ball> primal;
    for (const Ball& z : dual_) primal.push_back(potential_.inverse_gradient(z, bits));
    if (!all_finite(primal)) return IterationStatus::precision;
    std::vector<std::vector<Ball>> values;
    for (FeatureWeights& weights : features_.weigh(primal, spec_.steps.loss))
      values.push_back(std::move(weights.weight));
    velocity_ = features_.combine(values);
    if (all_zero(velocity_)) return IterationStatus::stationary;
    step_size(factor_.raw(), spec_.steps, step_, bits);
    if (spec_.normalised) factor_ = div(factor_, potential_.dual_norm(velocity_, bits), bits);
    return factor_.is_finite() ? IterationStatus::ok : IterationStatus::precision;
  }

  // As a checker goes through the steps.
  bool stays_narrow(std::uint64_t steps, const Budget& budget) {
    constexpr double wanted = 120;
    for (; step_ <= steps; ++step_) {
      budget.poll();
      double size = 0;
      for (const Ball& z : dual_) size = std::max(size, std::abs(z.approx_mid()));
      if (size > 0 && !(log2_radius(dual_) <= std::log2(size) - wanted)) return false;
      const IterationStatus status = evaluate(features_.bits);
      if (status == IterationStatus::stationary) return true;
      if (status != IterationStatus::ok) return false;
      move();
    }
    return true;
  }

  IterationStatus advance_unproved(std::uint64_t stride) {
    if (step_ % stride == 0) {
      EntrywisePilot near = *this;
      widen_for_pilot({&near.dual_});
      const double before = log2_radius(near.dual_);
      if (near.evaluate(features_.bits) == IterationStatus::ok) {
        near.move();
        const double grown = log2_radius(near.dual_) - before;
        if (grown > 0) growth_bits_ += static_cast<double>(stride) * grown;
      }
    }
    move();
    make_exact(dual_);
    ++step_;
    return all_finite(dual_) ? IterationStatus::ok : IterationStatus::precision;
  }

 private:
  void move() {
    for (std::size_t j = 0; j < dual_.size(); ++j)
      add_product(dual_[j], factor_, velocity_[j], features_.bits);
  }

  const Features& features_;
  const MirrorSpec& spec_;
  Potential potential_;
  std::vector<Ball> dual_, velocity_;
  Ball factor_;
  std::uint64_t step_ = 0;
  double growth_bits_ = 0;
};

}  // namespace

double entrywise_bits(const TokenData& data, const MirrorSpec& spec, const ExactArray& start,
                      std::uint64_t steps, const Budget& budget, double most) {
  const Features guess(data, GrowthPilot::bits);
  EntrywisePilot pilot(guess, spec, start);
  double bits = 224 + 1.1 * growth_pilot(pilot, steps, budget).whole;
  for (; bits < most; bits *= 1.3) {
    const Features features(data, static_cast<long>(bits));
    if (EntrywisePilot(features, spec, start).stays_narrow(steps, budget)) break;
  }
  return 1.1 * bits + 64;
}

}  // namespace attest
