#include "numerics/problem/group_subset.hpp"

#include <utility>

namespace attest {
GroupSubset group_subset(const TokenData& data, const Selection& selection,
                         const std::vector<std::size_t>& groups, SubsetQueries queries) {
  GroupSubset subset;
  subset.groups = groups;
  TokenData& part = subset.data;
  part.left_dimension = data.left_dimension;
  part.first_row.push_back(0);
  std::vector<std::pair<std::size_t, std::size_t>> tokens, factors;  // ranges of entries
  for (const std::size_t i : groups) {
    part.first_row.push_back(part.first_row.back() + data.tokens(i));
    tokens.emplace_back(data.first_row[i] * data.left_dimension, data.first_row[i + 1] * data.left_dimension);
    factors.emplace_back(i * data.right_dimension, (i + 1) * data.right_dimension);
    for (std::size_t row = data.first_row[i]; row < data.first_row[i + 1]; ++row)
      part.scores.push_back(data.scores[row]);
    if (!data.multiplicities.empty())
      part.multiplicities.insert(part.multiplicities.end(),
                                 data.multiplicities.begin() + std::ptrdiff_t(data.first_row[i]),
                                 data.multiplicities.begin() + std::ptrdiff_t(data.first_row[i + 1]));
    subset.selection.push_back(selection[i]);
  }
  part.token_factor = data.token_factor.ranges(tokens);
  if (queries == SubsetQueries::kept) {
    part.right_dimension = data.right_dimension;
    part.query_factor = data.query_factor.ranges(factors);
  } else {
    part.right_dimension = 1;
    part.query_factor = ExactArray::from_binary64(std::vector<double>(groups.size(), 1.0));
  }
  return subset;
}

}  // namespace attest
