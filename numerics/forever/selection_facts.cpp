#include "numerics/forever/selection_facts.hpp"

#include <algorithm>
#include <map>

#include "numerics/forever/group_images.hpp"
#include "numerics/forever/output_facts.hpp"
#include "numerics/margin/primal_dual.hpp"
#include "numerics/problem/loss_law.hpp"

namespace attest {
namespace {

constexpr long fact_bits = BallNumber::bits;

// mu_c for every constraint of S.
std::optional<std::map<Constraint, BallNumber>> multiplier_shares(const MarginSolution& solution) {
  const std::unique_ptr<PrimalDual> known = primal_dual(solution);
  const ConstraintVector* multipliers = known != nullptr ? known->dual() : nullptr;
  if (multipliers == nullptr) return std::nullopt;
  const Rational radius = known->dual_radius();
  const Ball sum = known->value_squared(fact_bits);
  std::map<Constraint, BallNumber> shares;
  for (std::size_t k = 0; k < multipliers->size(); ++k) {
    const Rational value = multipliers->value(k);
    const Ball enclosed =
        radius == 0 ? Ball(value, fact_bits) : Ball(value - radius, value + radius, fact_bits);
    shares.emplace(multipliers->constraint[k], BallNumber(div(enclosed, sum, fact_bits)));
  }
  return shares;
}

// Is the gap of this constraint 0 or negative? Exact.
bool is_better(const BallNumber& gap, const TokenData& data, const Selection& selection,
               const Constraint& c) {
  if (data.outputs && positive(gap)) return false;
  return score_gap(data, selection, c) <= 0;
}

// T6: beta <= sum_i wt_i (M1_i G_i D_i^2 / (6 sqrt 3) + M0_i G_i^2 D_i^2 / 16), and Dm; of cross-entropy beta
// <= sum_i wt_i D_i^2 / 4.
void bound_smoothness(SelectionFacts<BallNumber>& facts, const RunGeometry& geometry) {
  const BallNumber first = number(6) * sqrt(number(3));
  for (const RunGroup& group : geometry.groups) {
    const auto begin = geometry.scores.begin() + static_cast<std::ptrdiff_t>(group.first_row);
    const auto [least, most] = std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(group.tokens));
    const BallNumber diameter = BallNumber(group.query_norm) * BallNumber(group.diameter);
    const BallNumber square = diameter * diameter;
    facts.feature_diameter = fmax(facts.feature_diameter, diameter);
    if (facts.loss == Loss::cross_entropy) {
      facts.smoothness += facts.weight * square / BallNumber(4.0);
      continue;
    }
    if (facts.loss == Loss::classifier) {
      facts.smoothness += facts.weight * classifier_smoothness(geometry, group);
      continue;
    }
    const BallNumber spread = number(*most - *least);
    const BallNumber slope = loss_slope(facts.loss, number(*least));
    const Rational nearest = *least > 0 ? *least : *most < 0 ? *most : Rational(0);
    const BallNumber curvature = steepest_bend(facts.loss, number(*least), number(nearest));
    facts.smoothness +=
        facts.weight * spread * square * (slope / first + curvature * spread / BallNumber(16.0));
  }
}

// The signs and sizes of a group's gaps, and what a head of several outputs has besides.
void complete_group(SelectionGroup<BallNumber>& group, SelectionFacts<BallNumber>& facts,
                    const RunGeometry& geometry, const Selection& selection) {
  const TokenData& data = *geometry.data;
  if (data.outputs)
    enclose_outputs(group, std::span(facts.constraints).subspan(group.first), geometry,
                    selection[group.original]);
  for (std::size_t c = group.first; c < group.last; ++c) {
    const ConstraintFacts<BallNumber>& k = facts.constraints[c];
    const std::size_t token = k.row - geometry.groups[k.group].first_row;
    const bool better = is_better(k.gap, data, selection, {group.original, token});
    facts.better.push_back(better);
    if (better) facts.globally_optimal = false;
    BallNumber& largest = better ? group.gap_below : group.gap_above;
    largest = fmax(largest, abs(k.gap));
  }
}

}  // namespace

EnclosedFacts enclose_facts(const RunGeometry& geometry, const ReferenceDirection& direction,
                            const MarginSolution& solution, Loss loss, const Budget& budget) {
  EnclosedFacts result;
  if (solution.feasibility != Feasibility::feasible || geometry.rows == 0) {
    result.reason = "the selection has no max-margin direction";
    return result;
  }
  const auto shares = multiplier_shares(solution);
  if (!shares) {
    result.reason = "the multipliers of the margin problem are not enclosed";
    return result;
  }
  const TokenData& data = *geometry.data;
  SelectionFacts<BallNumber> facts;
  facts.loss = scalar_loss(loss);
  facts.weight = BallNumber(1.0) / BallNumber(static_cast<double>(data.groups()));
  const BallNumber optimum_norm(direction.norm);
  facts.margin = BallNumber(1.0) / optimum_norm;
  const BallNumber distance = number(direction.radius);
  const GroupImages images(geometry, direction.coordinates, budget);
  facts.globally_optimal = true;
  bool first = true;
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    budget.poll();
    const RunGroup& group = geometry.groups[i];
    const std::size_t selected = direction.selection[group.original];
    SelectionGroup<BallNumber> summary;
    summary.original = group.original;
    summary.first = facts.constraints.size();
    if (!data.outputs) summary.score = number(geometry.scores[group.first_row + selected]);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (t == selected || !data.present(group.original, t)) continue;
      ConstraintFacts<BallNumber> c;
      c.group = i;
      c.row = group.first_row + t;
      if (!data.outputs) c.gap = number(geometry.scores[group.first_row + selected] - geometry.scores[c.row]);
      const std::uint64_t own = data.multiplicity(group.original, t),
                          top = data.multiplicity(group.original, selected);
      if (data.offsets || own != top)
        c.ratio = BallNumber(multiplicity_ratio(data, group.original, t, selected, BallNumber::bits));
      c.norm = sqrt(number(squared_constraint_norm(geometry, i, selected, t)));
      if (const auto share = shares->find({group.original, t}); share != shares->end()) {
        c.active = true;
        c.share = share->second;
        c.margin_rate = facts.margin;
      } else {
        // <Delta_c, w*> = <Delta_c, w~> up to ||Delta_c|| ||w~ - w*||.
        const BallNumber error = c.norm * distance;
        Ball along = images.margin(i, selected, t);
        arb_add_error(along.raw(), error.ball().raw());
        c.margin_rate = BallNumber(along) / optimum_norm;
        c.excess = c.margin_rate - facts.margin;
      }
      c.spread = sqrt(c.norm * c.norm - c.margin_rate * c.margin_rate);
      const BallNumber cosine = c.margin_rate / c.norm;
      facts.norm_bound = fmax(facts.norm_bound, c.norm);
      facts.least_cosine = first ? cosine : fmin(facts.least_cosine, cosine);
      facts.spread_ratio = fmax(facts.spread_ratio, c.spread / c.margin_rate);
      first = false;
      facts.constraints.push_back(std::move(c));
    }
    summary.last = facts.constraints.size();
    complete_group(summary, facts, geometry, direction.selection);
    facts.groups.push_back(std::move(summary));
  }
  if (loss == Loss::cross_entropy && !facts.globally_optimal) {
    result.reason = "the selection is not the tokens the head asks for";
    return result;
  }
  facts.least_loss = facts.globally_optimal && !relu_units(loss);
  if (!relu_units(loss)) bound_smoothness(facts, geometry);
  result.facts = std::move(facts);
  return result;
}

SelectionFacts<double> approximate(const SelectionFacts<BallNumber>& facts) {
  const auto mid = [](const BallNumber& value) { return value.ball().approx_mid(); };
  const auto mids = [&](const std::vector<BallNumber>& values) {
    std::vector<double> result;
    for (const BallNumber& value : values) result.push_back(mid(value));
    return result;
  };
  SelectionFacts<double> result;
  result.loss = facts.loss;
  result.globally_optimal = facts.globally_optimal;
  result.least_loss = facts.least_loss;
  result.better = facts.better;
  for (const ConstraintFacts<BallNumber>& c : facts.constraints) {
    result.constraints.push_back({c.group,
                                  c.row,
                                  c.active,
                                  mid(c.gap),
                                  mid(c.margin_rate),
                                  mid(c.excess),
                                  mid(c.norm),
                                  mid(c.spread),
                                  mid(c.share),
                                  {},
                                  mids(c.shift)});
    if (c.ratio) result.constraints.back().ratio = mid(*c.ratio);
  }
  for (const SelectionGroup<BallNumber>& g : facts.groups) {
    result.groups.push_back({g.first, g.last, g.original, mid(g.score), mid(g.gap_above), mid(g.gap_below),
                             mids(g.origin), mids(g.lowest), mids(g.highest), mid(g.swing)});
  }
  result.weight = mid(facts.weight);
  result.margin = mid(facts.margin);
  result.norm_bound = mid(facts.norm_bound);
  result.least_cosine = mid(facts.least_cosine);
  result.spread_ratio = mid(facts.spread_ratio);
  result.smoothness = mid(facts.smoothness);
  result.feature_diameter = mid(facts.feature_diameter);
  return result;
}

}  // namespace attest
