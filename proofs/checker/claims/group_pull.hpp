// What one group of tokens adds to the loss and to its gradient where its logits are known: of iterations
// that are replayed number by number.
#pragma once

#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/problem/problem.hpp"

namespace attest_check {

// Features as intervals.
struct FeatureRows {
  std::vector<std::vector<Interval>> tokens, queries;

  FeatureRows(const Features& features, unsigned bits);
  std::vector<Interval> logits(const Features& features, std::size_t group,
                               const std::vector<Interval>& image) const;
};

struct GroupPull {
  Interval excess;              // l less that of the best score
  Interval unselected;          // 1 - s of the selected token
  std::vector<Interval> token;  // y: the group adds y z' to -grad L, z its query
};

// Of a head of one output; `logit` by token, those that are not present too.
GroupPull group_pull(const Problem& problem, const FeatureRows& rows, std::size_t group,
                     const std::vector<Interval>& logit, unsigned bits);

}  // namespace attest_check
