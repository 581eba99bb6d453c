#include "numerics/forever/absorbing_region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "numerics/forever/region_bounds.hpp"

namespace attest {
namespace {

// F(constants): each of them must be at least its image.
template <typename Number>
struct RegionImage {
  std::vector<Number> attention, output;
  Number path{0.0}, step{0.0}, outside{0.0}, pull{0.0};
  Number gibbs{0.0}, log_weight{0.0}, growth{0.0};
  double decay = 0;  // theta: the constants' own in a proof, the one that suits them in a proposal
};

// theta > 0 that nearly minimises R(theta)/theta: exact for the heaviest single term.
double propose_decay(const SelectionFacts<double>& facts, const StartPoint<double>& start,
                     const RegionConstants& constants, const std::vector<double>& weight) {
  double heaviest = -std::numeric_limits<double>::infinity(), decay = 0;
  for (std::size_t c = 0; c < facts.constraints.size(); ++c) {
    const ConstraintFacts<double>& k = facts.constraints[c];
    if (constants.inside[c]) continue;
    const double size =
        std::log(weight[c]) - start.offsets[c] + k.spread * k.spread * constants.path / (4 * k.excess);
    if (size <= heaviest) continue;
    heaviest = size;
    decay = (std::sqrt(k.spread * k.spread + 8 * k.excess / constants.path) - k.spread) / 2;
  }
  return decay;
}

// What F's constants need, found group by group.
template <typename Number>
struct RegionSums {
  Number push{0.0};  // the length of a gradient descent step, over eta times the norm bound
  Number drift{0.0}, drift_decay{0.0};  // of what is outside
};

// Lowest margins in the region, attention and output there, and the sums; false where a rate is not positive.
template <typename Number>
bool bound_groups(const SelectionFacts<Number>& facts, const StartPoint<Number>& start,
                  const RegionConstants& constants, const FactorBounds<Number>& bounds,
                  RegionImage<Number>& image, RegionSums<Number>& sums) {
  using std::exp;
  using std::fmax;
  using std::log;
  const Number path(constants.path), decay(image.decay), one(1.0), four(4.0);
  Number weights(0.0);
  for (const SelectionGroup<Number>& group : facts.groups) {
    Number odds(0.0), deficit(0.0);
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<Number>& k = facts.constraints[c];
      if (!positive(k.margin_rate)) return false;
      const Number low = start.margins[c] - k.spread * k.spread * path / (four * k.margin_rate);
      const Number share = exp(-low);
      odds += k.counted(share);
      deficit += k.counted(k.gap * share);
      sums.push += bounds.high[c] * share;
      if (constants.inside[c]) {
        weights += bounds.high[c] * exp(-start.offsets[c]);
        continue;
      }
      if (!positive(k.excess)) return false;
      const Number wide = k.spread + decay, curvature = path / (four * k.excess);
      sums.drift +=
          bounds.high[c] * exp(k.spread * k.spread * curvature - start.offsets[c] - image.log_weight);
      sums.drift_decay += bounds.high[c] * exp(wide * wide * curvature - start.offsets[c] - image.log_weight);
    }
    image.attention.push_back(odds / (one + odds));
    image.output.push_back(deficit);
  }
  // C >= 0 in truth (T7''); in doubles it may round below.
  image.gibbs = fmax(log(weights) - image.log_weight, Number(0.0));
  return true;
}

// thhi of T9p: the smaller of max gap/(gap - phi) and max 1/(1 - eps).
template <typename Number>
Number polyak_factor(const SelectionFacts<Number>& facts, const RegionConstants& constants) {
  using std::fmax;
  using std::fmin;
  const Number one(1.0);
  Number by_gap(1.0), by_attention(1.0);
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    by_attention = fmax(by_attention, one / (one - Number(constants.attention[i])));
    for (std::size_t c = facts.groups[i].first; c < facts.groups[i].last; ++c) {
      const Number& gap = facts.constraints[c].gap;
      by_gap = fmax(by_gap, gap / (gap - Number(constants.output[i])));
    }
  }
  return facts.loss == Loss::classifier ? by_attention : fmin(by_gap, by_attention);
}

// Length of a step, path and growth in the region of a global optimum.
template <typename Number>
bool conclude_global(RegionImage<Number>& image, const SelectionFacts<Number>& facts,
                     const RegionConstants& constants, StepLength length, const Number& eta,
                     const Number& push, const Number& slope_ratio) {
  using std::exp;
  const Number one(1.0), two(2.0);
  switch (length) {
    case StepLength::constant:
      image.step = eta;
      image.path = two * image.gibbs / facts.margin +
                   eta * (one - facts.least_cosine * facts.least_cosine) / facts.least_cosine;
      image.growth = facts.least_cosine;
      return true;
    case StepLength::gradient:
      image.step = eta * facts.norm_bound * push;
      image.path = two * image.gibbs / facts.margin + Number(constants.step) * facts.spread_ratio;
      image.growth = facts.margin * facts.margin * exp(image.log_weight);
      return true;
    case StepLength::polyak: {
      const Number factor = polyak_factor(facts, constants);
      image.step = eta * factor / facts.margin;
      image.path = (two * image.gibbs + eta * factor) / facts.margin;
      image.growth = slope_ratio * facts.margin / (facts.norm_bound * facts.norm_bound);
      return true;
    }
    case StepLength::other:
      break;
  }
  return false;
}

// The same, and what stays outside, in the region of a local optimum.
template <typename Number>
bool conclude_local(RegionImage<Number>& image, const SelectionFacts<Number>& facts,
                    const RegionConstants& constants, StepLength length, const Number& eta,
                    const RegionSums<Number>& sums) {
  using std::exp;
  const Number outside(constants.outside), one(1.0), two(2.0);
  if (!without_loss_gap(length)) return false;
  const Number left = facts.margin - outside * facts.norm_bound;
  if (!positive(left)) return false;
  image.outside = sums.drift;
  if (image.decay > 0)
    image.pull = two * facts.norm_bound * sums.drift_decay / (exp(one) * Number(image.decay));
  image.step = length == StepLength::constant ? eta : eta * facts.norm_bound * sums.push;
  image.path = (two * image.gibbs + Number(constants.pull) +
                Number(constants.step) * facts.norm_bound * (one + outside)) /
               left;
  image.growth = length == StepLength::constant ? left / (facts.norm_bound * (one + outside))
                                                : facts.margin * left * exp(image.log_weight);
  return true;
}

template <typename Number>
std::optional<RegionImage<Number>> region_image(const SelectionFacts<Number>& facts,
                                                const StartPoint<Number>& start, const StepLength length,
                                                const Number& eta, const RegionConstants& constants,
                                                bool global) {
  const auto bounds = factor_bounds(facts, constants, global);
  if (!bounds) return std::nullopt;
  RegionImage<Number> image;
  image.log_weight = bounds->log_weight;
  image.decay = constants.decay;
  if constexpr (std::is_same_v<Number, double>) {
    if (!global && constants.path > 0) image.decay = propose_decay(facts, start, constants, bounds->high);
  }
  RegionSums<Number> sums;
  const bool concluded =
      bound_groups(facts, start, constants, *bounds, image, sums) &&
      (global ? conclude_global(image, facts, constants, length, eta, sums.push, bounds->slope_ratio)
              : conclude_local(image, facts, constants, length, eta, sums));
  return concluded ? std::optional(std::move(image)) : std::nullopt;
}

}  // namespace

std::optional<RegionConstants> propose_region(const SelectionFacts<double>& facts,
                                              const StartPoint<double>& start, const LaterSteps& steps,
                                              const std::vector<bool>& inside, bool global) {
  const double eta = steps.largest.ball().approx_mid();
  RegionConstants constants;
  constants.attention.assign(facts.groups.size(), 0);
  constants.output.assign(facts.groups.size(), 0);
  constants.inside = inside;
  for (int round = 0; round < 400; ++round) {
    const auto image = region_image(facts, start, step_length(steps.spec), eta, constants, global);
    if (!image || !std::isfinite(image->path) || !std::isfinite(image->step) || !std::isfinite(image->pull)) {
      return std::nullopt;
    }
    RegionConstants next = constants;
    ConstantsRaised raise;
    for (std::size_t i = 0; i < facts.groups.size(); ++i) {
      raise(next.attention[i], image->attention[i]);
      if (global) raise(next.output[i], image->output[i]);
    }
    raise(next.path, image->path);
    raise(next.step, image->step);
    if (!global) {
      raise(next.outside, image->outside);
      raise(next.pull, image->pull);
    }
    if (raise.settled() && constants.path > 0) {
      constants.decay = image->decay;
      return constants;
    }
    constants = std::move(next);
  }
  return std::nullopt;
}

std::optional<ForeverProof> prove_region(const SelectionFacts<BallNumber>& facts,
                                         const StartPoint<BallNumber>& start, const LaterSteps& steps,
                                         const RegionConstants& constants, bool global) {
  const bool everything =
      std::find(constants.inside.begin(), constants.inside.end(), false) == constants.inside.end();
  if (global && !(facts.globally_optimal && everything)) return std::nullopt;
  for (std::size_t c = 0; c < facts.constraints.size(); ++c) {
    if (facts.constraints[c].active && !constants.inside[c]) return std::nullopt;
    if (constants.inside[c] && facts.better[c]) return std::nullopt;
  }
  if (!(constants.path > 0) || !(constants.outside >= 0) || !(constants.pull >= 0)) return std::nullopt;
  if (!everything && !(constants.decay > 0)) return std::nullopt;
  const auto image = region_image(facts, start, step_length(steps.spec), steps.largest, constants, global);
  if (!image) return std::nullopt;
  const auto dominated = [](const BallNumber& value, double constant) {
    return at_most(value, BallNumber(constant));
  };
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    if (!(constants.attention[i] >= 0) || !dominated(image->attention[i], constants.attention[i]))
      return std::nullopt;
    if (global && !dominated(image->output[i], constants.output[i])) return std::nullopt;
  }
  if (!dominated(image->path, constants.path) || !dominated(image->step, constants.step)) return std::nullopt;
  if (!global && !(dominated(image->outside, constants.outside) && dominated(image->pull, constants.pull))) {
    return std::nullopt;
  }

  ForeverProof proof;
  if (global) {
    proof.theorem = Absorbing{constants};
  } else {
    proof.theorem = LocalAbsorbing{constants};
  }
  proof.t0 = start.step;
  proof.steps = steps;
  proof.logarithmic = step_length(steps.spec) == StepLength::gradient;
  proof.margin = facts.margin;
  proof.start_height = start.height;
  proof.growth = image->growth;
  proof.centre_norm = start.residual;
  proof.path_rate = BallNumber(constants.path);
  proof.start_margins = start.margins;
  return proof;
}

std::vector<std::vector<bool>> region_sets(const SelectionFacts<double>& facts) {
  std::vector<std::vector<bool>> sets;
  for (std::size_t c = 0; c < facts.constraints.size(); ++c) {
    if (facts.constraints[c].active && facts.better[c]) return sets;
  }
  for (const double share : {0.0, 0.05, 0.2, 2.0}) {
    std::vector<bool> inside(facts.constraints.size());
    for (const SelectionGroup<double>& group : facts.groups) {
      for (std::size_t c = group.first; c < group.last; ++c) {
        const ConstraintFacts<double>& k = facts.constraints[c];
        // A constraint nearly as tight as S would pull for too long from outside.
        const bool far = k.excess > 0.05 * facts.margin;
        inside[c] = k.active || (!facts.better[c] && (!far || k.gap >= share * group.gap_above));
      }
    }
    if (std::find(sets.begin(), sets.end(), inside) == sets.end()) sets.push_back(std::move(inside));
  }
  return sets;
}

}  // namespace attest
