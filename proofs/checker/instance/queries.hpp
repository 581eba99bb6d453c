// Sequence-to-sequence and causal attention: every token of a sequence is a query of its own, so the problem
// has a group for each of them.
#pragma once

#include <optional>

#include "proofs/checker/instance/instance.hpp"
#include "proofs/checker/instance/named_arrays.hpp"

namespace attest_check {

// What the key `setting` says; keys that do not go with it are refused.
bool read_causal(const NamedArrays& arrays);

// Makes cross-attention of `instance`, whose sequences, X, counts and offsets are read: group first_row[i] +
// k has the tokens of sequence i, of causal attention those up to k, and token k as its query. Too many
// numbers are exit 5.
void one_group_a_query(Instance& instance, bool causal, const std::string& path);

// The rows of `v` where a linear head has one for each place of a query in its sequence.
std::optional<NumberArray> read_decoders(NamedArrays& arrays, std::size_t dimension,
                                         const std::vector<std::size_t>& lengths);

// Scores Y_g v_k.x_t of its groups, one of `decoders` (each as long as a token) for each place k of a query
// in its sequence; `lengths` are those of the sequences.
NumberArray scores_by_place(const Instance& instance, const std::vector<std::size_t>& lengths,
                            const NumberArray& decoders);

}  // namespace attest_check
