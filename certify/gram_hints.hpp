// Hints with which the checker in Coq proves a lower bound of the least eigenvalue of a Gram matrix.
#pragma once

#include <optional>
#include <vector>

#include "proofs/checker/problem.hpp"

namespace attest {

// The fields of gram_hints in proofs/coq/theories/GramBound.v, which says what each is for.
struct GramHints {
  attest_check::Integer token_step, query_step, entry_step, shift, residual_bound, distance_bound;
};

// Hints that make GramBound.v's gram_check prove lambda_min >= `bound` for the Gram matrix of the listed constraints
// (increasing). Nothing is trusted of them: the checker in Coq recomputes all they speak about. The computation here is the
// checker's own, in the same integers, so hints that are returned are accepted. Nothing when no precision tried is enough.
std::optional<GramHints> find_gram_hints(const attest_check::Problem& problem,
                                         const std::vector<attest_check::Constraint>& listed,
                                         const attest_check::Rational& bound);

}  // namespace attest
