#include "numerics/forever/local_path.hpp"

#include <algorithm>
#include <vector>

#include "numerics/forever/ball_number.hpp"
#include "numerics/margin/primal_dual.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/problem/loss_law.hpp"

namespace attest {
namespace {

constexpr unsigned bound_bits = 56;

// Scores of a group with two different tokens or more.
struct RankedGroup {
  std::size_t group = 0;
  Rational best, least;  // of the selected token, of the worst one
  Rational closest;      // the least gap of a worse token; 0 without any
  Rational worse = 0;    // sum of their gaps times multiplicities, over that of the selected one
  Rational better = 0;   // how many better tokens there are, equal ones included
  Rational beyond = 0;   // their greatest |gap|
  Rational tokens = 0;   // all, with multiplicities
};

RankedGroup scored(const TokenData& data, std::size_t group, std::size_t selected) {
  RankedGroup found;
  found.group = group;
  found.best = found.least = data.score(group, selected);
  const Rational copies(data.multiplicity(group, selected));
  for (std::size_t t = 0; t < data.tokens(group); ++t) {
    if (!data.present(group, t)) continue;
    const Rational count(data.multiplicity(group, t)), gap = found.best - data.score(group, t);
    found.tokens += count;
    if (t == selected) continue;
    if (gap > 0) {
      found.closest = found.closest == 0 ? gap : std::min(found.closest, gap);
      found.least = std::min(found.least, data.score(group, t));
      found.worse += gap * count / copies;
    } else {
      found.better += count;
      found.beyond = std::max(found.beyond, Rational(-gap));
    }
  }
  return found;
}

class LocalPath {
 public:
  LocalPath(const TokenData& data, const Selection& selection, const PrimalDual& known, Loss loss)
      : data_(data),
        selection_(selection),
        loss_(loss),
        known_(known),
        norm_(sqrt(BallNumber(known.value_squared(BallNumber::bits)))) {
    for (std::size_t i = 0; i < data.groups(); ++i) {
      if (data.different(i) > 1) groups_.push_back(scored(data, i, selection[i]));
    }
    for (const RankedGroup& g : groups_) scale_ += loss_slope(loss, number(g.least)) * number(g.worse);
  }

  bool all_have_worse() const {
    return std::all_of(groups_.begin(), groups_.end(), [](const RankedGroup& g) { return g.closest > 0; });
  }

  // R_0
  BallNumber least_norm(const Rational& eps) const {
    BallNumber most(0.0);
    for (const RankedGroup& g : groups_) {
      const Rational ratio = 2 * g.better * g.beyond / g.closest;
      if (ratio > 1) most = fmax(most, log(number(ratio)) / number(eps));
    }
    return most;
  }

  // n B_c of T21, gaps halved: what a unit of s_t costs at least, times the attention it has at margin 0.
  BallNumber cost(const RankedGroup& g, const Rational& gap) const {
    return loss_slope(loss_, number(g.best)) * number(gap / 2 / g.tokens);
  }

  // The radius from which on no group can lose its selected token: A e^{-gamma R} < min B.
  BallNumber from_radius() const {
    BallNumber most(0.0);
    for (const RankedGroup& g : groups_) most = fmax(most, scale_ / cost(g, g.closest));
    return norm_ * log(most);
  }

  // K = gamma sum lambda_c log(A/B_c)
  BallNumber rate() const {
    const ConstraintVector& multipliers = *known_.dual();
    const Rational reach = known_.dual_radius();
    BallNumber sum(0.0);
    for (std::size_t k = 0; k < multipliers.size(); ++k) {
      const Constraint& c = multipliers.constraint[k];
      const auto g = std::lower_bound(groups_.begin(), groups_.end(), c.group,
                                      [](const RankedGroup& one, std::size_t i) { return one.group < i; });
      const Rational value = multipliers.value(k), gap = score_gap(data_, selection_, c);
      const BallNumber multiplier(Ball(value - reach, value + reach, BallNumber::bits));
      sum += multiplier * log(scale_ / cost(*g, gap));
    }
    return sum / norm_;
  }

 private:
  const TokenData& data_;
  const Selection& selection_;
  Loss loss_;
  const PrimalDual& known_;
  BallNumber norm_, scale_{0.0};  // ||W*||, and n A of T21 with the worse tokens' gaps
  std::vector<RankedGroup> groups_;
};

}  // namespace

std::optional<LocalPathBound> bound_local_path(const TokenData& data, const Selection& selection,
                                               const MarginSolution& solution, Loss loss,
                                               const Rational& eps) {
  const std::unique_ptr<PrimalDual> known = primal_dual(solution);
  if (known == nullptr || known->dual() == nullptr) return std::nullopt;
  const LocalPath path(data, selection, *known, loss);
  if (!path.all_have_worse()) return std::nullopt;
  const auto least = interval_of(path.least_norm(eps).ball()), from = interval_of(path.from_radius().ball()),
             rate = interval_of(path.rate().ball());
  if (!least || !from || !rate) return std::nullopt;
  const auto above = [](const Rational& x) {
    return x > 0 ? dyadic_above(x * (1 + power_of_two(-40)), bound_bits) : Rational(0);
  };
  LocalPathBound bound{above(least->hi), above(from->hi), above(rate->hi)};
  bound.from_radius = std::max(bound.from_radius, bound.least_norm);
  return bound;
}

}  // namespace attest
