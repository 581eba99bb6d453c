#include "numerics/forever/regularisation_path.hpp"

#include <algorithm>
#include <vector>

#include "numerics/forever/ball_number.hpp"
#include "numerics/margin/primal_dual.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// Claims are rounded up by so much, which covers a checker's own rounding.
const Rational& slack() {
  static const Rational one_more = 1 + power_of_two(-40);
  return one_more;
}

constexpr unsigned claim_bits = 56;

// Scores of a group with more than one different token: of its selected token and its worst one, least gap,
// sum of gaps times the tokens' multiplicities over the selected one's.
struct ScoredGroup {
  std::size_t group = 0;
  BallNumber best, least, closest, total;
};

// The gap times the multiplicity of the token over the selected one's.
BallNumber counted(const TokenData& data, std::size_t group, std::size_t token, std::size_t selected,
                   const Rational& gap) {
  if (data.multiplicity(group, token) == data.multiplicity(group, selected) && !data.offsets)
    return number(gap);
  return number(gap) * BallNumber(multiplicity_ratio(data, group, token, selected, BallNumber::bits));
}

std::vector<ScoredGroup> scored_groups(const TokenData& data, const Selection& selection) {
  std::vector<ScoredGroup> groups;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    if (data.different(i) == 1) continue;
    const Rational best = data.score(i, selection[i]);
    std::optional<Rational> closest, farthest;
    BallNumber total(0.0);
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == selection[i] || !data.present(i, t)) continue;
      const Rational gap = best - data.score(i, t);
      total += counted(data, i, t, selection[i], gap);
      if (!closest || gap < *closest) closest = gap;
      if (!farthest || gap > *farthest) farthest = gap;
    }
    groups.push_back({i, number(best), number(best - *farthest), number(*closest), total});
  }
  return groups;
}

class Path {
 public:
  Path(const TokenData& data, const Selection& selection, const PrimalDual& known, Loss loss)
      : data_(data),
        selection_(selection),
        loss_(loss),
        groups_(scored_groups(data, selection)),
        known_(known),
        norm_squared_(known.value_squared(BallNumber::bits)),
        norm_(sqrt(norm_squared_)) {}

  // e^-(gamma r)
  BallNumber decay(const BallNumber& radius) const { return exp(-(radius / norm_)); }

  // n A of T21 where e^-(gamma R) is `decay`: 1/n cancels in all that follows.
  BallNumber scale(const BallNumber& decay) const {
    BallNumber sum(0.0);
    for (const ScoredGroup& g : groups_) sum += steepest(g, decay) * g.total;
    return sum;
  }

  // |l'| at the least output on the ray; of cross-entropy log(1 + E) <= E stands for it, E the odds of the
  // others.
  BallNumber steepest(const ScoredGroup& g, const BallNumber& decay) const {
    if (loss_ == Loss::cross_entropy) return BallNumber(1.0);
    return loss_slope(loss_, fmax(g.best - g.total * decay, g.least));
  }

  // The radius at which theta is 1/2 for the given A: A falls with the radius, so this does too.
  BallNumber half_radius(const BallNumber& scale) const {
    BallNumber most(0.0);
    for (const ScoredGroup& g : groups_) most = fmax(most, scale / (loss_slope(loss_, g.best) * g.closest));
    return norm_ * log(BallNumber(2.0) * most);
  }

  // kappa/gamma of T21 from this radius on; not finite where some theta may reach 1.
  BallNumber rate(const Rational& radius) const {
    const BallNumber small = decay(number(radius)), a = scale(small);
    const ConstraintVector& multipliers = *known_.dual();
    const Rational reach = known_.dual_radius();
    BallNumber kappa(0.0);
    for (std::size_t k = 0; k < multipliers.size(); ++k) {
      const Constraint& c = multipliers.constraint[k];
      const ScoredGroup& g =
          *std::lower_bound(groups_.begin(), groups_.end(), c.group,
                            [](const ScoredGroup& one, std::size_t i) { return one.group < i; });
      const BallNumber slope = loss_slope(loss_, g.best), theta = a * small / (slope * g.closest);
      const BallNumber gap =
          counted(data_, c.group, c.token, selection_[c.group], score_gap(data_, selection_, c));
      const BallNumber kept = slope * (BallNumber(1.0) - theta) * gap;
      const Rational value = multipliers.value(k);
      const BallNumber multiplier(Ball(value - reach, value + reach, BallNumber::bits));
      kappa += multiplier / norm_squared_ * log(a / kept);
    }
    return norm_ * kappa;
  }

  // Every theta is below 1.
  bool allowed(const Rational& radius) const {
    const BallNumber small = decay(number(radius)), a = scale(small);
    return std::all_of(groups_.begin(), groups_.end(), [&](const ScoredGroup& g) {
      return positive(loss_slope(loss_, g.best) * g.closest - a * small);
    });
  }

 private:
  const TokenData& data_;
  const Selection& selection_;
  const Loss loss_;
  const std::vector<ScoredGroup> groups_;
  const PrimalDual& known_;
  const BallNumber norm_squared_, norm_;
};

}  // namespace

std::optional<PathBound> bound_regularisation_path(const TokenData& data, const Selection& selection,
                                                   const MarginSolution& solution, Loss loss) {
  const std::unique_ptr<PrimalDual> known = primal_dual(solution);
  if (known == nullptr || known->dual() == nullptr) return std::nullopt;
  const Path path(data, selection, *known, loss);
  // The least radius r has r = half_radius(A(r)), which falls with r: its values at radii that are large
  // enough are too small and the other way round. The first is that of the largest A.
  BallNumber above = path.half_radius(path.scale(BallNumber(1.0))), below = above;
  for (int round = 0; round < 4; ++round) {
    below = path.half_radius(path.scale(path.decay(above)));
    above = path.half_radius(path.scale(path.decay(below)));
  }
  const auto low = interval_of(below.ball()), high = interval_of(above.ball());
  if (!low || !high || high->hi <= 0) return std::nullopt;
  PathBound bound;
  bound.least_radius = {low->lo, high->hi};
  bound.from_radius = dyadic_above(high->hi * slack(), claim_bits);
  if (!path.allowed(bound.from_radius)) return std::nullopt;
  const auto rate = interval_of(path.rate(bound.from_radius).ball());
  if (!rate) return std::nullopt;
  bound.rate = *rate;
  bound.rate_constant = dyadic_above(rate->hi * slack(), claim_bits);
  return bound;
}

}  // namespace attest
