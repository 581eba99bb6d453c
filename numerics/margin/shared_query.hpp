// Groups that share a query, up to a factor: their rows dx_c z_i' form a problem in R^d alone, and a conflict
// there is a conflict of all groups (theory.md T19(c)).
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/margin/prescan.hpp"
#include "numerics/margin/solution.hpp"

namespace attest {

// Groups with z_i = factor_i z_first, factor_i != 0, exactly; increasing, the first with factor 1.
struct QueryClass {
  std::vector<std::size_t> groups;
  std::vector<Rational> factor;
};

// The groups with a non-zero query, each in one class, classes by their first group. Exact, except that
// groups of one direction are overlooked with a probability of about 2^-60: they are then in two classes.
std::vector<QueryClass> query_classes(const TokenData& data, const Budget& budget);

// Conflicts inside one class each, with at most d + 1 rows, no group in two of them, at most `most`; groups
// with leave_out[i] are not looked at (empty: all are). Each one is exact. A class for which this finds none
// is probably separable; `complete` says that every class was proved to be, once the groups of the conflicts
// are left out. Throws nothing on a reached budget: what is found so far is returned.
struct SharedQueryConflicts {
  std::vector<Conflict> conflicts;
  bool complete = false;
};
SharedQueryConflicts shared_query_conflicts(const TokenData& data, const Selection& selection,
                                            const std::vector<bool>& leave_out, std::size_t most,
                                            const Budget& budget);

}  // namespace attest
