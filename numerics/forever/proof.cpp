#include "numerics/forever/proof.hpp"

#include <type_traits>

namespace attest {
namespace {

// The shape of the bound (path_offset + path_rate y)/y^2 under this growth; `sharp` when path_rate = 0.
std::string rate_of(const OptimizerSpec& spec, bool sharp) {
  // y grows like sum eta_t for steps of fixed length (and for Polyak's), like its logarithm for gradient
  // descent.
  if (step_length(spec) != StepLength::gradient) {
    switch (spec.schedule) {
      case Schedule::constant:
        return sharp ? "1/t^2" : "1/t";
      case Schedule::inverse_sqrt:
        return sharp ? "1/t" : "t^(-1/2)";
      case Schedule::inverse:
        return sharp ? "1/log(t)^2" : "1/log(t)";
    }
  }
  if (spec.schedule == Schedule::inverse) return sharp ? "1/log(log(t))^2" : "1/log(log(t))";
  return sharp ? "1/log(t)^2" : "1/log(t)";
}

template <std::size_t first>
std::optional<ForeverProof> prove_from(TheoremFamily family, const TheoremPoint& point) {
  if constexpr (first == std::variant_size_v<ForeverTheorem>) {
    return std::nullopt;
  } else {
    using Theorem = std::variant_alternative_t<first, ForeverTheorem>;
    if (Theorem::family == family) {
      if (auto proof = Theorem::prove(point)) return proof;
    }
    return prove_from<first + 1>(family, point);
  }
}

}  // namespace

std::optional<ForeverProof> prove(TheoremFamily family, const TheoremPoint& point) {
  return prove_from<0>(family, point);
}

std::string ForeverProof::name() const {
  return std::visit([](const auto& proved) { return std::string(proved.name); }, theorem);
}

std::string ForeverProof::rate() const {
  return std::visit([&](const auto& proved) { return rate_of(steps.spec, proved.sharp); }, theorem);
}

BallNumber ForeverProof::height_at(std::uint64_t t) const {
  const BallNumber total = steps.total_until(t);
  if (!logarithmic) return start_height + growth * total;
  // y_0 + (1/gamma) log(1 + growth total e^{-gamma y_0})
  return start_height + log(BallNumber(1.0) + growth * total * exp(-(margin * start_height))) / margin;
}

BallNumber ForeverProof::residual_at_height(const BallNumber& height) const {
  return sqrt(path_offset + path_rate * (height - start_height));
}

BallNumber ForeverProof::one_minus_cos_at(std::uint64_t t) const {
  BallNumber two(2.0);
  const BallNumber lowest = height_at(t);
  if (!positive(lowest)) return two;
  // The bound B(y) = (||p|| + sqrt(a + b (y - y_0)))^2 / (2 y^2) must hold for every y >= lowest. B'(y) has
  // the sign of 2 b y_0 - 2 a - b y - 2 ||p|| sqrt(a + b (y - y_0)), which decreases: if it is not positive
  // at `lowest`, B decreases from there on; it never is positive beyond 2 y_0.
  const BallNumber residual = residual_at_height(lowest);
  const BallNumber turn =
      path_rate * (two * start_height - lowest) - two * path_offset - two * centre_norm * residual;
  BallNumber top = centre_norm + residual;
  if (!at_most(turn, BallNumber(0.0)))
    top = centre_norm + sqrt(path_offset + path_rate * fmax(start_height, lowest - start_height));
  const BallNumber tangent = top / lowest;
  return fmin(tangent * tangent / two, two);
}

BallNumber ForeverProof::margin_at(const SelectionFacts<BallNumber>& facts, std::size_t constraint,
                                   std::uint64_t t) const {
  const ConstraintFacts<BallNumber>& c = facts.constraints[constraint];
  const BallNumber risen = height_at(t) - start_height;
  const BallNumber away = start_margins[constraint] - c.spread * start_distance;
  const BallNumber offset = region_rate ? BallNumber(0.0) : path_offset;
  const BallNumber slope = region_rate ? *region_rate : path_rate;
  if (arb_is_zero(slope.ball().raw()) != 0) return away + c.margin_rate * risen - c.spread * sqrt(offset);
  // gamma_c (z^2 - a)/b - delta_c z over z >= sqrt(a + b risen) is least at its vertex delta_c b/(2 gamma_c)
  // or the end.
  const BallNumber end = sqrt(offset + slope * risen);
  const BallNumber z = fmax(end, c.spread * slope / (BallNumber(2.0) * c.margin_rate));
  return away + c.margin_rate * (z * z - offset) / slope - c.spread * z;
}

// The bound of m_c is convex in the height from its least value on: its tangent at height_at(t) is below it.
BallNumber ForeverProof::margin_growth_at(const SelectionFacts<BallNumber>& facts, std::size_t constraint,
                                          std::uint64_t t) const {
  if (logarithmic || steps.spec.schedule != Schedule::constant) return BallNumber(0.0);
  const ConstraintFacts<BallNumber>& c = facts.constraints[constraint];
  const BallNumber offset = region_rate ? BallNumber(0.0) : path_offset;
  const BallNumber slope = region_rate ? *region_rate : path_rate;
  BallNumber tangent = c.margin_rate;
  if (arb_is_zero(slope.ball().raw()) == 0) {
    const BallNumber end = sqrt(offset + slope * (height_at(t) - start_height));
    if (!positive(end)) return BallNumber(0.0);
    tangent = tangent - c.spread * slope / (BallNumber(2.0) * end);
  }
  return tangent * growth * number(steps.spec.step);
}

BallNumber ForeverProof::unselected_at(const SelectionFacts<BallNumber>& facts, std::size_t group,
                                       std::uint64_t t) const {
  const SelectionGroup<BallNumber>& tokens = facts.groups[group];
  BallNumber sum(0.0), least_gap = facts.constraints[tokens.first].gap;
  for (std::size_t c = tokens.first; c < tokens.last; ++c) {
    sum += facts.constraints[c].counted(exp(-margin_at(facts, c, t)));
    least_gap = fmin(least_gap, facts.constraints[c].gap);
  }
  const BallNumber by_margins = fmin(sum / (BallNumber(1.0) + sum), BallNumber(1.0));
  // f_i >= flo_i and f_i <= g_alpha - (1 - s_alpha) (least gap).
  return floors.empty() ? by_margins : fmin(by_margins, (tokens.score - floors[group]) / least_gap);
}

bool ForeverProof::dominates_after(const SelectionFacts<BallNumber>& facts, std::uint64_t t) const {
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    if (!positive(BallNumber(0.5) - unselected_at(facts, i, t))) return false;
  }
  return true;
}

std::optional<std::uint64_t> ForeverProof::dominates_from(const SelectionFacts<BallNumber>& facts) const {
  constexpr std::uint64_t most = 100000000000000000;
  if (dominates_after(facts, t0)) return t0;
  std::uint64_t before = t0, from = t0 + 1;  // the bound improves with t
  while (!dominates_after(facts, from)) {
    if (from - t0 > most / 4) return std::nullopt;
    before = from;
    from += 3 * (from - t0);
  }
  while (from - before > 1) {
    const std::uint64_t middle = before + (from - before) / 2;
    (dominates_after(facts, middle) ? from : before) = middle;
  }
  return from;
}

}  // namespace attest
