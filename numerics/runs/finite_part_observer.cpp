#include "numerics/runs/finite_part_observer.hpp"

#include <algorithm>
#include <utility>

namespace attest {

FinitePartObserver::FinitePartObserver(const RunGeometry& geometry, const SelectedSets& sets,
                                       const FiniteEquations& equations, const MarginSolution& solution,
                                       std::optional<std::vector<Ball>> values)
    : geometry_(geometry),
      sets_(sets),
      equations_(equations),
      optimum_(primal_dual(solution)),
      values_(std::move(values)),
      kept_(geometry.data->groups(), geometry.groups.size()) {
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) kept_[geometry.groups[i].original] = i;
}

FinitePartPoint FinitePartObserver::observe(std::uint64_t step, const EnclosedPoint& point) const {
  FinitePartPoint seen;
  seen.step = step;
  point.norm(seen.norm.raw());
  observe_attention(seen, point);
  if (optimum_) observe_angle(seen, point);
  return seen;
}

void FinitePartObserver::observe_attention(FinitePartPoint& seen, const EnclosedPoint& point) const {
  const slong bits = point.precision();
  seen.least_selected = Ball(1);
  seen.greatest_masked = Ball(0);
  for (std::size_t i = 0; i < geometry_.groups.size(); ++i) {
    const RunGroup& group = geometry_.groups[i];
    const std::vector<std::size_t>& set = sets_[group.original];
    std::vector<Ball> weight(group.tokens);
    Ball sum(0);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::uint64_t copies = geometry_.multiplicities[group.first_row + t];
      if (copies == 0) continue;
      Ball margin;
      point.margin(margin.raw(), i, group.first_row + t);
      weight[t] = mul(exp(neg(margin), bits), Ball(Integer(copies)), bits);
      sum = add(sum, weight[t], bits);
    }
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (geometry_.multiplicities[group.first_row + t] == 0) continue;
      const Ball share = div(weight[t], sum, bits);
      if (std::binary_search(set.begin(), set.end(), t)) {
        seen.least_selected = min(seen.least_selected, share, bits);
      } else {
        seen.greatest_masked = max(seen.greatest_masked, share, bits);
      }
    }
  }
}

Ball FinitePartObserver::difference(const EnclosedPoint& point, std::size_t group, std::size_t winner,
                                    std::size_t loser) const {
  const std::size_t i = kept_[group], first = geometry_.groups[i].first_row;
  Ball above, below;
  point.margin(above.raw(), i, first + winner);
  point.margin(below.raw(), i, first + loser);
  return sub(below, above, point.precision());
}

std::vector<Ball> FinitePartObserver::margins(const EnclosedPoint& point) const {
  std::vector<Ball> found;
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const MarginRow& row = equations_.row(k);
    found.push_back(difference(point, row.group, row.winner, row.loser));
  }
  return found;
}

// W_fin and W_mm are orthogonal. With a = <W,W_fin>, f = ||W_fin||, b = <W,W_mm>, m = ||W_mm|| the cosine is
// at most sqrt(a^2/f^2 + b^2/m^2)/||W||, which c = (b/m^2)/(a/f^2) attains when a > 0. Ratios of W itself
// make W_fin its projection: a = f^2, and where that is 0 every c attains it.
void FinitePartObserver::observe_angle(FinitePartPoint& seen, const EnclosedPoint& point) const {
  const slong bits = point.precision();
  const std::vector<Ball> differences = margins(point);
  const auto finite = equations_.least_norm(values_ ? *values_ : differences, bits);
  if (!finite) return;
  Ball along_finite(0);
  for (std::size_t j = 0; j < finite->coefficient.size(); ++j)
    add_product(along_finite, finite->coefficient[j], differences[equations_.independent()[j]], bits);
  seen.finite_norm = sqrt(max(finite->norm_squared, Ball(0), bits), bits);

  const ConstraintVector& primal = optimum_->primal();
  Ball along(0);
  for (std::size_t k = 0; k < primal.size(); ++k) {
    const Constraint& c = primal.constraint[k];
    add_product(along, Ball(primal.value(k), bits),
                difference(point, c.group, sets_[c.group].front(), c.token), bits);
  }
  const Ball apart = mul(Ball(optimum_->primal_radius(), bits), seen.norm, bits);
  along = hull(sub(along, apart, bits), add(along, apart, bits), bits);

  const Ball size = optimum_->value_squared(bits);
  const bool vanishes = finite->norm_squared.is_exact() && finite->norm_squared.contains_zero();
  // a^2/f^2 is f^2 where a = f^2.
  Ball shared = Ball(0);
  if (!vanishes)
    shared = values_ ? div(square(along_finite, bits), finite->norm_squared, bits) : finite->norm_squared;
  // Where one of both is not positive the bound is not attained at any c > 0.
  if (values_ && !vanishes && !certainly_positive(along_finite)) return;
  if (!certainly_positive(along)) return;
  add_product(shared, along, div(along, size, bits), bits);
  const Ball norm_squared = square(seen.norm, bits);
  const Ball both = add(norm_squared, mul(seen.norm, sqrt(max(shared, Ball(0), bits), bits), bits), bits);
  seen.one_minus_corr = div(sub(norm_squared, shared, bits), both, bits);
  if (!values_) {
    seen.factor = div(along, size, bits);
  } else if (!vanishes) {
    seen.factor = div(mul(along, finite->norm_squared, bits), mul(along_finite, size, bits), bits);
  }
}

}  // namespace attest
