// Why a selection is infeasible, and how many groups that is the fault of (theory.md T19(c,d)): conflicts
// that share no group say how many must go at least, a set of groups without which the rest is separable how
// many at most.
//
// Found in doubles, proved exactly: a conflict has a Farkas vector, the rest a W with all margins >= 1.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "numerics/margin/prescan.hpp"
#include "numerics/margin/solution.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// Groups that are left out, and some W with all margins of all others >= 1.
struct DropSet {
  std::vector<std::size_t> groups;  // increasing; fewer than all
  ConstraintVector separator;       // signed coefficients: W = sum value_c Delta_c
};

struct Explanation {
  // No group is in two of them. First those of one group: every group that no W separates even alone is in
  // one, unless `reason` is there. From the others no group can be left out, unless that would have taken too
  // long to see.
  std::vector<Conflict> conflicts;
  std::optional<DropSet> drop;
  // What ended the search with groups left that may be in conflict: "size" where its own bound of work did,
  // else the budget's word.
  std::string reason;
};

// For a selection that is infeasible, or of which that is not known; `farkas`, if not null, is a vector that
// proves it. Work and time are bounded; deterministic but for the budget, reaching which ends the search with
// what is proved.
Explanation explain_infeasibility(const TokenData& data, const Selection& selection,
                                  const ConstraintVector* farkas, const Budget& budget);

}  // namespace attest
