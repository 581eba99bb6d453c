#include "numerics/runs/reference_direction.hpp"

#include "numerics/margin/primal_dual.hpp"

namespace attest {

std::optional<ReferenceDirection> reference_direction(const RunGeometry& geometry, const Selection& selection,
                                                      const MarginSolution& solution, long bits,
                                                      const Budget& budget) {
  const std::unique_ptr<PrimalDual> known = primal_dual(solution);
  if (known == nullptr || geometry.groups.empty()) return std::nullopt;
  ReferenceDirection direction;
  direction.selection = selection;
  direction.radius = known->primal_radius();
  direction.norm = sqrt(known->value_squared(bits), bits);
  if (!certainly_positive(direction.norm)) return std::nullopt;

  const TokenData& data = *geometry.data;
  const std::size_t d = geometry.dimension;
  std::vector<std::size_t> kept(data.groups(), 0);
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) kept[geometry.groups[i].original] = i;
  direction.coordinates.assign(geometry.groups.size() * d, Rational(0));
  const ConstraintVector& combination = known->primal();
  for (std::size_t k = 0; k < combination.size(); ++k) {
    budget.poll();
    const Constraint& c = combination.constraint[k];
    const Rational value = combination.value(k);
    const std::size_t top = data.row(c.group, selection[c.group]), other = data.row(c.group, c.token);
    for (std::size_t j = 0; j < d; ++j) {
      direction.coordinates[kept[c.group] * d + j] +=
          value * (data.token_factor.exact(top * d + j) - data.token_factor.exact(other * d + j));
    }
  }
  return direction;
}

}  // namespace attest
