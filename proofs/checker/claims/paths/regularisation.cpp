// The regularisation path for every radius: see claims/paths/regularisation.hpp.
#include "proofs/checker/claims/paths/regularisation.hpp"

#include "proofs/checker/claims/paths/rate.hpp"
#include "proofs/checker/runs/reference_direction.hpp"

namespace attest_check {

std::unique_ptr<Fact> RegularisationPath::check(const Claim& claim) const {
  require_path(claim, radius);
  const ReferenceDirection direction = reference_direction(claim, claim.cite(from), path_bits, true);
  const PathTheorem theorem(claim, direction.margin, radius);
  const Interval rate = direction.norm * theorem.rate(direction.active, direction.weight);
  claim.require_at_most(rate.upper(), constant, "rate constant of the theorem against rate-constant");
  return std::make_unique<Fact>();
}

}  // namespace attest_check
