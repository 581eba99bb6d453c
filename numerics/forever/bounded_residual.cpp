#include "numerics/forever/bounded_residual.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/forever/proof.hpp"
#include "numerics/forever/region_bounds.hpp"

namespace attest {
namespace {

template <typename Number>
struct ResidualImage {
  std::vector<Number> attention;
  Number step{0.0}, outside{0.0}, reach{0.0};
  Number bound{0.0};           // X_e
  Number centre_norm{0.0};     // ||p||
  Number start_distance{0.0};  // x_0
  Number log_weight{0.0}, growth{0.0};
};

// Nothing when a hypothesis that is not of the form F(constants) <= constants is not certain.
template <typename Number>
std::optional<ResidualImage<Number>> residual_image(const SelectionFacts<Number>& facts,
                                                    const SupportFacts<Number>& support,
                                                    const StartPoint<Number>& start, StepLength length,
                                                    const Number& eta, const RegionConstants& constants) {
  using std::exp;
  using std::fmax;
  using std::sqrt;
  const Number one(1.0), four(4.0);
  const Number reach(constants.reach), step(constants.step), outside(constants.outside);
  const auto bounds = factor_bounds(facts, constants, false);
  if (!bounds) return std::nullopt;
  ResidualImage<Number> image;
  image.log_weight = bounds->log_weight;
  const Number left = facts.margin - outside * facts.norm_bound;
  if (!positive(left)) return std::nullopt;
  if (!at_most(step * support.diameter * support.diameter, four * left)) return std::nullopt;

  // Start: the parts of w_0 - y_0 u in and orthogonal to U, and its distance from p_inf.
  std::vector<Number> products, distances;
  for (std::size_t k = 0; k < support.support.size(); ++k) {
    products.push_back(start.offsets[support.support[k]]);
    distances.push_back(products.back() - support.limit[k]);
  }
  const Number in_square = quadratic_form(support.inverse, products);
  image.start_distance = sqrt(fmax(quadratic_form(support.inverse, distances), Number(0.0)));
  image.centre_norm = sqrt(support.limit_norm * support.limit_norm +
                           fmax(start.residual * start.residual - in_square, Number(0.0)));

  Number push(0.0), drift(0.0), noise(0.0), far(0.0);
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    const SelectionGroup<Number>& group = facts.groups[i];
    const Number eps(constants.attention[i]);
    Number odds(0.0);
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<Number>& k = facts.constraints[c];
      if (k.active && !with_head(facts.loss, facts.weight,
                                 [&](const auto& head) { return head.steady(group, eps, k.gap); }))
        return std::nullopt;
      const Number low = start.margins[c] - k.spread * reach;
      odds += k.counted(exp(-low));
      push += bounds->high[c] * exp(-low);
      noise += k.counted(support.sensitivity[i] * exp(k.margin_rate * step - low) / k.margin_rate);
      if (k.active) continue;
      if (!positive(k.excess)) return std::nullopt;
      const Number pull = bounds->high[c] * exp(k.spread * reach - start.offsets[c] - image.log_weight);
      if (!constants.inside[c]) drift += pull;
      far += pull * exp(k.excess * step) / (left * k.excess) * k.spread;
    }
    image.attention.push_back(odds / (one + odds));
  }
  image.outside = drift;
  image.step = length == StepLength::constant ? eta : eta * facts.norm_bound * push;
  image.bound = sqrt(image.start_distance * image.start_distance + four * noise / left) + far;
  image.reach = image.bound + image.start_distance;
  const bool everything =
      std::find(constants.inside.begin(), constants.inside.end(), false) == constants.inside.end();
  image.growth = length == StepLength::gradient ? facts.margin * left * exp(image.log_weight)
                 : everything                   ? facts.least_cosine
                                                : left / (facts.norm_bound * (one + outside));
  return image;
}

// Constants that seem to prove the theorem with the given P; a guess.
std::optional<RegionConstants> propose_residual(const SelectionFacts<double>& facts,
                                                const SupportFacts<double>& support,
                                                const StartPoint<double>& start, const LaterSteps& steps,
                                                const std::vector<bool>& inside) {
  if (!without_loss_gap(step_length(steps.spec))) return std::nullopt;
  const double eta = steps.largest.ball().approx_mid();
  RegionConstants constants;
  constants.inside = inside;
  constants.attention.assign(facts.groups.size(), 0);
  for (int round = 0; round < 400; ++round) {
    const auto image = residual_image(facts, support, start, step_length(steps.spec), eta, constants);
    if (!image || !std::isfinite(image->reach) || !std::isfinite(image->step)) return std::nullopt;
    RegionConstants next = constants;
    ConstantsRaised raise;
    for (std::size_t i = 0; i < facts.groups.size(); ++i) raise(next.attention[i], image->attention[i]);
    raise(next.step, image->step);
    raise(next.outside, image->outside);
    raise(next.reach, image->reach);
    if (raise.settled()) return constants;
    constants = std::move(next);
  }
  return std::nullopt;
}

// Every hypothesis with these constants, certified.
std::optional<ForeverProof> prove_residual(const SelectionFacts<BallNumber>& facts,
                                           const SupportFacts<BallNumber>& support,
                                           const StartPoint<BallNumber>& start, const LaterSteps& steps,
                                           const RegionConstants& constants) {
  if (!without_loss_gap(step_length(steps.spec))) return std::nullopt;
  for (std::size_t c = 0; c < facts.constraints.size(); ++c) {
    if (facts.constraints[c].active && !constants.inside[c]) return std::nullopt;
    if (constants.inside[c] && facts.better[c]) return std::nullopt;
  }
  if (!(constants.reach > 0) || !(constants.outside >= 0) || !(constants.step > 0)) return std::nullopt;
  for (const double eps : constants.attention) {
    if (!(eps > 0)) return std::nullopt;
  }
  const auto image = residual_image(facts, support, start, step_length(steps.spec), steps.largest, constants);
  if (!image) return std::nullopt;
  const auto dominated = [](const BallNumber& value, double constant) {
    return at_most(value, BallNumber(constant));
  };
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    if (!dominated(image->attention[i], constants.attention[i])) return std::nullopt;
  }
  if (!dominated(image->reach, constants.reach) || !dominated(image->step, constants.step) ||
      !dominated(image->outside, constants.outside)) {
    return std::nullopt;
  }
  ForeverProof proof;
  proof.t0 = start.step;
  proof.steps = steps;
  proof.logarithmic = step_length(steps.spec) == StepLength::gradient;
  proof.margin = facts.margin;
  proof.start_height = start.height;
  proof.growth = image->growth;
  proof.centre_norm = image->centre_norm;
  proof.path_offset = image->bound * image->bound;
  proof.start_distance = image->start_distance;
  proof.start_margins = start.margins;
  BoundedResidual evidence{constants, {}, support.least_eigenvalue};
  const std::size_t size = support.support.size();
  for (std::size_t a = 0; a < size; ++a) {
    BallNumber sum(0.0);
    for (std::size_t b = 0; b < size; ++b) {
      sum += support.inverse[a * size + b] * (start.offsets[support.support[b]] - support.limit[b]);
    }
    evidence.pull.emplace_back(support.support[a], sum);
  }
  proof.theorem = std::move(evidence);
  return proof;
}

}  // namespace

std::optional<ForeverProof> BoundedResidual::prove(const TheoremPoint& point) {
  for (const std::vector<bool>& inside : point.regions) {
    const auto constants =
        propose_residual(point.guess, point.support_guess, point.start_guess, point.steps, inside);
    if (!constants) continue;
    if (auto proof = prove_residual(point.facts, *point.support, point.start, point.steps, *constants))
      return proof;
  }
  return std::nullopt;
}

}  // namespace attest
