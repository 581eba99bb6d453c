// One matrix for all solutions of a margin problem in any norm: what other matrices are compared with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/norms/optimum.hpp"
#include "numerics/numbers/ball.hpp"

namespace attest {

enum class SolutionStanding {
  only,     // the solution: there is no other
  several,  // a solution of several
  open,     // a solution; whether there are others is not decided
  nearly,   // it separates, and its norm is the least one up to `gap`
};

// "the solution", "a solution, not the only one", ...: what the matrix is.
std::string words(SolutionStanding standing);

struct SolutionMatrix {
  SolutionStanding standing = SolutionStanding::nearly;
  std::vector<Ball> entries;  // row-major: of `only` an enclosure, else exact but for rounding
  Rational gap;               // relative, of `nearly`
};

// Entries of W or K Q', row-major, exact but for rounding.
std::vector<Ball> matrix_of(const NormOptimum& optimum);

// In the Frobenius norm and powers from a gap of 1e-50, else what `attest certify` finds with its own gap.
// Nothing, with the reason, where no matrix is known. The problem has a constraint and is feasible,
// `euclidean` as for solve_norm_problem.
std::optional<SolutionMatrix> solution_matrix(const TokenData& data, const Selection& selection,
                                              const MarginSolution& euclidean, const Norm& norm,
                                              const Budget& budget, std::string& reason);

}  // namespace attest
