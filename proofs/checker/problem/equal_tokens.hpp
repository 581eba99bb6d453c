// Equal tokens of a group are one token (theory.md T18): those whose feature rows are the same have the same
// logit for every W, so they make up a class, which its first token represents and its multiplicity weighs.
#pragma once

#include <cstdint>
#include <vector>

#include "proofs/checker/base/scaled_matrix.hpp"
#include "proofs/checker/instance/instance.hpp"

namespace attest_check {

struct EqualTokens {
  std::vector<std::size_t> representative;  // per row: the first token of its group with the same row
  std::vector<std::uint64_t> multiplicity;  // per row: of a representative its class's counts; else 0
  std::vector<std::size_t> different;       // per group: its number of classes
};

// `rows`: the table of feature rows, X or K or that of a next-token stage.
EqualTokens merge_equal_tokens(const Instance& instance, const ScaledMatrix& rows);

// Scores of all tokens, integers over one denominator, become the means of their classes by counts, integers
// over that denominator times the number returned. Exit 5 where a class has different scores and offsets.
Integer average_scores(const Instance& instance, const EqualTokens& equal, std::vector<Integer>& scores);

}  // namespace attest_check
