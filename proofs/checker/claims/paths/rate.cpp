// The theorem about the regularisation path in any norm: see claims/paths/rate.hpp.
#include "proofs/checker/claims/paths/rate.hpp"

#include <algorithm>

#include "proofs/checker/runs/head.hpp"
#include "proofs/checker/runs/output_point.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {
namespace {

// All attention on the selected token is better than attention s by sum s_t least_t at least and sum s_t
// most_t at most. Of a score both are the gap.
struct Rise {
  Interval least, most;
};

// Of a classifier in the loss, which is convex in s: by its tangent there, and by its chords.
Rise class_rise(const Problem& problem, const Outputs& outputs, const Constraint& c, unsigned bits) {
  const std::size_t selected = problem.selection[c.group];
  std::vector<Interval> origin;
  for (std::size_t u = 0; u < outputs.count(); ++u)
    origin.emplace_back(outputs.value(c.group, selected, u), bits);
  const OutputSlopes slopes = output_slopes(problem, c.group, origin, bits);
  Rise rise;
  for (std::size_t u = 0; u < outputs.count(); ++u)
    rise.least += slopes.slope * slopes.share[u] *
                  output_difference(*problem.features, c.group, u, c.token, selected, bits);
  rise.most =
      output_excess(problem, c.group, selected, c.token, std::vector<Interval>(outputs.count()), bits);
  return rise;
}

// Of ReLU units in the output, which lacks sum_u |max(0, +-c_u)|: convex in s where the sign is +, concave
// where it is -.
Rise unit_rise(const Problem& problem, const Outputs& outputs, const Constraint& c, unsigned bits) {
  Rational least, most;
  for (std::size_t u = 0; u < outputs.count(); ++u) {
    if (!outputs.effective(u)) continue;
    const auto active = [&](const Rational& x) { return outputs.active(c.group, u, sgn(x)); };
    const Rational top = outputs.value(c.group, problem.selection[c.group], u),
                   other = outputs.value(c.group, c.token, u);
    const Rational tangent = active(top) ? Rational(other - top) : Rational(0),
                   chord = (active(other) ? other : Rational(0)) - (active(top) ? top : Rational(0));
    const bool convex = outputs.active(c.group, u, 1);
    least += convex ? tangent : chord;
    most += convex ? chord : tangent;
  }
  return {Interval(least, bits), Interval(most, bits)};
}

Rise rise_over(const Claim& claim, const Constraint& c, unsigned bits) {
  const Features& features = *claim.problem.features;
  if (const Outputs* outputs = features.outputs()) {
    Rise rise = outputs->classifier() ? class_rise(claim.problem, *outputs, c, bits)
                                      : unit_rise(claim.problem, *outputs, c, bits);
    claim.require(rise.least.positive(), "attention on " + show(c) + " may be better");
    return rise;
  }
  const Rational gap = features.exact_score(c.group, claim.problem.selection[c.group]) -
                       features.exact_score(c.group, c.token);
  if (gap <= 0) claim.fail("score gap at " + show(c), gap, ">", 0);
  return {Interval(gap, bits), Interval(gap, bits)};
}

// The selected token's; of a classifier what its loss is less than the least one.
Rational best_score(const Problem& problem, std::size_t group) {
  const std::size_t selected = problem.selection[group];
  const Outputs* outputs = problem.features->outputs();
  if (outputs == nullptr) return problem.features->exact_score(group, selected);
  return outputs->classifier() ? Rational(0) : output_at(*outputs, group, selected);
}

// Rejects the claim unless every selected token scores better than all others of its group.
std::vector<PathGroup> scored_groups(const Claim& claim, unsigned bits) {
  const Features& features = *claim.problem.features;
  std::vector<PathGroup> groups;
  for (std::size_t i = 0; i < features.groups(); ++i) {
    if (features.different(i) == 1) continue;
    PathGroup scored;
    const std::size_t selected = claim.problem.selection[i];
    scored.group = i;
    scored.best = Interval(best_score(claim.problem, i), bits);
    Interval farthest;
    bool first = true;
    for (std::size_t t = 0; t < features.tokens_of(i); ++t) {
      if (t == selected || !features.present(i, t)) continue;
      const Rise rise = rise_over(claim, {i, t}, bits);
      farthest = maximum(farthest, rise.most);
      scored.closest = first ? rise.least : minimum(scored.closest, rise.least);
      scored.total += by_multiplicity(features, i, t, selected, rise.most, bits);
      first = false;
    }
    scored.least = scored.best - farthest;
    groups.push_back(std::move(scored));
  }
  return groups;
}

}  // namespace

void require_path(const Claim& claim, const Rational& radius) {
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  if (radius <= 0) claim.fail("from-radius", radius, ">", 0);
}

// theta is as small as the radius allows.
PathTheorem::PathTheorem(const Claim& claim, const Interval& margin, const Rational& radius)
    : claim_(claim), groups_(scored_groups(claim, path_bits)) {
  const Interval reach = margin * Interval(radius, path_bits), cut(decay_cut);
  const Interval decay = exponential(-(certainly_at_most(cut, reach) ? cut : reach));
  for (PathGroup& scored : groups_) {
    const Interval low = maximum(scored.best - scored.total * decay, scored.least);
    // Of cross-entropy log(1 + E) <= E, E the odds of the other tokens, at most total * decay.
    scale_ += slope_at(claim.problem.loss == Loss::cross_entropy ? Interval(1) : low) * scored.total;
    scored.slope = slope_at(scored.best);
  }
  for (PathGroup& scored : groups_) {
    scored.theta = scale_ * decay / (scored.slope * scored.closest);
    claim.require(certainly_less(scored.theta, Interval(1)), "the selected token of group " +
                                                                 std::to_string(scored.group) +
                                                                 " may lose all attention at from-radius");
  }
}

// |l'|/n; of a classifier, whose gaps are those of the loss itself, 1/n.
Interval PathTheorem::slope_at(const Interval& score) const {
  Interval share = Interval::ratio(1, Integer(claim_.problem.features->groups()), path_bits);
  if (claim_.problem.loss == Loss::classifier) return share;
  return share * loss_slope(loss_of_output(claim_.problem.loss), score);
}

const PathGroup& PathTheorem::group_of(const Constraint& c) const {
  return *std::lower_bound(groups_.begin(), groups_.end(), c.group,
                           [](const PathGroup& one, std::size_t group) { return one.group < group; });
}

Interval PathTheorem::level(const Constraint& c) const {
  const PathGroup& group = group_of(c);
  const Interval kept = group.slope * (Interval(1) - group.theta);  // B_c = kept gap_c k_c/k_alpha
  return logarithm(scale_ / by_multiplicity(*claim_.problem.features, c.group, c.token,
                                            claim_.problem.selection[c.group],
                                            kept * rise_over(claim_, c, path_bits).least, path_bits));
}

Interval PathTheorem::rate(const std::vector<Constraint>& active, const std::vector<Interval>& weight) const {
  Interval sum;
  for (std::size_t k = 0; k < active.size(); ++k) sum += weight[k] * level(active[k]);
  return sum;
}

// omega_c = |l'(f)| s_c (f - g_c)/n, f between best - theta closest and best, s_c = k_c/k_alpha s_alpha
// e^{-m_c}.
Interval PathTheorem::weight(const Constraint& c) const {
  const PathGroup& group = group_of(c);
  const Interval kept = Interval(1) - group.theta, gap = rise_over(claim_, c, path_bits).least;
  const Interval steepest = slope_at(group.best - group.theta * group.closest);
  return by_multiplicity(*claim_.problem.features, c.group, c.token, claim_.problem.selection[c.group],
                         Interval::hull(group.slope * kept * kept * gap, steepest * gap), path_bits);
}

}  // namespace attest_check
