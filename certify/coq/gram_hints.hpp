// Hints with which the checker in Coq proves a lower bound of the least eigenvalue of a Gram matrix.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "proofs/checker/problem/problem.hpp"
#include "proofs/checker/problem/vectors.hpp"

namespace attest {

// The fields of gram_hints in proofs/coq/theories/checks/GramBound.v, which says what each is for.
struct GramHints {
  std::size_t token_bits = 0, query_bits = 0, entry_bits = 0;
  attest_check::Integer shift, residual_bound, distance_bound;
  bool in_words = false;
};

// Hints that make GramBound.v's gram_check prove lambda_min >= `bound` for the Gram matrix of the listed
// constraints (increasing), when all numerators of token rows and, in self-attention, of query rows are those
// of the problem times 2^`refinement`: the factorisation is in integers, so short numbers leave too little
// room. Nothing is trusted of the hints: the checker in Coq recomputes all they speak about. The computation
// here is the checker's own, in the same integers, so hints that are returned are accepted. No hints when no
// precision tried is enough.
std::optional<GramHints> find_gram_hints(const attest_check::Problem& problem,
                                         const std::vector<attest_check::Constraint>& listed,
                                         const attest_check::Rational& bound, std::size_t refinement);

// The same for the Gram matrix of these columns of W (RankChecks.v's column_data).
std::optional<GramHints> find_column_hints(const attest_check::SpanElement& w,
                                           const std::vector<std::size_t>& columns,
                                           const attest_check::Rational& bound, std::size_t refinement);

// The refinement that brings the largest numerator of a token row to `bits` bits at least.
std::size_t gram_refinement(const attest_check::Features& features, std::size_t bits);

}  // namespace attest
