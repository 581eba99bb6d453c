// Sequence-to-sequence and causal attention (papers.md B.seq): every token of a sequence is a query of its
// own, so the problem has a group for each of them.
#pragma once

#include "certify/instance/instance.hpp"

namespace attest {

// Makes cross-attention of `instance`, whose sequences, X, counts and offsets are read: group first_row[i] +
// k has the tokens of sequence i, of causal attention those up to k, and token k as its query. Throws
// InputError when the tokens of all queries are too many.
void one_group_a_query(Instance& instance, bool causal);

// Scores Y_g v_k.x_t of its groups, one of `decoders` (rows of d numbers) for each place k of a query in its
// sequence; `lengths` are those of the sequences.
ExactArray scores_by_place(const Instance& instance, const std::vector<std::size_t>& lengths,
                           const ExactArray& decoders);

}  // namespace attest
