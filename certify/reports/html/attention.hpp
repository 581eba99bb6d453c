// Attention on a page: over the steps of a run, and over the tokens of sequences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "certify/audits/checkpoint.hpp"
#include "certify/reports/html/page.hpp"
#include "numerics/numbers/ball.hpp"

namespace attest {

// What the token that each group is measured by leaves of the attention, 1 - s, at one step.
struct AttentionLeft {
  std::uint64_t step = 0;
  std::vector<Ball> by_group;
};

// Of a run's checkpoints, whatever else they say.
template <class Point>
std::vector<AttentionLeft> attention_left(const std::vector<Point>& checkpoints) {
  std::vector<AttentionLeft> left;
  for (const Point& point : checkpoints) left.push_back({point.step, point.unselected});
  return left;
}

// The attention of that token over the checkpoints; `groups`: their numbers in the data. Needs a checkpoint.
CellMap attention_over_time(const std::vector<AttentionLeft>& checkpoints,
                            const std::vector<std::size_t>& groups);

// What is left of it: the largest and the least over the groups, and every group where they are few.
Chart left_over_time(const std::vector<AttentionLeft>& checkpoints, const std::vector<std::size_t>& groups);

// The softmax of every sequence, by token.
CellMap attention_map(const std::vector<SequenceAttention>& sequences);

}  // namespace attest
