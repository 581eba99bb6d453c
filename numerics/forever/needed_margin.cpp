#include "numerics/forever/needed_margin.hpp"

#include <algorithm>

#include "numerics/forever/absorbing_region.hpp"

namespace attest {
namespace {

// The point with every margin at least `level`. On the support y = sum mu_c m_c / gamma, whatever W is.
StartPoint<double> raised(const SelectionFacts<double>& facts, StartPoint<double> point, double level) {
  double height = 0;
  for (std::size_t c = 0; c < point.margins.size(); ++c) {
    point.margins[c] = std::max(point.margins[c], level);
    height += facts.constraints[c].share * point.margins[c];
  }
  point.height = height / facts.margin;
  for (std::size_t c = 0; c < point.margins.size(); ++c)
    point.offsets[c] = point.margins[c] - facts.margin * point.height;
  return point;
}

bool region_seems_proved(const SelectionFacts<double>& facts, const std::vector<std::vector<bool>>& regions,
                         const LaterSteps& steps, const StartPoint<double>& point) {
  if (facts.globally_optimal) {
    const std::vector<bool> everything(facts.constraints.size(), true);
    if (propose_region(facts, point, steps, everything, true)) return true;
  }
  if (!without_loss_gap(step_length(steps.spec))) return false;
  return std::any_of(regions.begin(), regions.end(), [&](const std::vector<bool>& inside) {
    return propose_region(facts, point, steps, inside, false).has_value();
  });
}

}  // namespace

std::optional<double> approx_needed_margin(const SelectionFacts<BallNumber>& facts, const OptimizerSpec& spec,
                                           const StartPoint<BallNumber>& start, const Budget& budget) {
  if (step_length(spec) == StepLength::other || facts.constraints.empty()) return std::nullopt;
  const SelectionFacts<double> guess = approximate(facts);
  const StartPoint<double> point = approximate(start);
  const std::vector<std::vector<bool>> regions = region_sets(guess);
  const LaterSteps steps(spec, start.step);
  const auto proved = [&](double level) {
    budget.poll();
    return region_seems_proved(guess, regions, steps, raised(guess, point, level));
  };
  double high = 1;
  while (!proved(high)) {
    high *= 2;
    if (high > 0x1p40) return std::nullopt;
  }
  double low =
      high > 1 ? high / 2 : std::min(0.0, *std::min_element(point.margins.begin(), point.margins.end()));
  while (high - low > 0.01 * std::max(1.0, std::abs(high))) {
    const double middle = low + (high - low) / 2;
    (proved(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace attest
