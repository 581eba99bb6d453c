#include "numerics/forever/margin_shortfall.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/forever/absorbing_region.hpp"

namespace attest {
namespace {

// The margin of constraint c at that level.
double needed_at(const SelectionFacts<double>& facts, std::size_t c, double level, bool on_ray) {
  return on_ray ? level * facts.constraints[c].margin_rate / facts.margin : level;
}

// The point with every margin at least that. On the support y = sum mu_c m_c / gamma, whatever W is.
StartPoint<double> raised(const SelectionFacts<double>& facts, StartPoint<double> point, double level,
                          bool on_ray) {
  double height = 0;
  for (std::size_t c = 0; c < point.margins.size(); ++c) {
    point.margins[c] = std::max(point.margins[c], needed_at(facts, c, level, on_ray));
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

// The least level at which `proved` holds, within 1 %; nothing where none up to 2^40 does.
template <typename Proved>
std::optional<double> least_level(const StartPoint<double>& point, const Proved& proved) {
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

}  // namespace

std::optional<MarginShortfall> approx_shortfall(const RunGeometry& geometry,
                                                const SelectionFacts<BallNumber>& facts,
                                                const OptimizerSpec& spec, const StartPoint<double>& point,
                                                const Budget& budget) {
  if (step_length(spec) == StepLength::other || facts.constraints.empty()) return std::nullopt;
  const SelectionFacts<double> guess = approximate(facts);
  const std::vector<std::vector<bool>> regions = region_sets(guess);
  const LaterSteps steps(spec, point.step);
  MarginShortfall found;
  found.step = point.step;
  const auto try_levels = [&](bool on_ray) {
    found.on_ray = on_ray;
    return least_level(point, [&](double level) {
      budget.poll();
      return region_seems_proved(guess, regions, steps, raised(guess, point, level, on_ray));
    });
  };
  std::optional<double> level = try_levels(false);
  if (!level) level = try_levels(true);
  if (!level) return std::nullopt;
  found.level = *level;
  std::vector<std::size_t> below;
  for (std::size_t c = 0; c < point.margins.size(); ++c) {
    if (point.margins[c] < needed_at(guess, c, *level, found.on_ray)) below.push_back(c);
  }
  if (below.empty()) return std::nullopt;
  std::stable_sort(below.begin(), below.end(),
                   [&](std::size_t a, std::size_t b) { return point.margins[a] < point.margins[b]; });
  found.least = point.margins[below.front()];
  for (const std::size_t c : below) {
    const RunGroup& group = geometry.groups[facts.constraints[c].group];
    found.below.push_back({group.original, facts.constraints[c].row - group.first_row});
  }
  return found;
}

}  // namespace attest
