// The nuclear norm bounded by factors: ||K Q'|| <= (|K|^2 + |Q|^2)/2, and the rank by their columns.
#pragma once

#include "numerics/norms/prepared_problem.hpp"

namespace attest {

// K (d x rank) and Q (e x rank), row-major, divided by what makes all margins of K Q' at least 1: into left,
// right and value.hi. False when some margin is not certainly positive.
bool measure_factors(const PreparedProblem& problem, const PreciseRows& rows, const std::vector<Ball>& left,
                     const std::vector<Ball>& right, std::size_t rank, NormOptimum& found);

// The problem restricted to matrices of rank at most `rank` (papers.md B.L3), from both sides: below by the
// multipliers of `whole`, the answer without that restriction, above by factors of so many columns. They are
// those of `whole` where these are no more, else what a local search finds. Nothing when it finds none.
std::optional<NormOptimum> bound_rank(const PreparedProblem& problem, const NormOptimum& whole,
                                      std::size_t rank);

}  // namespace attest
