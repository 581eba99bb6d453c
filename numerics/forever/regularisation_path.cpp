#include "numerics/forever/regularisation_path.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "numerics/forever/path_scale.hpp"
#include "numerics/margin/primal_dual.hpp"
#include "numerics/norms/precise_rows.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// Claims are rounded up by so much, which covers a checker's own rounding.
const Rational& slack() {
  static const Rational one_more = 1 + power_of_two(-40);
  return one_more;
}

constexpr unsigned claim_bits = 56;

// log(A/B_c) of a constraint from a radius on.
using Level = std::function<BallNumber(const Constraint&)>;

// T21's constant, for every n and for the one that a certificate has.
struct Constants {
  BallNumber every, own;
};

// The least radius and T21's constants there, sums of log(A/B_c).
std::optional<PathBound> bound_path(const PathScale& path,
                                    const std::function<Constants(const Level&)>& constants) {
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
  const BallNumber small = path.decay(number(bound.from_radius)), a = path.scale(small);
  const Constants found = constants([&](const Constraint& c) { return path.level(c, a, small); });
  const auto rate = interval_of(found.every.ball()), own = interval_of(found.own.ball());
  if (!rate || !own) return std::nullopt;
  bound.rate = *rate;
  bound.rate_constant = dyadic_above(rate->hi * slack(), claim_bits);
  bound.claim_constant = dyadic_above(own->hi * slack(), claim_bits);
  return bound;
}

// Margins of the optimum's matrix, at least 1, in increasing (group, token) order.
std::vector<Ball> margins_of(const NormOptimum& optimum, const IntegerConstraints& constraints) {
  const PreciseRows rows(constraints, 0, BallNumber::bits);
  const auto balls = [](const WrittenMatrix& matrix) {
    std::vector<Ball> entries;
    for (const Integer& x : matrix.numerator)
      entries.emplace_back(Rational(x, matrix.denominator), BallNumber::bits);
    return entries;
  };
  if (optimum.right.columns == 0) return rows.margins(balls(optimum.left));
  return rows.margins(balls(optimum.left), balls(optimum.right), optimum.factor_columns());
}

// Of probability vectors mu with sum mu_c slack_c <= gap: for every t >= 0, sum mu_c level_c is at most
// max_c (level_c - t slack_c) + t gap, and at least the least of the same with the other sign.
BallNumber between(const std::vector<BallNumber>& level, const std::vector<BallNumber>& slack,
                   const BallNumber& gap, double t) {
  const BallNumber price(t);
  BallNumber most = level[0] - price * slack[0], least = level[0] + price * slack[0];
  for (std::size_t c = 1; c < level.size(); ++c) {
    most = fmax(most, level[c] - price * slack[c]);
    least = fmin(least, level[c] + price * slack[c]);
  }
  return BallNumber(hull((least - price * gap).ball(), (most + price * gap).ball(), BallNumber::bits));
}

}  // namespace

std::optional<Constraint> path_rival(const TokenData& data, const Selection& selection) {
  if (!data.outputs) return std::nullopt;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == selection[i] || !data.present(i, t)) continue;
      const bool keeps = data.outputs->classifier() || positive(rise_over(data, selection, {i, t}).least);
      if (!keeps || score_gap(data, selection, {i, t}) <= 0) return Constraint{i, t};
    }
  }
  return std::nullopt;
}

std::optional<PathBound> bound_regularisation_path(const TokenData& data, const Selection& selection,
                                                   const MarginSolution& solution, Loss loss) {
  const std::unique_ptr<PrimalDual> known = primal_dual(solution);
  if (known == nullptr || known->dual() == nullptr) return std::nullopt;
  const BallNumber norm = sqrt(BallNumber(known->value_squared(BallNumber::bits)));
  return bound_path(PathScale(data, selection, loss, norm), [&](const Level& level) {
    const ConstraintVector& multipliers = *known->dual();
    const Rational reach = known->dual_radius();
    BallNumber sum(0.0);
    for (std::size_t k = 0; k < multipliers.size(); ++k) {
      const Rational value = multipliers.value(k);
      const BallNumber multiplier(Ball(value - reach, value + reach, BallNumber::bits));
      sum += multiplier / norm * level(multipliers.constraint[k]);
    }
    return Constants{sum, sum};
  });
}

std::optional<PathBound> bound_regularisation_path(const TokenData& data, const Selection& selection,
                                                   const NormOptimum& optimum, Loss loss) {
  if (optimum.value.lo <= 0) return std::nullopt;
  const IntegerConstraints all(data, selection);
  const BallNumber norm(Ball(optimum.value.lo, optimum.value.hi, BallNumber::bits));
  return bound_path(PathScale(data, selection, loss, norm), [&](const Level& level) {
    // sum lambda_c (m_c - 1) = <n,W> - nu <= N(W) - nu for the optimum's own W, n and lambda = nu mu.
    const Rational gap = (optimum.value.hi - optimum.value.lo) / optimum.value.lo;
    const std::vector<Ball> margins = margins_of(optimum, all);
    std::vector<BallNumber> levels, slacks;
    for (std::size_t c = 0; c < all.size(); ++c) {
      levels.push_back(level(all.constraint(c)));
      slacks.push_back(fmax(BallNumber(margins[c]) - BallNumber(1.0), BallNumber(0.0)));
    }
    // A price at which what the gap costs is as small as a slack that still counts.
    const double price =
        gap > 0 ? std::min(0x1p60, std::exp2(-0.5 * static_cast<double>(approx_log2(gap)))) : 0x1p60;
    BallNumber own(0.0);
    for (std::size_t k = 0; k < optimum.multipliers.size(); ++k)
      own += number(optimum.multipliers.value(k) / optimum.dual_bound) *
             level(optimum.multipliers.constraint[k]);
    return Constants{norm * between(levels, slacks, number(gap), price), own};
  });
}

}  // namespace attest
