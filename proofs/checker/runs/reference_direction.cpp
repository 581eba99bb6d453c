// The direction a run is compared with: see reference_direction.hpp.
#include "proofs/checker/runs/reference_direction.hpp"

#include <algorithm>

#include "proofs/checker/runs/specification.hpp"

namespace attest_check {

ReferenceDirection reference_direction(const Claim& claim, const Fact& fact, unsigned bits,
                                       bool need_multipliers) {
  ReferenceDirection direction;
  direction.bits = bits;
  Rational multiplier_radius;
  if (const auto* exact = dynamic_cast<const ExactSolution*>(&fact)) {
    direction.centre = &exact->centre;
  } else if (const auto* enclosed = dynamic_cast<const EnclosedSolution*>(&fact)) {
    direction.centre = &enclosed->centre;
    direction.radius = Interval(enclosed->radius, bits);
    multiplier_radius = enclosed->multiplier_radius;
  } else if (const auto* gap = dynamic_cast<const GapSolution*>(&fact); gap != nullptr && !need_multipliers) {
    direction.centre = &gap->centre;
    direction.radius = square_root(Interval(gap->distance_squared, bits));
  } else {
    claim.wrong_kind(fact, need_multipliers ? "optimal, or optimal-enclosure of form lambda-min"
                                            : "optimal or optimal-enclosure");
  }
  claim.require(claim.problem.constraint_count() > 0,
                "the problem has no constraint, so there is no direction");
  const Interval centre_norm = square_root(Interval(direction.centre->norm_squared(), bits));
  direction.norm = Interval::hull(centre_norm - direction.radius, centre_norm + direction.radius);
  claim.require(direction.norm.positive(), "the norm of the solution is not bounded away from 0");
  direction.margin = Interval(1) / direction.norm;
  if (!need_multipliers) return direction;
  // sum of the multipliers = ||W*||^2; each is within multiplier_radius of the listed number and positive.
  const ConstraintVector& listed = direction.centre->vector();
  const Interval radius(multiplier_radius, bits), total = direction.norm * direction.norm;
  direction.active = listed.at;
  for (std::size_t k = 0; k < listed.size(); ++k) {
    const Interval value = Interval::ratio(listed.numerator[k], listed.denominator, bits);
    const Interval near = Interval::hull(value - radius, value + radius);
    claim.require(near.positive(), "the multiplier at " + show(listed.at[k]) + " is not bounded away from 0");
    direction.weight.push_back(near / total);
  }
  return direction;
}

std::vector<Interval> ReferenceDirection::slopes(std::size_t group) const {
  const Problem& problem = centre->problem();
  const std::size_t selected = problem.selection[group];
  const std::vector<Integer> margins = centre->margins(group);
  std::vector<Interval> result(margins.size());
  for (std::size_t t = 0; t < margins.size(); ++t) {
    if (t == selected) continue;
    if (std::binary_search(active.begin(), active.end(), Constraint{group, t})) {
      result[t] = margin;  // tight
      continue;
    }
    const Interval reach =
        radius * square_root(Interval(token_distance_squared(*problem.features, group, selected, t), bits));
    const Interval value = Interval::ratio(margins[t], centre->scale(), bits);
    // At least 1 at the solution.
    Interval near = maximum(Interval::hull(value - reach, value + reach), Interval(1));
    result[t] = near / norm;
  }
  return result;
}

}  // namespace attest_check
