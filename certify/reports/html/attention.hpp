// Attention on a page: over the steps of a run, and over the tokens of sequences.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/checkpoint.hpp"
#include "certify/reports/html/page.hpp"
#include "numerics/runs/run_record.hpp"

namespace attest {

// The attention of the token that each group is measured by, over the checkpoints; `groups`: their numbers in
// the data. Needs a checkpoint.
CellMap attention_over_time(const std::vector<RunPoint>& checkpoints, const std::vector<std::size_t>& groups);

// What is left of it, 1 - s: the largest and the least over the groups, and every group where they are few.
Chart left_over_time(const std::vector<RunPoint>& checkpoints, const std::vector<std::size_t>& groups);

// The softmax of every sequence, by token.
CellMap attention_map(const std::vector<SequenceAttention>& sequences);

}  // namespace attest
