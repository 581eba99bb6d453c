// Disjoint conflicts: see claims/margin/conflicts.hpp.
#include "proofs/checker/claims/margin/conflicts.hpp"

#include "proofs/checker/claims/margin/infeasible.hpp"

namespace attest_check {
namespace {

// Rejects the claim when two conflicts have constraints of one group.
void require_disjoint(const Claim& claim, const std::vector<ConstraintVector>& conflicts) {
  std::vector<std::size_t> conflict_of(claim.problem.features->groups());  // counted from 1; 0: of none
  for (std::size_t k = 0; k < conflicts.size(); ++k) {
    for (const Constraint& c : conflicts[k].at) {
      std::size_t& seen = conflict_of[c.group];
      if (seen != 0 && seen != k + 1) {
        claim.fail("group " + std::to_string(c.group) + " is in conflicts " + std::to_string(seen) + " and " +
                   std::to_string(k + 1));
      }
      seen = k + 1;
    }
  }
}

}  // namespace

void Conflicts::read(Reader& in) {
  words(in, *this);
  while (farkas.size() < at_least) farkas.push_back(in.vector("farkas"));
}

std::unique_ptr<Fact> Conflicts::check(const Claim& claim) const {
  claim.require(!farkas.empty(), "no conflict is listed");
  require_disjoint(claim, farkas);
  for (const ConstraintVector& conflict : farkas) require_conflict(claim, conflict);
  return std::make_unique<Fact>();
}

}  // namespace attest_check
