#include "numerics/runs/reference_direction.hpp"

namespace attest {
namespace {

// sqrt(x) from above, a dyadic.
Rational root_above(const Rational& x) {
  const Ball root = sqrt(Ball(x, 128), 128);
  return root.upper();
}

}  // namespace

std::optional<ReferenceDirection> reference_direction(const RunGeometry& geometry, const Selection& selection,
                                                      const MarginSolution& solution, long bits,
                                                      const Budget& budget) {
  if (solution.feasibility != Feasibility::feasible || geometry.groups.empty()) return std::nullopt;
  ReferenceDirection direction;
  direction.selection = selection;
  const ConstraintVector* combination = nullptr;
  if (solution.exact) {
    combination = &solution.exact->multipliers;
    direction.norm = sqrt(Ball(solution.exact->norm_squared, bits), bits);
  } else if (solution.enclosed) {
    combination = &solution.enclosed->multipliers;
    direction.radius = solution.enclosed->radius;
  } else if (solution.gap) {
    combination = &solution.gap->primal;
    direction.radius = root_above(solution.gap->distance_squared);
  } else {
    return std::nullopt;
  }
  if (!solution.exact) {
    direction.norm = sqrt(Ball(solution.norm_squared.lo, solution.norm_squared.hi, bits), bits);
  }
  if (!certainly_positive(direction.norm)) return std::nullopt;

  const TokenData& data = *geometry.data;
  const std::size_t d = geometry.dimension;
  std::vector<std::size_t> kept(data.groups(), 0);
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) kept[geometry.groups[i].original] = i;
  direction.coordinates.assign(geometry.groups.size() * d, Rational(0));
  for (std::size_t k = 0; k < combination->size(); ++k) {
    budget.poll();
    const Constraint& c = combination->constraint[k];
    const Rational value = combination->value(k);
    const std::size_t top = data.row(c.group, selection[c.group]), other = data.row(c.group, c.token);
    for (std::size_t j = 0; j < d; ++j) {
      direction.coordinates[kept[c.group] * d + j] +=
          value * (data.token_factor.exact(top * d + j) - data.token_factor.exact(other * d + j));
    }
  }
  return direction;
}

}  // namespace attest
