// Some groups of a selection problem as a problem of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/problem/selection_problem.hpp"

namespace attest {

struct GroupSubset {
  TokenData data;
  Selection selection;
  std::vector<std::size_t> groups;  // the group that each one is in the whole problem, increasing

  // A constraint of the subset as one of the whole problem.
  Constraint whole(const Constraint& c) const { return {groups[c.group], c.token}; }
};

enum class SubsetQueries {
  kept,
  // All are 1, in dimension 1: the problem of groups that share a query other than 0, up to its length. A
  // combination of its rows is zero if and only if that of the whole problem's rows is.
  shared
};

// `groups` increasing. Copies what it needs: O(tokens d + groups e) of the subset.
GroupSubset group_subset(const TokenData& data, const Selection& selection,
                         const std::vector<std::size_t>& groups, SubsetQueries queries = SubsetQueries::kept);

}  // namespace attest
