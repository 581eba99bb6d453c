#include "numerics/forever/path_scale.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "numerics/problem/loss_law.hpp"

namespace attest {
namespace {

// The gap times the multiplicity of the token over the selected one's.
BallNumber counted(const TokenData& data, std::size_t group, std::size_t token, std::size_t selected,
                   const BallNumber& gap) {
  if (data.multiplicity(group, token) == data.multiplicity(group, selected) && !data.offsets) return gap;
  return gap * BallNumber(multiplicity_ratio(data, group, token, selected, BallNumber::bits));
}

std::vector<ScoredGroup> scored_groups(const TokenData& data, const Selection& selection) {
  std::vector<ScoredGroup> groups;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    if (data.different(i) == 1) continue;
    const BallNumber best = number(data.score(i, selection[i]));
    std::optional<BallNumber> closest;
    BallNumber farthest(0.0), total(0.0);
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == selection[i] || !data.present(i, t)) continue;
      const RiseBounds rise = rise_over(data, selection, {i, t});
      total += counted(data, i, t, selection[i], rise.most);
      closest = closest ? fmin(*closest, rise.least) : rise.least;
      farthest = fmax(farthest, rise.most);
    }
    groups.push_back({i, best, best - farthest, *closest, total});
  }
  return groups;
}

}  // namespace

RiseBounds rise_over(const TokenData& data, const Selection& selection, const Constraint& c) {
  const std::size_t selected = selection[c.group];
  if (data.outputs)
    return rise_bounds(*data.outputs, c.group, data.row(c.group, selected), data.row(c.group, c.token));
  const BallNumber gap = number(score_gap(data, selection, c));
  return {gap, gap};
}

PathScale::PathScale(const TokenData& data, const Selection& selection, Loss loss, BallNumber norm)
    : data_(data),
      selection_(selection),
      loss_(scalar_loss(loss)),
      groups_(scored_groups(data, selection)),
      norm_(std::move(norm)) {}

BallNumber PathScale::scale(const BallNumber& decay) const {
  BallNumber sum(0.0);
  for (const ScoredGroup& g : groups_) sum += steepest(g, decay) * g.total;
  return sum;
}

// |l'| at the least output on the ray; of cross-entropy log(1 + E) <= E stands for it, E the odds of the
// others.
BallNumber PathScale::steepest(const ScoredGroup& g, const BallNumber& decay) const {
  if (loss_ == Loss::cross_entropy) return BallNumber(1.0);
  return loss_slope(loss_, fmax(g.best - g.total * decay, g.least));
}

BallNumber PathScale::half_radius(const BallNumber& scale) const {
  BallNumber most(0.0);
  for (const ScoredGroup& g : groups_) most = fmax(most, scale / (loss_slope(loss_, g.best) * g.closest));
  return norm_ * log(BallNumber(2.0) * most);
}

const ScoredGroup& PathScale::group_of(const Constraint& c) const {
  return *std::lower_bound(groups_.begin(), groups_.end(), c.group,
                           [](const ScoredGroup& one, std::size_t i) { return one.group < i; });
}

BallNumber PathScale::theta(const ScoredGroup& g, const BallNumber& scale, const BallNumber& decay) const {
  return scale * decay / (loss_slope(loss_, g.best) * g.closest);
}

BallNumber PathScale::level(const Constraint& c, const BallNumber& scale, const BallNumber& decay) const {
  const ScoredGroup& g = group_of(c);
  const BallNumber gap =
      counted(data_, c.group, c.token, selection_[c.group], rise_over(data_, selection_, c).least);
  const BallNumber kept = BallNumber(1.0) - theta(g, scale, decay);
  return log(scale / (loss_slope(loss_, g.best) * kept * gap));
}

bool PathScale::allowed(const Rational& radius) const {
  const BallNumber small = decay(number(radius)), a = scale(small);
  return std::all_of(groups_.begin(), groups_.end(), [&](const ScoredGroup& g) {
    return positive(g.closest) && positive(loss_slope(loss_, g.best) * g.closest - a * small);
  });
}

// n omega_c = |l'(f)| s_c (f - g_c), f between best - theta closest and best, s_c = k_c/k_alpha s_alpha
// e^{-m_c}.
BallNumber PathScale::weight(const Constraint& c, const BallNumber& scale, const BallNumber& decay) const {
  const ScoredGroup& g = group_of(c);
  const BallNumber lacks = theta(g, scale, decay), kept = BallNumber(1.0) - lacks;
  const BallNumber gap =
      counted(data_, c.group, c.token, selection_[c.group], rise_over(data_, selection_, c).least);
  const BallNumber least = loss_slope(loss_, g.best) * kept * kept * gap,
                   most = loss_slope(loss_, g.best - lacks * g.closest) * gap;
  return BallNumber(hull(least.ball(), most.ball(), BallNumber::bits));
}

}  // namespace attest
